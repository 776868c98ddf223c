//! Colour systems: primaries and white point, and conversions between them.
//!
//! The matrices are computed in `f32` from chromaticities, as in OSL, so that rounding errors of round trips are the
//! same.

use std::sync::LazyLock;

use super::math::{cross, dot};

type Triple = [f32; 3];
/// 3×3 matrix, row-major; row vectors multiply from the left.
type Matrix3 = [Triple; 3];

/// Colour space in which shaders compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(i32)]
#[expect(
    missing_docs,
    reason = "each is the space of that name in the OSL specification"
)]
pub enum ColorSystem {
    #[default]
    Rec709,
    Srgb,
    Ntsc,
    Ebu,
    Pal,
    Secam,
    Smpte,
    Hdtv,
    Cie,
    AdobeRgb,
    Xyz,
    Aces2065,
    AcesCg,
}

const D65: [f32; 2] = [0.3127, 0.3291];
const ILLUMINANT_C: [f32; 2] = [0.3101, 0.3162];
const EQUAL_ENERGY: [f32; 2] = [0.333_333_33, 0.333_333_33];
const ACES_WHITE: [f32; 2] = [0.321_68, 0.337_67];

impl ColorSystem {
    /// The systems with their names.
    pub const ALL: [(&'static str, ColorSystem); 13] = [
        ("Rec709", ColorSystem::Rec709),
        ("sRGB", ColorSystem::Srgb),
        ("NTSC", ColorSystem::Ntsc),
        ("EBU", ColorSystem::Ebu),
        ("PAL", ColorSystem::Pal),
        ("SECAM", ColorSystem::Secam),
        ("SMPTE", ColorSystem::Smpte),
        ("HDTV", ColorSystem::Hdtv),
        ("CIE", ColorSystem::Cie),
        ("AdobeRGB", ColorSystem::AdobeRgb),
        ("XYZ", ColorSystem::Xyz),
        ("ACES2065-1", ColorSystem::Aces2065),
        ("ACEScg", ColorSystem::AcesCg),
    ];

    /// Returns the system of a name.
    pub fn from_name(name: &str) -> Option<ColorSystem> {
        let found = ColorSystem::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, system)| *system)
    }

    /// Returns the system of a [`ColorSystem::number`]; the first system for an invalid number.
    pub fn numbered(number: i32) -> ColorSystem {
        let found = usize::try_from(number).ok().and_then(|i| ColorSystem::ALL.get(i));
        found.map_or(ColorSystem::default(), |(_, system)| *system)
    }

    /// Index of the system.
    pub fn number(self) -> i32 {
        self as i32
    }

    /// Name of the system.
    pub fn name(self) -> &'static str {
        ColorSystem::ALL[self as usize].0
    }

    /// Chromaticities of red, green, blue and white.
    fn chromaticities(self) -> [[f32; 2]; 4] {
        use ColorSystem as S;
        match self {
            S::Rec709 | S::Srgb => [[0.64, 0.33], [0.30, 0.60], [0.15, 0.06], D65],
            S::Ntsc => [[0.67, 0.33], [0.21, 0.71], [0.14, 0.08], ILLUMINANT_C],
            S::Ebu | S::Pal | S::Secam => [[0.64, 0.33], [0.29, 0.60], [0.15, 0.06], D65],
            S::Smpte => [[0.630, 0.340], [0.310, 0.595], [0.155, 0.070], D65],
            S::Hdtv => [[0.670, 0.330], [0.210, 0.710], [0.150, 0.060], D65],
            S::Cie => [[0.7355, 0.2645], [0.2658, 0.7243], [0.1669, 0.0085], EQUAL_ENERGY],
            S::AdobeRgb => [[0.64, 0.33], [0.21, 0.71], [0.15, 0.06], D65],
            S::Xyz => [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], EQUAL_ENERGY],
            S::Aces2065 => [[0.7347, 0.2653], [0.0, 1.0], [0.0001, -0.077], ACES_WHITE],
            S::AcesCg => [[0.713, 0.293], [0.165, 0.83], [0.128, 0.044], ACES_WHITE],
        }
    }

    fn matrices(self) -> &'static Matrices {
        static ALL: LazyLock<Vec<Matrices>> = LazyLock::new(|| {
            let systems = ColorSystem::ALL.iter();
            systems.map(|(_, system)| Matrices::of(system.chromaticities())).collect()
        });
        &ALL[self as usize]
    }

    /// Matrix from XYZ to the system.
    pub fn rgb_from_xyz(self) -> [f32; 16] {
        widened(self.matrices().rgb_from_xyz)
    }

    /// Matrix from the system to XYZ.
    pub fn xyz_from_rgb(self) -> [f32; 16] {
        widened(self.matrices().xyz_from_rgb)
    }

    /// Luminance of red, green and blue.
    pub fn luminance(self) -> Triple {
        self.matrices().luminance
    }

    /// Converts a colour from XYZ to the system.
    pub(super) fn of_xyz(self, [x, y, z]: Triple) -> Triple {
        let m = &self.matrices().rgb_from_xyz;
        std::array::from_fn(|i| x * m[0][i] + y * m[1][i] + z * m[2][i])
    }
}

