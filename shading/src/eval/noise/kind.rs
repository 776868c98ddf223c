//! Noises by name: every kind, in every dimension, periodic or not, with derivatives.

use super::gabor::{self, GaborOptions};
use super::hash::{hash, unit};
use super::lattice::{cell, corners, repeated_corners};
use super::simplex::{simplex, simplex1};
use crate::eval::dual::Dual;

/// A kind of noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoiseKind {
    /// Gradient noise, `[-1,1]`.
    Perlin,
    /// Gradient noise, `[0,1]`.
    UPerlin,
    /// Simplex noise, `[-1,1]`.
    Simplex,
    /// Simplex noise, `[0,1]`.
    USimplex,
    /// One value for each unit cell, `[0,1]`.
    Cell,
    /// One value for each point, `[0,1]`.
    Hash,
    /// Gabor noise, about `[-1,1]`.
    Gabor,
    /// 0.
    Null,
    /// 0.5.
    UNull,
}

impl NoiseKind {
    /// The names of the kinds.
    pub const NAMES: [(&'static str, NoiseKind); 15] = [
        ("perlin", NoiseKind::Perlin),
        ("uperlin", NoiseKind::UPerlin),
        ("noise", NoiseKind::UPerlin),
        ("snoise", NoiseKind::Perlin),
        ("simplex", NoiseKind::Simplex),
        ("usimplex", NoiseKind::USimplex),
        ("cell", NoiseKind::Cell),
        ("hash", NoiseKind::Hash),
        ("gabor", NoiseKind::Gabor),
        ("null", NoiseKind::Null),
        ("unull", NoiseKind::UNull),
        ("cellnoise", NoiseKind::Cell),
        ("hashnoise", NoiseKind::Hash),
        ("simplexnoise", NoiseKind::Simplex),
        ("usimplexnoise", NoiseKind::USimplex),
    ];

    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<NoiseKind> {
        let named = NoiseKind::NAMES.iter().find(|(known, _)| *known == name);
        named.map(|(_, kind)| *kind)
    }
}

/// Where noise is asked for.
#[derive(Clone, Copy, Debug)]
pub struct NoisePoint<'a> {
    /// One to four coordinates.
    pub at: &'a [Dual],
    /// As many periods, where the noise repeats.
    pub period: Option<&'a [f32]>,
    /// For gabor noise.
    pub options: GaborOptions,
}

impl NoisePoint<'_> {
    /// One noise.
    pub fn one(self, kind: NoiseKind) -> Dual {
        match kind {
            NoiseKind::Cell | NoiseKind::Hash => Dual::from(self.keyed(kind, None)),
            NoiseKind::Gabor => self.gabor(1)[0],
            _ => self.lanes(kind, false)[0],
        }
    }

    /// Three noises.
    pub fn three(self, kind: NoiseKind) -> [Dual; 3] {
        match kind {
            NoiseKind::Cell | NoiseKind::Hash => {
                [0, 1, 2].map(|lane| Dual::from(self.keyed(kind, Some(lane))))
            }
            NoiseKind::Gabor => self.gabor(3),
            _ => self.lanes(kind, true),
        }
    }

    fn lanes(self, kind: NoiseKind, three: bool) -> [Dual; 3] {
        let noises = match kind {
            NoiseKind::Perlin | NoiseKind::UPerlin => self.perlin(three),
            NoiseKind::Simplex | NoiseKind::USimplex => [0, 1, 2].map(|lane| {
                if lane == 0 || three {
                    self.simplex(lane)
                } else {
                    Dual::default()
                }
            }),
            _ => [Dual::default(); 3],
        };
        match kind {
            NoiseKind::UPerlin | NoiseKind::USimplex | NoiseKind::UNull => {
                noises.map(|n| (n + 1.0) * 0.5)
            }
            _ => noises,
        }
    }

    /// Gradient noise.
    fn perlin(self, three: bool) -> [Dual; 3] {
        // The corners of a cell, on a lattice that repeats or does not.
        macro_rules! noises {
            ($($i:literal)*) => {{
                let at = [$(self.at[$i].value),*];
                let corners = match self.period {
                    Some(period) => repeated_corners(at, [$(period[$i].floor() as i32),*]),
                    None => corners(at),
                };
                let lane = |i: u32| if i == 0 || three { Dual::from(corners.noise(8 * i)) } else { Dual::default() };
                [lane(0), lane(1), lane(2)]
            }};
        }
        match self.at.len() {
            0 => [Dual::default(); 3],
            1 => noises!(0),
            2 => noises!(0 1),
            3 => noises!(0 1 2),
            _ => noises!(0 1 2 3),
        }
    }

    fn simplex(self, lane: u32) -> Dual {
        match *self.at {
            [x] => simplex1(x, lane),
            [x, y] => simplex([x, y], lane),
            [x, y, z] => simplex([x, y, z], lane),
            [x, y, z, w, ..] => simplex([x, y, z, w], lane),
            [] => Dual::default(),
        }
    }

    /// The hash of the cell or of the bits of the coordinates; a lane is one more key.
    fn keyed(self, kind: NoiseKind, lane: Option<u32>) -> f32 {
        let mut keys = [0; 5];
        let count = self.at.len().min(4);
        for (i, key) in keys[..count].iter_mut().enumerate() {
            let x = self.at[i].value;
            let x = match self.period {
                Some(period) => gabor::wrap(x, period[i]),
                None => x,
            };
            *key = match kind {
                NoiseKind::Cell => cell(x).0,
                _ => x.to_bits(),
            };
        }
        keys[count] = lane.unwrap_or_default();
        let [a, b, c, d, e] = keys;
        unit(match count + usize::from(lane.is_some()) {
            1 => hash([a]),
            2 => hash([a, b]),
            3 => hash([a, b, c]),
            4 => hash([a, b, c, d]),
            _ => hash([a, b, c, d, e]),
        })
    }

    /// Of two dimensions or fewer, gabor noise is a slice of that of space; a fourth is not looked at.
    fn gabor(self, lanes: u32) -> [Dual; 3] {
        let axis = |i: usize| self.at.get(i).copied().unwrap_or_default();
        let period = self
            .period
            .map(|p| std::array::from_fn(|i| p.get(i).copied().unwrap_or_default()));
        gabor::gabor([axis(0), axis(1), axis(2)], period, self.options, lanes)
    }
}

/// `hash(int)`, of the bits of one to four numbers.
pub fn hash_bits(keys: &[u32]) -> i32 {
    let hash = match *keys {
        [a] => hash([a]),
        [a, b] => hash([a, b]),
        [a, b, c] => hash([a, b, c]),
        [a, b, c, d, ..] => hash([a, b, c, d]),
        [] => 0,
    };
    hash as i32
}
