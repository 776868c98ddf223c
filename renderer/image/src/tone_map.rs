//! Tone mapping: curves that compress linear radiance into the range of a display.
//!
//! Curves map linear Rec.709 radiance after exposure to linear Rec.709 in `[0,1]`, to be encoded with the sRGB
//! transfer. They work on finite values; negative ones count as black.

use renderer_base::math::{log2, pow};

/// A tone curve for 8-bit pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ToneMap {
    /// No curve: values above 1 are white.
    #[default]
    None,
    /// AgX, the picture formation of Troy Sobotka (2022): a log curve of 16.5 stops between two matrices that let bright
    /// colours fade to white. The matrices and the polynomial of the curve are those of Benjamin Wrensch, "Minimal AgX
    /// Implementation" (2023).
    Agx,
    /// The filmic curve of John Hable, "Filmic Tonemapping with Piecewise Power Curves" and "Uncharted 2: HDR Lighting"
    /// (2010), with white at 11.2 and the exposure bias 2.
    Filmic,
    /// The fit to the reference and output transforms of ACES by Krzysztof Narkowicz, "ACES Filmic Tone Mapping Curve"
    /// (2015), channel by channel.
    Aces,
}

impl ToneMap {
    /// Maps a linear colour to linear `[0,1]`.
    pub fn apply(self, color: [f32; 3]) -> [f32; 3] {
        // Not-a-number is no larger than zero.
        let color = color.map(|v| if v > 0.0 { v.min(f32::MAX) } else { 0.0 });
        match self {
            ToneMap::None => color.map(|v| v.min(1.0)),
            ToneMap::Agx => agx(color),
            ToneMap::Filmic => color.map(|v| (hable(2.0 * v) / hable(WHITE)).clamp(0.0, 1.0)),
            ToneMap::Aces => color.map(narkowicz),
        }
    }
}

/// Radiance that Hable's curve maps to white.
const WHITE: f32 = 11.2;

/// Hable 2010: shoulder A, linear strength B, linear angle C, toe strength D, toe numerator E and denominator F.
fn hable(x: f32) -> f32 {
    const A: f32 = 0.15;
    const B: f32 = 0.50;
    const C: f32 = 0.10;
    const D: f32 = 0.20;
    const E: f32 = 0.02;
    const F: f32 = 0.30;
    // The quotient overflows long after the curve is white.
    let x = x.min(1e6);
    (x * (A * x + C * B) + D * E) / (x * (A * x + B) + D * F) - E / F
}

/// Narkowicz 2015: (x(ax + b)) / (x(cx + d) + e).
fn narkowicz(x: f32) -> f32 {
    let x = x.min(1e6);
    ((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14)).clamp(0.0, 1.0)
}

/// Rows of the inset: linear Rec.709 to the primaries that the curve is applied to.
const INSET: [[f32; 3]; 3] = [
    [0.842_479_06, 0.078_433_6, 0.079_223_745],
    [0.042_328_242, 0.878_468_6, 0.079_166_13],
    [0.042_375_655, 0.078_433_6, 0.879_143],
];

/// Rows of the outset, the inverse of [`INSET`].
const OUTSET: [[f32; 3]; 3] = [
    [1.196_879, -0.098_020_88, -0.099_029_74],
    [-0.052_896_85, 1.151_903_1, -0.098_961_18],
    [-0.052_971_635, -0.098_043_45, 1.151_073_7],
];

/// Ends of the curve [stops].
const MIN_STOPS: f32 = -12.473_93;
const MAX_STOPS: f32 = 4.026_069;

fn agx(color: [f32; 3]) -> [f32; 3] {
    let curved = product(&INSET, color).map(|v| {
        // The logarithm of zero is below the range.
        let stops = log2(v).clamp(MIN_STOPS, MAX_STOPS);
        agx_contrast((stops - MIN_STOPS) / (MAX_STOPS - MIN_STOPS))
    });
    // The curve ends in values of a display with the exponent 2.2.
    product(&OUTSET, curved).map(|v| pow(v.max(0.0), 2.2).min(1.0))
}

/// The default contrast: the polynomial of degree 6 that Wrensch fitted to Sobotka's table, over `[0,1]`.
fn agx_contrast(x: f32) -> f32 {
    const COEFFICIENTS: [f32; 7] = [15.5, -40.14, 31.96, -6.868, 0.4298, 0.1191, -0.00232];
    COEFFICIENTS.iter().fold(0.0, |sum, c| sum * x + c)
}

fn product(rows: &[[f32; 3]; 3], v: [f32; 3]) -> [f32; 3] {
    rows.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURVES: [ToneMap; 3] = [ToneMap::Agx, ToneMap::Filmic, ToneMap::Aces];

    fn grey(curve: ToneMap, v: f32) -> f32 {
        curve.apply([v; 3])[1]
    }

    #[test]
    fn curves_rise_from_black_to_white() {
        for curve in CURVES {
            assert!(grey(curve, 0.0) < 1e-4, "{curve:?}");
            assert!(grey(curve, 1e30) > 0.97, "{curve:?}");
            let steps = (-120..60).map(|step| grey(curve, (step as f32 / 10.0).exp2()));
            let steps: Vec<f32> = steps.collect();
            assert!(steps.windows(2).all(|pair| pair[0] <= pair[1] + 1e-6), "{curve:?}");
            for odd in [f32::NAN, f32::NEG_INFINITY, -1.0] {
                assert_eq!(grey(curve, odd), grey(curve, 0.0), "{curve:?} {odd}");
            }
            assert!(grey(curve, f32::INFINITY).is_finite());
        }
    }

    /// Values of the published formulas, worked out by hand.
    #[test]
    fn curves_have_published_values() {
        // 0.18 is 9.999 of 16.5 stops.
        let x: f64 = (f64::log2(0.18) + 12.47393) / (4.026069 + 12.47393);
        let polynomial = 15.5 * x.powi(6) - 40.14 * x.powi(5) + 31.96 * x.powi(4) - 6.868 * x.powi(3)
            + 0.4298 * x.powi(2)
            + 0.1191 * x
            - 0.00232;
        assert!((f64::from(grey(ToneMap::Agx, 0.18)) - polynomial.powf(2.2)).abs() < 1e-4);
        assert!((grey(ToneMap::Aces, 1.0) - 2.54 / 3.16).abs() < 1e-6);
        assert!((grey(ToneMap::Filmic, 5.6) - 1.0).abs() < 1e-6);
        assert_eq!(ToneMap::None.apply([2.0, 0.5, -1.0]), [1.0, 0.5, 0.0]);
    }

    #[test]
    fn bright_colours_fade_to_white_in_agx() {
        let saturation = |v: f32| {
            let [r, _, b] = ToneMap::Agx.apply([v, 0.0, 0.05 * v]);
            r - b
        };
        assert!(saturation(64.0) < 0.5 * saturation(1.0));
        for (row, i) in INSET.iter().zip(0..) {
            let back = product(&OUTSET, [0, 1, 2].map(|j| INSET[j][i]));
            for (j, v) in back.into_iter().enumerate() {
                let unit = f32::from(u8::from(i == j));
                assert!((v - unit).abs() < 1e-3, "{row:?} {v}");
            }
        }
    }
}