struct Matrices {
    rgb_from_xyz: Matrix3,
    xyz_from_rgb: Matrix3,
    luminance: Triple,
}

impl Matrices {
    /// Computes the matrices from chromaticities. The red coordinate is zero for the green and blue primaries, so the cross
    /// products of the primaries are the columns of the matrix up to scale; the scales follow from white, which is 1 in
    /// each channel.
    fn of(chromaticities: [[f32; 2]; 4]) -> Matrices {
        let [red, green, blue, white] = chromaticities.map(|[x, y]| [x, y, 1.0 - (x + y)]);
        let columns = [cross(green, blue), cross(blue, red), cross(red, green)].map(|column| {
            let scale = dot(column, white) * (1.0 / white[1]);
            column.map(|x| x / scale)
        });
        let rgb_from_xyz = std::array::from_fn(|row| columns.map(|column| column[row]));
        let xyz_from_rgb = inverse(&rgb_from_xyz);
        let mut luminance: Triple = xyz_from_rgb.map(|row: Triple| row[1]);
        // The sum of the three is 1.
        let rest = 1.0 - luminance[0] - luminance[1];
        if (rest - luminance[2]).abs() < 0.001 {
            luminance[2] = rest;
        }
        Matrices { rgb_from_xyz, xyz_from_rgb, luminance }
    }
}

/// Inverse by cofactors.
fn inverse(m: &Matrix3) -> Matrix3 {
    let cofactor = |row: usize, column: usize| {
        let (a, b) = ((column + 1) % 3, (column + 2) % 3);
        let (c, d) = ((row + 1) % 3, (row + 2) % 3);
        m[a][c] * m[b][d] - m[b][c] * m[a][d]
    };
    let adjugate: Matrix3 = std::array::from_fn(|row| std::array::from_fn(|column| cofactor(row, column)));
    let determinant = m[0][0] * adjugate[0][0] + m[0][1] * adjugate[1][0] + m[0][2] * adjugate[2][0];
    adjugate.map(|row| row.map(|x| x / determinant))
}

fn widened([a, b, c]: Matrix3) -> [f32; 16] {
    [a[0], a[1], a[2], 0.0, b[0], b[1], b[2], 0.0, c[0], c[1], c[2], 0.0, 0.0, 0.0, 0.0, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_is_white_and_names_are_in_order() {
        for (i, (name, system)) in ColorSystem::ALL.into_iter().enumerate() {
            assert_eq!(ColorSystem::from_name(name), Some(system));
            assert_eq!(ColorSystem::numbered(i as i32), system);
            assert_eq!((system.number(), system.name()), (i as i32, name));
            let [x, y] = system.chromaticities()[3];
            let white = system.of_xyz([x / y, 1.0, (1.0 - x - y) / y]);
            assert!(white.iter().all(|c| (c - 1.0).abs() < 1e-4), "{name}: {white:?}");
            let sum: f32 = system.luminance().iter().sum();
            assert!((sum - 1.0).abs() < 1e-5, "{name}: {sum}");
        }
    }

    /// The matrices for Rec.709 as printed by OSL.
    #[test]
    fn the_matrices_of_rec_709_are_osls() {
        let close = |a: f32, b: f32| assert!((a - b).abs() <= b.abs() * 1e-6, "{a} is not {b}");
        let m = ColorSystem::Rec709.rgb_from_xyz();
        for (i, x) in [(0, 3.242_979), (4, -1.538_336_2), (8, -0.498_919_84), (10, 1.057_698_1)] {
            close(m[i], x);
        }
        let m = ColorSystem::Rec709.xyz_from_rgb();
        for (i, x) in [(0, 0.412_135_32), (1, 0.212_507_28), (5, 0.715_35), (10, 0.949_879_1)] {
            close(m[i], x);
        }
    }
}
