//! Thin-film interference colours: mean phase over the wavelengths of each channel.

use std::f64::consts::TAU;
use std::sync::LazyLock;

use super::{D65_LUMINANCE, STEPS, cie, rgb_from_xyz};
use crate::color::Rgb;
use crate::math::{cos, sin};

/// Step of the table [nm]: a fiftieth of a period of blue light, which keeps the error of interpolation below 0.002.
const SPACING: f32 = 8.0;

/// Number of tabulated path differences: up to 12 µm. Beyond, the wavelengths of a channel are out of phase.
const COUNT: usize = 1500;

/// The mean of a wave over the wavelengths of each channel, real and imaginary part.
#[derive(Clone, Copy)]
pub struct Wave {
    /// Real part: the component in phase.
    pub re: Rgb,
    /// Imaginary part: a quarter of a period out of phase.
    pub im: Rgb,
}

static WAVES: LazyLock<Vec<Wave>> = LazyLock::new(|| (0..COUNT).map(tabulate).collect());

/// The mean of exp(2πi · `detour` / λ) over the wavelengths λ of each channel of linear Rec.709 under D65, for a path
/// difference `detour` [nm]; zero beyond the table.
// The Fourier transform of the sensitivities, as in Belcour & Barla 2017, "A Practical Extension to Microfacet Theory for
// the Modeling of Varying Iridescence", section 4; theirs are Gaussians fitted to the observer under illuminant E.
pub fn wave(detour: f32) -> Option<Wave> {
    let position = detour / SPACING;
    let index = position as usize;
    let [below, above] = WAVES.get(index..)?.first_chunk()?;
    let t = position - index as f32;
    Some(Wave {
        re: below.re.lerp(above.re, t),
        im: below.im.lerp(above.im, t),
    })
}

fn tabulate(index: usize) -> Wave {
    let detour = f64::from(SPACING) * index as f64;
    let (mut re, mut im, mut still) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    for i in 0..STEPS {
        let wavelength = cie::FIRST + i as f64 / (STEPS - 1) as f64 * (cie::LAST - cie::FIRST);
        let row = cie::at(wavelength);
        let angle = TAU * detour / wavelength;
        let (re_of_wave, im_of_wave) = (cos(angle), sin(angle));
        for (channel, matching) in row.xyz.into_iter().enumerate() {
            let weight = matching * row.d65 / D65_LUMINANCE;
            still[channel] += weight;
            re[channel] += weight * re_of_wave;
            im[channel] += weight * im_of_wave;
        }
    }
    let white = rgb_from_xyz(still);
    Wave { re: rgb_from_xyz(re) / white, im: rgb_from_xyz(im) / white }
}
