//! Noise functions by name: kinds, dimensions, periodic variants, derivatives.

use super::cell::cells;
use super::gabor::{self, GaborOptions};
use super::hash::{hash, unit};
use super::lattice::{corners, repeated_corners};
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
    /// One random value for each unit cell, `[0,1]`.
    Cell,
    /// One random value for each point, `[0,1]`.
    Hash,
    /// Gabor noise, about `[-1,1]`.
    Gabor,
    /// Constant 0.
    Null,
    /// Constant 0.5.
    UNull,
}

impl NoiseKind {
    /// Names of the kinds.
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

    /// Returns the kind of a name.
    pub fn from_name(name: &str) -> Option<NoiseKind> {
        let named = NoiseKind::NAMES.iter().find(|(known, _)| *known == name);
        named.map(|(_, kind)| *kind)
    }
}

/// Arguments of a noise evaluation.
#[derive(Clone, Copy, Debug)]
pub struct NoisePoint<'a> {
    /// One to four coordinates.
    pub at: &'a [Dual],
    /// One period per coordinate, for periodic noise.
    pub period: Option<&'a [f32]>,
    /// Options of Gabor noise.
    pub options: GaborOptions,
    /// For Gabor noise, the derivatives of the first three coordinates along x and along y.
    pub footprint: [[f32; 3]; 2],
}

