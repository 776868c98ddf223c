//! Warnings about nearly black or overexposed 8-bit images, with an exposure that would help.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use shading::Diagnostic;

use renderer_base::color::Rgb;
use renderer_base::math::{exp2, log2};
use renderer_image::{Image, ToneMap};

/// A picture is nearly black where no more than this part of its pixels is brighter than [`DARK`].
const MIN_LIT_FRACTION: f64 = 0.005;
/// Luminance below which a pixel of an 8-bit picture looks black.
const DARK: f32 = 1.0 / 255.0;
/// A picture is overexposed if more than this fraction of its pixels that are not black is brighter than white.
const OVEREXPOSED_FRACTION: f64 = 0.5;
/// Minimum fraction of overexposed pixels: smaller areas are lights.
const MIN_OVEREXPOSED_AREA: f64 = 0.05;
/// White, with a tolerance for rounding: a white furnace is not overexposed.
const WHITE: f32 = 1.001;
/// The luminance to which proposed exposures bring bright parts of dark pictures, and the middle of bright ones.
const BRIGHT: f32 = 0.7;
const MIDDLE: f32 = 0.3;

/// The warning about an image that is written to these files, if there is one. Tone curves burn nothing out. `exposure` and
/// `film`, the exposure of the film, are in stops.
pub fn warning(
    image: &Image,
    exposure: f32,
    film: f32,
    tone_map: ToneMap,
    outputs: &[PathBuf],
) -> Option<Diagnostic> {
    let mut luminances: Vec<f32> = (0..image.height)
        .flat_map(|y| (0..image.width).map(move |x| image.rgb(x, y)))
        .map(Rgb::luminance)
        .collect();
    if luminances.is_empty() {
        return None;
    }
    let light = "`--light studio` or `--light neutral` replaces the scene's lights";
    if luminances.iter().all(|&luminance| luminance <= 0.0) {
        let diagnostic = Diagnostic::warning("the picture is black: no sample found light");
        return Some(
            diagnostic
                .hint("look from elsewhere (`--camera`, `--set camera.NAME.from=(x, y, z)`)")
                .hint("small lights and lights behind glass need more samples (`--spp`)")
                .hint(light),
        );
    }
    // Float formats store dark and bright values.
    if !outputs.iter().any(|path| has_8_bits(path)) {
        return None;
    }
    let factor = exp2(exposure + film);
    let clipped = luminances.iter().filter(|&&luminance| luminance * factor > WHITE).count() as f64;
    let all = luminances.len() as f64;
    let bright = quantile(&mut luminances, 1.0 - MIN_LIT_FRACTION);
    // White things before black are as burnt out as a whole picture.
    luminances.retain(|luminance| luminance * factor >= DARK);
    let lit = luminances.len() as f64;
    let (message, stops) = if bright * factor < DARK {
        ("the picture is nearly black".to_owned(), (log2(BRIGHT / bright) - film).floor())
    } else if tone_map == ToneMap::None
        && clipped > OVEREXPOSED_FRACTION * lit
        && clipped >= MIN_OVEREXPOSED_AREA * all
    {
        let percent = 100.0 * clipped / all;
        let middle = quantile(&mut luminances, 0.5);
        let message = format!("{percent:.0} % of the picture is burnt out: brighter than white");
        (message, (log2(MIDDLE / middle) - film).floor())
    } else {
        return None;
    };
    let diagnostic = Diagnostic::warning(message);
    let diagnostic = if stops.is_finite() {
        diagnostic.hint(format!("try `--exposure {stops}`"))
    } else {
        diagnostic
    };
    Some(diagnostic.hint(light))
}

/// The value that the part `p` of all does not exceed.
fn quantile(values: &mut [f32], p: f64) -> f32 {
    let index = ((values.len() - 1) as f64 * p) as usize;
    *values.select_nth_unstable_by(index, f32::total_cmp).1
}

/// Returns whether files with this extension have 8 bits per channel. They clip values above white.
pub fn has_8_bits(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    ["png", "jpg", "jpeg"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the warning about an image of which the share `part` is `luminance` and the rest black.
    fn said(part: f32, luminance: f32, exposure: f32, file: &str) -> Option<String> {
        let image = Image::from_fn(100, 100, |x, _| {
            Rgb::splat(if (x as f32) < 100.0 * part { luminance } else { 0.0 })
        });
        warning(&image, exposure, 0.0, ToneMap::None, &[file.into()]).map(|warning| warning.to_string())
    }

    #[test]
    fn what_shows_nothing_is_told() {
        assert_eq!(said(0.1, 0.5, 0.0, "a.png"), None);
        assert_eq!(said(1.0, 1.0, 0.0, "a.png"), None);
        assert_eq!(said(0.04, 9.0, 0.0, "a.png"), None, "a lamp");
        for (part, luminance, exposure, words) in [
            (0.0, 0.0, 0.0, "is black"),
            (0.9, 0.001, 0.0, "--exposure 9"),
            (1.0, 0.1, -6.0, "--exposure 2"),
            (0.9, 40.0, 0.0, "--exposure -8"),
            (0.4, 9.0, 0.0, "40 % of the picture is burnt out"),
            (0.1, 1e4, 0.0, "--exposure -16"),
            (1.0, 0.9, 4.0, "--exposure -2"),
        ] {
            let text = said(part, luminance, exposure, "a.JPG").unwrap_or_default();
            assert!(text.contains(words), "{part} {luminance} {exposure}: {text}");
        }
    }

    #[test]
    fn floats_keep_everything_but_black() {
        assert_eq!(said(1.0, 40.0, 0.0, "a.exr"), None);
        assert_eq!(said(1.0, 1e-6, 0.0, "a.hdr"), None);
        assert!(said(1.0, 0.0, 0.0, "a.exr").is_some());
    }

    /// The exposure that is proposed does away with the warning.
    #[test]
    fn what_is_proposed_helps() {
        for exponent in -20..20 {
            for part in [0.02, 0.1, 0.6, 1.0] {
                let luminance = (exponent as f32).exp2() * 1.37;
                let Some(text) = said(part, luminance, 0.0, "a.png") else {
                    continue;
                };
                let rest = text.split("--exposure ").nth(1).unwrap_or_else(|| panic!("{text}"));
                let stops: f32 = rest.split('`').next().unwrap().parse().unwrap();
                assert_eq!(said(part, luminance, stops, "a.png"), None, "{part} {luminance} {stops}");
            }
        }
    }
}
