//! Spectra and their conversion to linear Rec.709, as in Mitsuba 3's RGB variants.
//!
//! A spectrum is weighted by the colour-matching functions of the CIE's 1931 observer, which gives XYZ, and that is
//! turned into Rec.709. The weighting depends on the [`Use`] of the spectrum: reflectance is multiplied by illuminant
//! D65, so that a constant spectrum is grey; emission is not, so that a constant spectrum has the colour of illuminant
//! E, (1.205, 0.948, 0.909).

mod cie;
pub mod interference;
pub mod named;

use crate::color::Rgb;
use crate::math::exp_m1;

/// Power or reflectance at some wavelengths, linear between them and 0 outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// Wavelengths, ascending, at least two [nm].
    wavelengths: Vec<f64>,
    /// The value at each of them.
    values: Vec<f64>,
}

/// Quantity that a spectrum describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A share of light from 0 to 1, as seen under D65.
    Reflectance,
    /// A property of a material without an upper bound, as seen under D65: an index of refraction.
    Unbounded,
    /// Light.
    Emission,
}

/// Error in a spectrum.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpectrumError {
    /// Fewer than two wavelengths.
    #[error("a spectrum needs at least two wavelengths")]
    TooShort,
    /// Not one value for each wavelength.
    #[error("{wavelengths} wavelengths have {values} values")]
    Unpaired {
        /// Number of wavelengths.
        wavelengths: usize,
        /// Number of values.
        values: usize,
    },
    /// A wavelength that does not exceed the one before it.
    #[error("the wavelengths must ascend, but {after} nm comes after {before} nm")]
    NotAscending {
        /// The wavelength before it [nm].
        before: f64,
        /// The wavelength that is wrong [nm].
        after: f64,
    },
    /// A text that is not a finite number.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// A text that is not a pair of wavelength and value.
    #[error("`{0}` is not a wavelength with its value, as 500:0.2")]
    NotAPair(String),
    /// A line of a file that does not hold a wavelength and a value.
    #[error("line {0} does not hold a wavelength and a value")]
    BadLine(usize),
}

/// Number of wavelengths at which integrals are evaluated: the same ones as in Mitsuba, which matters for narrow spectra.
const STEPS: usize = 1000;

/// Integral of the colour-matching function y, as Mitsuba defines it [nm].
const Y_INTEGRAL: f64 = 106.750_259_399_414_06;

/// Integral of D65 times y, divided by [`Y_INTEGRAL`].
const D65_LUMINANCE: f64 = 98.997_417_518_762_55;

// ITU-R BT.709-6, from XYZ.
const RGB_FROM_XYZ: [[f64; 3]; 3] = [
    [3.240_479, -1.537_150, -0.498_535],
    [-0.969_256, 1.875_991, 0.041_556],
    [0.055_648, -0.204_043, 1.057_311],
];

impl Spectrum {
    /// A spectrum of `values` at `wavelengths` [nm].
    pub fn new(wavelengths: Vec<f64>, values: Vec<f64>) -> Result<Spectrum, SpectrumError> {
        if wavelengths.len() != values.len() {
            return Err(SpectrumError::Unpaired { wavelengths: wavelengths.len(), values: values.len() });
        }
        if wavelengths.len() < 2 {
            return Err(SpectrumError::TooShort);
        }
        if let Some(bad) = wavelengths.iter().chain(&values).find(|v| !v.is_finite()) {
            return Err(SpectrumError::NotANumber(bad.to_string()));
        }
        if let Some(pair) = wavelengths.windows(2).find(|pair| pair[1] <= pair[0]) {
            return Err(SpectrumError::NotAscending { before: pair[0], after: pair[1] });
        }
        Ok(Spectrum { wavelengths, values })
    }

    /// A spectrum of values at equal distances from wavelength `first` to `last` [nm].
    pub fn regular(first: f64, last: f64, values: Vec<f64>) -> Result<Spectrum, SpectrumError> {
        let step = (last - first) / values.len().saturating_sub(1).max(1) as f64;
        let wavelengths = (0..values.len()).map(|i| first + step * i as f64).collect();
        Spectrum::new(wavelengths, values)
    }

    /// The value at a wavelength [nm].
    fn at(&self, wavelength: f64) -> f64 {
        let above = self.wavelengths.partition_point(|w| *w <= wavelength);
        if above == 0 || wavelength > self.wavelengths[self.wavelengths.len() - 1] {
            return 0.0;
        }
        let i = (above - 1).min(self.wavelengths.len() - 2);
        let t = (wavelength - self.wavelengths[i]) / (self.wavelengths[i + 1] - self.wavelengths[i]);
        self.values[i] + (self.values[i + 1] - self.values[i]) * t
    }