impl NoisePoint<'_> {
    /// Evaluates one noise value.
    pub fn one(self, kind: NoiseKind) -> Dual {
        match kind {
            NoiseKind::Cell | NoiseKind::Hash => Dual::from(self.keyed(kind, None)),
            NoiseKind::Gabor => self.gabor(1)[0],
            _ => self.lanes(kind, false)[0],
        }
    }

    /// Evaluates three noise values.
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
            NoiseKind::Simplex | NoiseKind::USimplex => {
                [0, 1, 2].map(|lane| if lane == 0 || three { self.simplex(lane) } else { Dual::default() })
            }
            _ => [Dual::default(); 3],
        };
        match kind {
            NoiseKind::UPerlin | NoiseKind::USimplex | NoiseKind::UNull => noises.map(|n| (n + 1.0) * 0.5),
            _ => noises,
        }
    }

    /// Gradient noise.
    fn perlin(self, three: bool) -> [Dual; 3] {
        // Cell corners on a periodic or unbounded lattice.
        macro_rules! noises {
            ($($i:literal)*) => {{
                let at = [$(self.at[$i]),*];
                let corners = match self.period {
                    Some(period) => repeated_corners(at, [$(period[$i].floor() as i32),*]),
                    None => corners(at),
                };
                let lane = |i: u32| if i == 0 || three { corners.noise(8 * i) } else { Dual::default() };
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

    /// Hash of the cell, or of the bits of the coordinates; the component index is an additional key.
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
                NoiseKind::Cell => cells([x]).0[0],
                _ => super::key(x),
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

    /// In fewer than three dimensions, Gabor noise is a slice of the three-dimensional noise; a fourth coordinate is
    /// ignored.
    fn gabor(self, lanes: u32) -> [Dual; 3] {
        let axis = |i: usize| self.at.get(i).copied().unwrap_or_default();
        let period = self
            .period
            .map(|p| std::array::from_fn(|i| p.get(i).copied().unwrap_or_default()));
        let at = [axis(0), axis(1), axis(2)];
        gabor::gabor(at, period, self.options, self.footprint, lanes)
    }
}

/// `hash(int)`, for the bits of one to four numbers.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixels of a 512×512 reference image: `(x, y, [values at x, at x + 17 …])`.
    type Row = (u32, u32, [[u8; 3]; 4]);

    #[rustfmt::skip]
    const SIMPLEX: [(u32, u32, [[u8; 3]; 4]); 16] = [
        (20, 31, [[134, 134, 134], [139, 139, 139], [129, 129, 129], [161, 161, 161]]),
        (150, 31, [[138, 138, 138], [138, 138, 138], [33, 33, 33], [84, 84, 84]]),
        (280, 31, [[125, 125, 125], [209, 209, 209], [120, 120, 120], [234, 234, 234]]),
        (410, 31, [[130, 130, 130], [88, 88, 88], [131, 131, 131], [173, 173, 173]]),
        (20, 199, [[136, 136, 136], [143, 143, 143], [109, 109, 109], [149, 149, 149]]),
        (150, 199, [[66, 66, 66], [78, 78, 78], [123, 123, 123], [219, 219, 219]]),
        (280, 199, [[191, 191, 191], [139, 139, 139], [84, 84, 84], [83, 83, 83]]),
        (410, 199, [[120, 120, 120], [126, 126, 126], [151, 151, 151], [160, 160, 160]]),
        (20, 300, [[125, 47, 63], [141, 233, 164], [125, 110, 137], [163, 142, 126]]),
        (150, 300, [[145, 51, 86], [121, 54, 66], [120, 120, 126], [83, 183, 102]]),
        (280, 300, [[35, 169, 119], [162, 164, 127], [74, 182, 114], [127, 143, 109]]),
        (410, 300, [[121, 119, 136], [135, 127, 139], [133, 128, 124], [104, 104, 151]]),
        (20, 470, [[132, 159, 110], [155, 112, 143], [98, 106, 134], [144, 150, 116]]),
        (150, 470, [[145, 145, 153], [57, 57, 57], [140, 49, 60], [76, 222, 179]]),
        (280, 470, [[227, 106, 28], [23, 23, 110], [47, 97, 137], [62, 29, 28]]),
        (410, 470, [[157, 157, 135], [110, 111, 135], [134, 128, 115], [108, 109, 113]]),
    ];

    #[rustfmt::skip]
    const GABOR: [(u32, u32, [[u8; 3]; 4]); 16] = [
        (20, 31, [[140, 140, 140], [125, 125, 125], [146, 146, 146], [102, 102, 102]]),
        (150, 31, [[109, 109, 109], [131, 131, 131], [105, 105, 105], [121, 121, 121]]),
        (280, 31, [[129, 129, 129], [105, 105, 105], [77, 77, 77], [126, 126, 126]]),
        (410, 31, [[107, 107, 107], [101, 101, 101], [76, 76, 76], [106, 106, 106]]),
        (20, 199, [[121, 121, 121], [109, 109, 109], [141, 141, 141], [149, 149, 149]]),
        (150, 199, [[122, 122, 122], [100, 100, 100], [127, 127, 127], [112, 112, 112]]),
        (280, 199, [[105, 105, 105], [81, 81, 81], [106, 106, 106], [139, 139, 139]]),
        (410, 199, [[103, 103, 103], [87, 87, 87], [108, 108, 108], [137, 137, 137]]),
        (20, 300, [[137, 138, 133], [124, 146, 141], [161, 155, 164], [114, 118, 175]]),
        (150, 300, [[152, 82, 142], [116, 120, 129], [90, 145, 120], [123, 146, 108]]),
        (280, 300, [[142, 144, 112], [96, 126, 136], [135, 102, 135], [139, 94, 132]]),
        (410, 300, [[147, 145, 120], [94, 127, 119], [124, 111, 125], [137, 108, 135]]),
        (20, 470, [[136, 154, 135], [100, 95, 163], [133, 176, 117], [135, 125, 136]]),
        (150, 470, [[146, 111, 133], [150, 175, 163], [131, 117, 105], [167, 117, 144]]),
        (280, 470, [[61, 144, 144], [131, 122, 110], [133, 146, 175], [136, 145, 119]]),
        (410, 470, [[70, 144, 140], [135, 112, 105], [124, 150, 169], [126, 133, 100]]),
    ];

    #[rustfmt::skip]
    const PERIODIC: [(u32, u32, [[u8; 3]; 4]); 16] = [
        (20, 31, [[173, 173, 173], [189, 189, 189], [19, 19, 19], [173, 173, 173]]),
        (150, 31, [[85, 85, 85], [109, 109, 109], [120, 120, 120], [84, 84, 84]]),
        (280, 31, [[147, 147, 147], [81, 81, 81], [146, 146, 146], [194, 194, 194]]),
        (410, 31, [[120, 120, 120], [112, 112, 112], [137, 137, 137], [170, 170, 170]]),
        (20, 199, [[173, 173, 173], [189, 189, 189], [19, 19, 19], [173, 173, 173]]),
        (150, 199, [[46, 46, 46], [208, 208, 208], [159, 159, 159], [46, 46, 46]]),
        (280, 199, [[128, 128, 128], [56, 56, 56], [173, 173, 173], [125, 125, 125]]),
        (410, 199, [[69, 69, 69], [119, 119, 119], [140, 140, 140], [123, 123, 123]]),
        (20, 300, [[173, 38, 57], [189, 201, 164], [19, 143, 184], [173, 39, 58]]),
        (150, 300, [[46, 187, 218], [202, 165, 135], [156, 81, 48], [46, 187, 219]]),
        (280, 300, [[157, 108, 108], [83, 127, 156], [122, 135, 102], [85, 112, 100]]),
        (410, 300, [[127, 167, 128], [138, 126, 95], [175, 162, 104], [81, 117, 120]]),
        (20, 470, [[173, 38, 57], [189, 201, 164], [19, 143, 184], [173, 39, 58]]),
        (150, 470, [[125, 217, 61], [84, 125, 181], [191, 74, 136], [124, 217, 61]]),
        (280, 470, [[145, 70, 165], [100, 168, 86], [162, 73, 169], [146, 85, 87]]),
        (410, 470, [[163, 77, 172], [182, 124, 159], [150, 101, 122], [141, 137, 120]]),
    ];

    /// Coordinates that OSL's testnoise and testpnoise evaluate at pixel `(x, y)`.
    fn place(x: u32, y: u32, angle: f32, scale: f32) -> [Dual; 4] {
        let wrap = |a: f32, b: f32| a - b * (a / b).floor();
        let (sin, cos) = angle.to_radians().sin_cos();
        let s = wrap(x as f32 / 511.0, 0.25) - 0.125;
        let t = wrap(y as f32 / 511.0, 0.5) - 0.25;
        let [ru, rv] = [cos * s + sin * t, sin * s - cos * t].map(|r| r * scale);
        [ru, rv, scale * (s + t) / std::f32::consts::SQRT_2, s * scale].map(Dual::from)
    }

    /// Compares with reference images of OSL's testsuite, which show noise in 1 to 4 dimensions, first of one value,
    /// then of three.
    fn check(kind: NoiseKind, rows: &[Row], angle: f32, scale: f32, period: Option<f32>, tolerance: f32) {
        for &(x, y, expected) in rows {
            for (i, expected) in expected.iter().enumerate() {
                let x = x + 17 * i as u32;
                let at = place(x, y, angle, scale);
                let count = (x / 128 + 1) as usize;
                let periods = [period.unwrap_or_default(); 4];
                let point = NoisePoint {
                    at: &at[..count],
                    period: period.map(|_| &periods[..count]),
                    options: GaborOptions::default(),
                    footprint: [[0.0; 3]; 2],
                };
                let found = if y > 255 { point.three(kind) } else { [point.one(kind); 3] };
                for (found, &expected) in found.iter().zip(expected) {
                    let shown = (0.5 + 0.5 * found.value).clamp(0.0, 1.0) * 255.0;
                    let error = shown - f32::from(expected);
                    assert!(error.abs() < tolerance, "{kind:?} at {x}, {y}: {shown} is not {expected}");
                }
            }
        }
    }

    #[test]
    fn simplex_noise_is_osls() {
        check(NoiseKind::Simplex, &SIMPLEX, 10.0, 20.0, None, 0.51);
    }

    #[test]
    fn gabor_noise_is_osls() {
        check(NoiseKind::Gabor, &GABOR, 10.0, 20.0, None, 1.6);
    }

    /// Pixels of the 512×512 reference images of OSL's noise-gabor2d-filter and noise-gabor3d-filter, in regions with
    /// large pixel footprints.
    #[test]
    fn filtered_gabor_noise_is_osls() {
        for (x, y, plane, space) in [
            (150u32, 150u32, 129, 139),
            (200, 150, 109, 121),
            (300, 100, 132, 120),
            (250, 220, 128, 146),
            (220, 350, 137, 125),
            (60, 400, 140, 117),
        ] {
            let [u, v] = [x, y].map(|i| i as f32 / 511.0);
            let (along_u, along_v) = (1.0 + 10.0 * u * u, 1.0 + 10.0 * v * v);
            let p = [u, v, 1.0];
            let at = p.map(|c| Dual::from(5.0 * c * along_v * along_u));
            let own = 5.0 * along_u * along_v / 511.0;
            let along = [u * along_v, v * along_u].map(|slope| 100.0 * slope / 511.0);
            let footprint = [0, 1]
                .map(|axis| std::array::from_fn(|i| p[i] * along[axis] + if i == axis { own } else { 0.0 }));
            for (count, expected) in [(2, plane), (3, space)] {
                let mut footprint: [[f32; 3]; 2] = footprint;
                footprint.iter_mut().for_each(|changes| changes[count..].fill(0.0));
                let found = NoisePoint {
                    at: &at[..count],
                    period: None,
                    options: GaborOptions::default(),
                    footprint,
                }
                .one(NoiseKind::Gabor);
                let shown = (0.5 + 0.5 * found.value).clamp(0.0, 1.0) * 255.0;
                assert!((shown - expected as f32).abs() < 1.1, "{x}, {y}: {shown} is not {expected}");
            }
        }
    }

    #[test]
    fn periodic_noise_is_osls() {
        check(NoiseKind::Perlin, &PERIODIC, 0.0, 30.0, Some(3.0), 0.51);
    }

    #[test]
    fn periodic_noise_repeats() {
        for (_, kind) in NoiseKind::NAMES {
            let at = |x: f32| {
                let at = [Dual::from(x), Dual::from(0.3)];
                NoisePoint {
                    at: &at,
                    period: Some(&[4.0, 4.0]),
                    options: GaborOptions::default(),
                    footprint: [[0.0; 3]; 2],
                }
                .one(kind)
                .value
            };
            let has_period = !matches!(kind, NoiseKind::Simplex | NoiseKind::USimplex | NoiseKind::Gabor);
            assert!(!has_period || (at(1.25) - at(5.25)).abs() < 1e-5, "{kind:?}");
        }
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        for kind in [NoiseKind::Simplex, NoiseKind::USimplex, NoiseKind::Gabor] {
            for count in 1..=4 {
                let start = [0.31f32, 1.77, -2.4, 0.9];
                let along = [1.0f32, -0.5, 0.25, 2.0];
                let value = |step: f32| {
                    let at: Vec<Dual> = (0..count)
                        .map(|i| Dual::new(start[i] + step * along[i], along[i], 0.0))
                        .collect();
                    NoisePoint {
                        at: &at,
                        period: None,
                        options: GaborOptions { do_filter: false, ..GaborOptions::default() },
                        footprint: [[0.0; 3]; 2],
                    }
                    .one(kind)
                };
                let h = 1e-3;
                let difference = (value(h).value - value(-h).value) / (2.0 * h);
                let found = value(0.0).dx;
                let error = (found - difference).abs();
                assert!(
                    error < 0.01 * difference.abs().max(1.0),
                    "{kind:?} {count}: {found} {difference}"
                );
            }
        }
    }
}
