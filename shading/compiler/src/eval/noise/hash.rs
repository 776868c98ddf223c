//! Bob Jenkins's hash "lookup3.c" (2006), for lattice points.

use std::num::Wrapping;
use std::ops::{Add, BitXor, Sub};

use wide::{u32x4, u32x8};

/// A word of the hash, or a vector of words for several points. Sums wrap around.
pub(super) trait Word: Copy + Add<Output = Self> + Sub<Output = Self> + BitXor<Output = Self> {
    /// A vector with all elements equal.
    fn splat(word: u32) -> Self;

    /// Rotates the bits to the left.
    fn rotated<const BITS: u32>(self) -> Self;
}

impl Word for Wrapping<u32> {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        Wrapping(word)
    }

    #[inline(always)]
    fn rotated<const BITS: u32>(self) -> Self {
        Wrapping(self.0.rotate_left(BITS))
    }
}

macro_rules! vector_word {
    ($vector:ty) => {
        impl Word for $vector {
            #[inline(always)]
            fn splat(word: u32) -> Self {
                <$vector>::splat(word)
            }

            #[inline(always)]
            fn rotated<const BITS: u32>(self) -> Self {
                self << BITS | self >> (32 - BITS)
            }
        }
    };
}

vector_word!(u32x4);
vector_word!(u32x8);

/// Initial state of the hash of `keys` keys.
const fn seed(keys: u32) -> u32 {
    0xdead_beef_u32.wrapping_add(keys << 2).wrapping_add(13)
}

/// The reversible mixing step of lookup3.
#[inline(always)]
fn mix<W: Word>(mut a: W, mut b: W, mut c: W) -> (W, W, W) {
    a = (a - c) ^ c.rotated::<4>();
    c = c + b;
    b = (b - a) ^ a.rotated::<6>();
    a = a + c;
    c = (c - b) ^ b.rotated::<8>();
    b = b + a;
    a = (a - c) ^ c.rotated::<16>();
    c = c + b;
    b = (b - a) ^ a.rotated::<19>();
    a = a + c;
    c = (c - b) ^ b.rotated::<4>();
    b = b + a;
    (a, b, c)
}

/// The final mixing step of lookup3.
#[inline(always)]
pub(super) fn finish<W: Word>(mut a: W, mut b: W, mut c: W) -> W {
    c = (c ^ b) - b.rotated::<14>();
    a = (a ^ c) - c.rotated::<11>();
    b = (b ^ a) - a.rotated::<25>();
    c = (c ^ b) - b.rotated::<16>();
    a = (a ^ c) - c.rotated::<4>();
    b = (b ^ a) - a.rotated::<14>();
    (c ^ b) - b.rotated::<24>()
}

/// lookup3 hash of one to five words.
#[inline(always)]
pub(super) fn hash<const K: usize>(k: [u32; K]) -> u32 {
    hash_each(k.map(Wrapping)).0
}

/// lookup3 hash of one to four words and another word.
#[inline(always)]
pub(super) fn hash_with<const K: usize>(k: [u32; K], last: u32) -> u32 {
    match *k.as_slice() {
        [x] => hash([x, last]),
        [x, y] => hash([x, y, last]),
        [x, y, z] => hash([x, y, z, last]),
        [x, y, z, w] => hash([x, y, z, w, last]),
        _ => unreachable!("noise has one to four coordinates"),
    }
}

/// lookup3 hash for one point, or for several at once.
#[inline(always)]
pub(super) fn hash_each<W: Word, const K: usize>(k: [W; K]) -> W {
    let start = W::splat(seed(K as u32));
    let key = |i: usize| if i < K { k[i] } else { W::splat(0) };
    let (mut a, mut b, mut c) = (start + key(0), start + key(1), start + key(2));
    if K > 3 {
        (a, b, c) = mix(a, b, c);
        a = a + key(3);
        b = b + key(4);
    }
    finish(a, b, c)
}

/// Maps all 32 bits to `[0,1]`.
#[inline(always)]
pub(super) fn unit(bits: u32) -> f32 {
    const SCALE: f32 = (1.0 / u32::MAX as f64) as f32;
    bits as f32 * SCALE
}