    /// The colour of the spectrum, with channels clamped to at least 0.
    pub fn to_rgb(&self, used_as: Use) -> Rgb {
        let mut xyz = [0.0; 3];
        for i in 0..STEPS {
            let wavelength = cie::FIRST + i as f64 / (STEPS - 1) as f64 * (cie::LAST - cie::FIRST);
            let row = cie::at(wavelength);
            let light = match used_as {
                Use::Emission => 1.0,
                Use::Reflectance | Use::Unbounded => row.d65 / D65_LUMINANCE,
            };
            let weight = self.at(wavelength) * light;
            for (sum, matching) in xyz.iter_mut().zip(row.xyz) {
                *sum += weight * matching;
            }
        }
        let step = (cie::LAST - cie::FIRST) / (Y_INTEGRAL * STEPS as f64);
        let highest = match used_as {
            Use::Reflectance => 1.0,
            Use::Unbounded | Use::Emission => f32::INFINITY,
        };
        rgb_from_xyz(xyz.map(|sum| sum * step)).clamp(0.0, highest)
    }
}

fn rgb_from_xyz(xyz: [f64; 3]) -> Rgb {
    Rgb::from(RGB_FROM_XYZ.map(|row| row.iter().zip(xyz).map(|(a, b)| a * b).sum::<f64>() as f32))
}

/// The colour of a spectrum that is `value` at every wavelength.
pub fn uniform(value: f64, used_as: Use) -> Rgb {
    match used_as {
        Use::Emission => rgb_from_xyz([value; 3]),
        Use::Reflectance | Use::Unbounded => Rgb::splat(value as f32),
    }
}

/// Spectral radiance of a black body at visible wavelengths [W/sr/m²/nm], by Planck's law.
pub fn blackbody(kelvin: f64) -> Spectrum {
    // CODATA 2014: 2hc² [W m²] and hc/k [m K].
    const C0: f64 = 2.0 * 6.626_070_04e-34 * 299_792_458.0 * 299_792_458.0;
    const C1: f64 = 6.626_070_04e-34 * 299_792_458.0 / 1.380_648_52e-23;
    let radiance = |nanometres: f64| {
        let wavelength = nanometres * 1e-9;
        1e-9 * C0 / (wavelength.powi(5) * exp_m1(C1 / (wavelength * kelvin)))
    };
    let wavelengths: Vec<f64> =
        (0..=(cie::LAST - cie::FIRST) as usize).map(|i| cie::FIRST + i as f64).collect();
    let values = wavelengths.iter().map(|&w| radiance(w)).collect();
    Spectrum { wavelengths, values }
}

/// A spectrum from text: wavelengths [nm] with their values, as `400:0.1, 500:0.2`.
pub fn parse_pairs(text: &str) -> Result<Spectrum, SpectrumError> {
    let mut spectrum = (vec![], vec![]);
    for pair in parts(text) {
        let Some((wavelength, value)) = pair.split_once(':') else {
            return Err(SpectrumError::NotAPair(pair.to_owned()));
        };
        spectrum.0.push(parse_number(wavelength)?);
        spectrum.1.push(parse_number(value)?);
    }
    Spectrum::new(spectrum.0, spectrum.1)
}

/// Numbers separated by commas or spaces.
pub fn parse_list(text: &str) -> Result<Vec<f64>, SpectrumError> {
    parts(text).map(parse_number).collect()
}

/// A spectrum from the text of an `.spd` file: a wavelength [nm] and a value in each line, and comments after `#`.
pub fn read_spd(text: &str) -> Result<Spectrum, SpectrumError> {
    let mut spectrum = (vec![], vec![]);
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let content = line.split('#').next().unwrap_or_default();
        let numbers = parse_list(content).map_err(|_| SpectrumError::BadLine(number))?;
        match numbers[..] {
            [] => {}
            [wavelength, value] => {
                spectrum.0.push(wavelength);
                spectrum.1.push(value);
            }
            _ => return Err(SpectrumError::BadLine(number)),
        }
    }
    Spectrum::new(spectrum.0, spectrum.1)
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ',' || c.is_whitespace())
        .filter(|part| !part.is_empty())
}

