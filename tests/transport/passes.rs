//! Passes: expressions against a slow matcher and a published table; sums of components and light groups; light groups
//! against scenes with only those lights; coverage and values of the first surface in known scenes.

mod expressions;
mod groups;
mod overrides;
mod sums;
mod values;

use std::sync::Arc;

use renderer::film::Film;
use renderer::image::Image;
use renderer::layers::{Layered, develop};
use renderer::part::LayerNames;
use renderer::passes::{PassDesc, PassPlan, PassSet};
use renderer::render::RenderSettings;
use renderer::scene::SceneNames;
use renderer::scene::build::Built;
use support::scenes::render_scene;

/// A picture with its layers.
struct Layers {
    layered: Layered,
    film: Film,
}

/// Renders a scene with passes and the integrator settings `change`.
fn layers(built: &Built, names: &SceneNames, passes: &[&str], settings: RenderSettings) -> Layers {
    let passes = passes.iter().flat_map(|text| PassDesc::parse(text).expect("a pass"));
    let set = PassSet::new(passes.collect()).expect("different names");
    let plan = PassPlan::new(set, &built.scene, names, built.pass_shaders.clone(), &settings.camera.view())
        .expect("a plan");
    let names = LayerNames::new(plan.set(), plan.manifests());
    let settings = RenderSettings { passes: Some(Arc::new(plan)), ..settings };
    let rendered = render_scene(&built.scene, &settings);
    Layers {
        layered: develop(&rendered.state.film, &names).expect("known layers"),
        film: rendered.state.film,
    }
}

impl Layers {
    /// The values of a layer's channels, pixel by pixel.
    fn of(&self, layer: &str) -> Vec<Vec<f32>> {
        let prefix = format!("{layer}.");
        let is_own = |name: &str| name.starts_with(&prefix);
        let channels: Vec<usize> = (0..self.layered.names.len())
            .filter(|&c| is_own(&self.layered.names[c]))
            .collect();
        assert!(!channels.is_empty(), "there is no layer {layer}: {:?}", self.layered.names);
        let Image { channels: count, data, .. } = &self.layered.image;
        data.chunks_exact(*count)
            .map(|pixel| channels.iter().map(|&c| pixel[c]).collect())
            .collect()
    }

    /// The mean of a layer over all pixels and channels.
    fn mean(&self, layer: &str) -> f64 {
        let pixels = self.of(layer);
        let count = pixels.len() * pixels[0].len();
        pixels.iter().flatten().map(|&v| f64::from(v)).sum::<f64>() / count as f64
    }

    /// Asserts that these layers add up to the picture, up to rounding.
    fn assert_sum(&self, layers: &[String], what: &str) {
        let picture = self.film.develop();
        let parts: Vec<_> = layers.iter().map(|layer| self.of(layer)).collect();
        for (index, pixel) in picture.data.chunks_exact(3).enumerate() {
            for c in 0..3 {
                let sum: f64 = parts.iter().map(|part| f64::from(part[index][c])).sum();
                let whole = f64::from(pixel[c]);
                let limit = 2e-5 * whole.abs() + 1e-6;
                assert!(
                    (sum - whole).abs() <= limit,
                    "{what}: pixel {index}, channel {c}: {sum} for {whole}"
                );
            }
        }
    }
}
