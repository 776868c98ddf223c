//! Spectral colours: `wavelength_color` and `blackbody`.

use std::sync::OnceLock;

use super::color_system::ColorSystem;
use super::lanes2;
use super::math::{cbrt, expm1};

/// First wavelength of [`CIE_1931`], `[nm]`, and the step.
const FIRST: f32 = 380.0;
const STEP: f32 = 5.0;

/// The CIE 1931 colour matching functions for the 2° observer: X, Y and Z from 380 nm in steps of 5 nm.
#[rustfmt::skip]
pub const CIE_1931: [[f32; 3]; 81] = [
    [0.0014, 0.0, 0.0065], [0.0022, 0.0001, 0.0105], [0.0042, 0.0001, 0.0201], [0.0076, 0.0002, 0.0362],
    [0.0143, 0.0004, 0.0679], [0.0232, 0.0006, 0.1102], [0.0435, 0.0012, 0.2074], [0.0776, 0.0022, 0.3713],
    [0.1344, 0.004, 0.6456], [0.2148, 0.0073, 1.0391], [0.2839, 0.0116, 1.3856], [0.3285, 0.0168, 1.623],
    [0.3483, 0.023, 1.7471], [0.3481, 0.0298, 1.7826], [0.3362, 0.038, 1.7721], [0.3187, 0.048, 1.7441],
    [0.2908, 0.06, 1.6692], [0.2511, 0.0739, 1.5281], [0.1954, 0.091, 1.2876], [0.1421, 0.1126, 1.0419],
    [0.0956, 0.139, 0.813], [0.058, 0.1693, 0.6162], [0.032, 0.208, 0.4652], [0.0147, 0.2586, 0.3533],
    [0.0049, 0.323, 0.272], [0.0024, 0.4073, 0.2123], [0.0093, 0.503, 0.1582], [0.0291, 0.6082, 0.1117],
    [0.0633, 0.71, 0.0782], [0.1096, 0.7932, 0.0573], [0.1655, 0.862, 0.0422], [0.2257, 0.9149, 0.0298],
    [0.2904, 0.954, 0.0203], [0.3597, 0.9803, 0.0134], [0.4334, 0.995, 0.0087], [0.5121, 1.0, 0.0057],
    [0.5945, 0.995, 0.0039], [0.6784, 0.9786, 0.0027], [0.7621, 0.952, 0.0021], [0.8425, 0.9154, 0.0018],
    [0.9163, 0.87, 0.0017], [0.9786, 0.8163, 0.0014], [1.0263, 0.757, 0.0011], [1.0567, 0.6949, 0.001],
    [1.0622, 0.631, 0.0008], [1.0456, 0.5668, 0.0006], [1.0026, 0.503, 0.0003], [0.9384, 0.4412, 0.0002],
    [0.8544, 0.381, 0.0002], [0.7514, 0.321, 0.0001], [0.6424, 0.265, 0.0], [0.5419, 0.217, 0.0],
    [0.4479, 0.175, 0.0], [0.3608, 0.1382, 0.0], [0.2835, 0.107, 0.0], [0.2187, 0.0816, 0.0],
    [0.1649, 0.061, 0.0], [0.1212, 0.0446, 0.0], [0.0874, 0.032, 0.0], [0.0636, 0.0232, 0.0],
    [0.0468, 0.017, 0.0], [0.0329, 0.0119, 0.0], [0.0227, 0.0082, 0.0], [0.0158, 0.0057, 0.0],
    [0.0114, 0.0041, 0.0], [0.0081, 0.0029, 0.0], [0.0058, 0.0021, 0.0], [0.0041, 0.0015, 0.0],
    [0.0029, 0.001, 0.0], [0.002, 0.0007, 0.0], [0.0014, 0.0005, 0.0], [0.001, 0.0004, 0.0],
    [0.0007, 0.0002, 0.0], [0.0005, 0.0002, 0.0], [0.0003, 0.0001, 0.0], [0.0002, 0.0001, 0.0],
    [0.0002, 0.0001, 0.0], [0.0001, 0.0, 0.0], [0.0001, 0.0, 0.0], [0.0001, 0.0, 0.0], [0.0, 0.0, 0.0],
];