fn parse_number(text: &str) -> Result<f64, SpectrumError> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| SpectrumError::NotANumber(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(rgb: Rgb, expected: [f32; 3]) -> bool {
        let pairs = rgb.to_array().into_iter().zip(expected);
        pairs.into_iter().all(|(a, b)| (a - b).abs() < 2e-5 * b.abs().max(1.0))
    }

    // Mitsuba 3.9.1, `scalar_rgb`: `reflectance` of `diffuse`, `eta` of `conductor` and `radiance` of `constant`, read
    // by `mi.traverse` after `mi.load_string`.
    #[test]
    fn colours_are_those_of_mitsuba() {
        let ramp = "380:0.1, 480:0.4, 560:0.9, 640:0.3, 780:0.2";
        for (pairs, reflectance, emission) in [
            (
                "400:0.1, 500:0.2",
                [0.0, 0.006_572_8, 0.166_941_7],
                [0.0, 0.005_192_1, 0.151_774_8],
            ),
            (
                "360:0.5, 830:0.5",
                [0.499_492_6, 0.499_436_9, 0.499_400_8],
                [0.602_441_8, 0.474_114_1, 0.454_633_4],
            ),
            (
                ramp,
                [0.499_485_6, 0.771_175_5, 0.275_110_8],
                [0.599_055_8, 0.740_400_4, 0.241_459],
            ),
            ("600:1, 610:1", [0.209_286_5, 0.004_558_5, 0.0], [0.230_727_2, 0.005_019_4, 0.0]),
            (
                "440:1 450:2 470:0.5",
                [0.040_277_8, 0.0, 0.782_013_5],
                [0.035_244_1, 0.0, 0.673_010_5],
            ),
        ] {
            let spectrum = parse_pairs(pairs).expect("a spectrum");
            for (used_as, expected) in
                [(Use::Reflectance, reflectance), (Use::Unbounded, reflectance), (Use::Emission, emission)]
            {
                let rgb = spectrum.to_rgb(used_as);
                assert!(near(rgb, expected), "{pairs} {used_as:?}: {rgb:?}, not {expected:?}");
            }
        }
        assert!(near(uniform(0.5, Use::Reflectance), [0.5; 3]));
        assert!(near(uniform(0.5, Use::Emission), [0.602_397, 0.474_145_5, 0.454_458]));
    }

    #[test]
    fn only_reflectance_ends_at_one() {
        let bright = parse_pairs("360:3, 830:3").expect("a spectrum");
        assert_eq!(bright.to_rgb(Use::Reflectance), Rgb::WHITE);
        assert!(bright.to_rgb(Use::Unbounded).g > 2.99);
    }

    // Planck's law at every nanometre, given to Mitsuba's `constant` as a list.
    #[test]
    fn black_bodies_are_those_of_mitsuba() {
        for (kelvin, expected) in [
            (1800.0, [4.460_724, 0.927_984_2, 0.0]),
            (3200.0, [1179.714, 608.257_3, 228.969]),
            (6500.0, [43_918.59, 41_407.15, 43_582.65]),
            (20_000.0, [641_319.8, 848_094.0, 1_581_771.0]),
        ] {
            let rgb = blackbody(kelvin).to_rgb(Use::Emission);
            assert!(near(rgb, expected), "{kelvin} K: {rgb:?}, not {expected:?}");
        }
        // `eval` of the plugin `blackbody` in the variant `scalar_spectral`.
        let radiance = blackbody(6500.0);
        assert!((radiance.at(450.0) - 47_511.7).abs() < 0.5 && (radiance.at(650.0) - 35_243.5).abs() < 0.5);
    }

    #[test]
    fn files_hold_a_wavelength_and_a_value_in_a_line() {
        let text = "# nm value\r\n400 0.1\r\n\r\n 500\t0.2 # the last\n";
        assert_eq!(read_spd(text), parse_pairs("400:0.1,500:0.2"));
        assert_eq!(read_spd("400 0.1\n500 0.2 0.3\n"), Err(SpectrumError::BadLine(2)));
        assert_eq!(read_spd("400 0.1\n500 nan\n"), Err(SpectrumError::BadLine(2)));
        assert_eq!(read_spd("# nothing"), Err(SpectrumError::TooShort));
    }

    #[test]
    fn what_is_no_spectrum_is_told() {
        assert_eq!(parse_pairs("400:1"), Err(SpectrumError::TooShort));
        assert_eq!(parse_pairs("400:1, 500"), Err(SpectrumError::NotAPair("500".to_owned())));
        assert_eq!(parse_pairs("400:1, 500:x"), Err(SpectrumError::NotANumber("x".to_owned())));
        let descending = Err(SpectrumError::NotAscending { before: 500.0, after: 400.0 });
        assert_eq!(parse_pairs("500:1, 400:1"), descending);
        assert!(Spectrum::new(vec![400.0, 500.0], vec![1.0]).is_err());
        assert_eq!(
            Spectrum::regular(400.0, 500.0, vec![0.1, 0.15, 0.2]),
            parse_pairs("400:0.1, 450:0.15, 500:0.2")
        );
        assert!(Spectrum::regular(400.0, 500.0, vec![]).is_err());
    }
}
