//! Pictures of scenes given as text.

use super::*;

/// The mean of a scene's picture.
pub(super) fn picture(text: &str, set: &[&str], spp: u64) -> f64 {
    let values = pixels(text, set, spp);
    values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len() as f64
}

/// A scene's picture.
pub(super) fn pixels(text: &str, set: &[&str], spp: u64) -> Vec<f32> {
    let desc = load_text(text, set);
    let built = build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"));
    let settings = RenderSettings {
        filter: Filter::pixel(),
        samples: 0..spp,
        total: spp,
        seed: 1,
        threads: 2,
        ..RenderSettings::new(&desc, &built)
    };
    let rendered = render_scene(&built.scene, &settings);
    rendered.state.film.develop().data
}