/// Returns the colour of monochromatic light of a wavelength `[nm]`, clipped to the gamut of the system and scaled so that
/// the maximum over all wavelengths in Rec.709 is 1.
pub fn wavelength_color(wavelength: f32, system: ColorSystem) -> [f32; 3] {
    const SCALE: f64 = 1.0 / 2.52;
    let at = (wavelength - FIRST) / STEP;
    let index = at as i32;
    let Some([low, high]) = usize::try_from(index)
        .ok()
        .and_then(|i| Some([CIE_1931.get(i)?, CIE_1931.get(i + 1)?]))
    else {
        return [0.0; 3];
    };
    let rest = at - index as f32;
    let xyz = lanes2(|a, b| a * (1.0 - rest) + b * rest, *low, *high);
    system.of_xyz(xyz).map(|x| (x * SCALE as f32).max(0.0))
}

/// Draper point `[K]`: below this temperature, a black body emits no visible light.
const DRAPER: f32 = 800.0;
/// Upper end `[K]` of the temperatures that are interpolated in a table.
const TABLE_END: f32 = 12_000.0;
/// Spacing of the table. Its steps grow with the temperature, as a power of 3/2; entries are fifth roots.
const TABLE_SPACING: f32 = 2.0;

/// The colour of a black body at a temperature `[K]`: its exitance `[W/m²]` in a colour system.
///
/// Up to 12 000 K the values are interpolated in a table, as in OSL; they differ from exact values by up to 10⁻³.
pub fn blackbody(temperature: f32, system: ColorSystem) -> [f32; 3] {
    static TABLES: [OnceLock<Vec<[f32; 3]>>; ColorSystem::ALL.len()] =
        [const { OnceLock::new() }; ColorSystem::ALL.len()];
    if temperature >= TABLE_END {
        return glow(temperature, system);
    }
    // A NaN counts as below the limit.
    if temperature.is_nan() || temperature < DRAPER {
        return [1e-6, 0.0, 0.0];
    }
    let root = cbrt((temperature - DRAPER) / TABLE_SPACING);
    let at = root * root;
    let index = at as usize;
    let rest = at - index as f32;
    let table = TABLES[system.number() as usize].get_or_init(|| table(system));
    let last = table.len() - 1;
    let (low, high) = (table[index.min(last)], table[(index + 1).min(last)]);
    lanes2(|a, b| a * (1.0 - rest) + b * rest, low, high).map(|x| {
        let square = x * x;
        square * square * x
    })
}

fn table(system: ColorSystem) -> Vec<[f32; 3]> {
    let mut table = vec![];
    loop {
        let root = (table.len() as f32).sqrt();
        let temperature = root * root * root * TABLE_SPACING + DRAPER;
        table.push(glow(temperature, system).map(|x| libm::powf(x, 0.2)));
        if temperature > TABLE_END {
            return table;
        }
    }
}

/// Integrates Planck's law with the colour matching functions.
fn glow(temperature: f32, system: ColorSystem) -> [f32; 3] {
    /// 2πhc² `[W·m²]`.
    const C1: f32 = 3.741_83e-16;
    /// hc/k `[m·K]`.
    const C2: f32 = 1.438_8e-2;
    let mut xyz = [0.0f32; 3];
    for (i, matching) in CIE_1931.iter().enumerate() {
        let meters = (FIRST + STEP * i as f32) * 1e-9;
        let square = meters * meters;
        let fourth = square * square;
        let exitance = C1 * (1.0 / (fourth * meters)) / expm1(C2 / (meters * temperature));
        let share = exitance * (STEP * 1e-9);
        for (sum, m) in xyz.iter_mut().zip(matching) {
            *sum += share * m;
        }
    }
    system.of_xyz(xyz).map(|x| x.max(0.0))
}
