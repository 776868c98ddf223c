//! Bob Jenkins, "lookup3.c", 2006: the hash of lattice points.

/// Where the hash of `keys` keys starts.
const fn seed(keys: u32) -> u32 {
    0xdead_beef_u32.wrapping_add(keys << 2).wrapping_add(13)
}

/// The reversible mixing step of lookup3.
#[inline(always)]
fn mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    a = a.wrapping_sub(c) ^ c.rotate_left(4);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(6);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(8);
    b = b.wrapping_add(a);
    a = a.wrapping_sub(c) ^ c.rotate_left(16);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(19);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(4);
    b = b.wrapping_add(a);
    (a, b, c)
}

/// The last step of lookup3.
#[inline(always)]
pub(super) fn finish(mut a: u32, mut b: u32, mut c: u32) -> u32 {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

/// lookup3 of one to five words.
#[inline(always)]
pub(super) fn hash<const K: usize>(k: [u32; K]) -> u32 {
    let s = seed(K as u32);
    let key = |i: usize| if i < K { k[i] } else { 0 };
    let (mut a, mut b, mut c) = (
        s.wrapping_add(key(0)),
        s.wrapping_add(key(1)),
        s.wrapping_add(key(2)),
    );
    if K > 3 {
        (a, b, c) = mix(a, b, c);
        a = a.wrapping_add(key(3));
        b = b.wrapping_add(key(4));
    }
    finish(a, b, c)
}

/// All 32 bits as a number in `[0,1]`.
#[inline(always)]
pub(super) fn unit(bits: u32) -> f32 {
    const SCALE: f32 = (1.0 / u32::MAX as f64) as f32;
    bits as f32 * SCALE
}
