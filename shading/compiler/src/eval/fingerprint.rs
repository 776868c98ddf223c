//! OSL's `hash(string)`: FarmHash, bit-compatible.
//!
//! Geoff Pike, "FarmHash", 2014: the 64-bit hash in its variant `xo`, of which the low 32 bits are used. Beyond 256
//! bytes OSL's own hash depends on the machine; here the method for 97 to 256 bytes is used.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

/// `hash(string)`; 0 for the empty string.
pub fn hash(text: &str) -> i32 {
    if text.is_empty() {
        return 0;
    }
    farm(text.as_bytes()) as u32 as i32
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

fn half(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u64::from(u32::from_le_bytes(word))
}

fn shift_mix(x: u64) -> u64 {
    x ^ x >> 47
}

fn pair(u: u64, v: u64, mul: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(mul));
    shift_mix((v ^ a).wrapping_mul(mul)).wrapping_mul(mul)
}

fn farm(bytes: &[u8]) -> u64 {
    match bytes.len() {
        0..=16 => short(bytes),
        17..=32 => medium(bytes),
        33..=64 => two_blocks(bytes),
        65..=96 => three_blocks(bytes),
        _ => long(bytes),
    }
}

fn short(s: &[u8]) -> u64 {
    let n = s.len() as u64;
    let mul = K2.wrapping_add(n * 2);
    if s.len() >= 8 {
        let a = word(s, 0).wrapping_add(K2);
        let b = word(s, s.len() - 8);
        let c = b.rotate_right(37).wrapping_mul(mul).wrapping_add(a);
        let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(mul);
        return pair(c, d, mul);
    }
    if s.len() >= 4 {
        return pair(n.wrapping_add(half(s, 0) << 3), half(s, s.len() - 4), mul);
    }
    let (a, b, c) = (u32::from(s[0]), u32::from(s[s.len() >> 1]), u32::from(s[s.len() - 1]));
    let y = u64::from(a.wrapping_add(b << 8));
    let z = u64::from((s.len() as u32).wrapping_add(c << 2));
    shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
}

/// State after 16 to 32 bytes, before the final mixing.
fn block(s: &[u8], mul: u64) -> (u64, u64) {
    let n = s.len();
    let a = word(s, 0).wrapping_mul(K1);
    let b = word(s, 8);
    let c = word(s, n - 8).wrapping_mul(mul);
    let d = word(s, n - 16).wrapping_mul(K2);
    let u = a
        .wrapping_add(b)
        .rotate_right(43)
        .wrapping_add(c.rotate_right(30))
        .wrapping_add(d);
    let v = a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c);
    (u, v)
}

fn medium(s: &[u8]) -> u64 {
    let mul = K2.wrapping_add(s.len() as u64 * 2);
    let (u, v) = block(s, mul);
    pair(u, v, mul)
}

fn mixed_block(s: &[u8], mul: u64, seeds: (u64, u64)) -> u64 {
    let (u, v) = block(s, mul);
    let (u, v) = (u.wrapping_add(seeds.0), v.wrapping_add(seeds.1));
    let a = shift_mix((u ^ v).wrapping_mul(mul));
    shift_mix((v ^ a).wrapping_mul(mul))
}

fn two_blocks(s: &[u8]) -> u64 {
    let n = s.len();
    let first = K2.wrapping_sub(30);
    let mul = first.wrapping_add(2 * n as u64);
    let a = mixed_block(&s[..32], first, (0, 0));
    let b = mixed_block(&s[n - 32..], mul, (0, 0));
    b.wrapping_mul(mul).wrapping_add(a).wrapping_mul(mul)
}

fn three_blocks(s: &[u8]) -> u64 {
    let n = s.len();
    let first = K2.wrapping_sub(114);
    let mul = first.wrapping_add(2 * n as u64);
    let a = mixed_block(&s[..32], first, (0, 0));
    let b = mixed_block(&s[32..64], mul, (0, 0));
    let c = mixed_block(&s[n - 32..], mul, (a, b));
    c.wrapping_mul(9).wrapping_add(a >> 17).wrapping_add(b >> 21).wrapping_mul(mul)
}

/// The state of [`long`].
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

/// Reduces 32 bytes and a seed to 16 bytes.
fn weak(s: &[u8], a: u64, b: u64) -> (u64, u64) {
    let a = a.wrapping_add(word(s, 0));
    let b = b.wrapping_add(a).wrapping_add(word(s, 24)).rotate_right(21);
    let c = a;
    let a = a.wrapping_add(word(s, 8)).wrapping_add(word(s, 16));
    let b = b.wrapping_add(a.rotate_right(44));
    (a.wrapping_add(word(s, 24)), b.wrapping_add(c))
}

impl State {
    /// Processes 64 bytes; `nine` is 9 for the last block, else 1.
    fn take(&mut self, s: &[u8], mul: u64, nine: u64) {
        let State { x, y, z, v, w } = self;
        *x = x
            .wrapping_add(*y)
            .wrapping_add(v.0)
            .wrapping_add(word(s, 8))
            .rotate_right(37)
            .wrapping_mul(mul);
        *y = y.wrapping_add(v.1).wrapping_add(word(s, 48)).rotate_right(42).wrapping_mul(mul);
        *x ^= w.1.wrapping_mul(nine);
        *y = y.wrapping_add(v.0.wrapping_mul(nine)).wrapping_add(word(s, 40));
        *z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(mul);
        *v = weak(s, v.1.wrapping_mul(mul), x.wrapping_add(w.0));
        *w = weak(&s[32..], z.wrapping_add(w.1), y.wrapping_add(word(s, 16)));
        std::mem::swap(z, x);
    }
}

fn long(s: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let y = SEED.wrapping_mul(K1).wrapping_add(113);
    let mut state = State {
        x: SEED.wrapping_mul(K2).wrapping_add(word(s, 0)),
        y,
        z: shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2),
        v: (0, 0),
        w: (0, 0),
    };
    let rest = (s.len() - 1) % 64;
    for chunk in s[..s.len() - 1 - rest].chunks_exact(64) {
        state.take(chunk, K1, 1);
    }
    let mul = K1.wrapping_add((state.z & 0xff) << 1);
    state.w.0 = state.w.0.wrapping_add(rest as u64);
    state.v.0 = state.v.0.wrapping_add(state.w.0);
    state.w.0 = state.w.0.wrapping_add(state.v.0);
    state.take(&s[s.len() - 64..], mul, 9);
    let State { x, y, z, v, w } = state;
    pair(
        pair(v.0, w.0, mul).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z),
        pair(v.1, w.1, mul).wrapping_add(x),
        mul,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_osls() {
        // From OSL's testsuite/string.
        assert_eq!(hash("Hello World!"), -16_050_688);
        assert_eq!(hash(""), 0);
    }

    #[test]
    fn every_length_has_a_hash() {
        let text = "abcdefghij".repeat(40);
        let all: std::collections::BTreeSet<i32> = (0..text.len()).map(|n| hash(&text[..n])).collect();
        assert_eq!(all.len(), text.len());
    }
}
