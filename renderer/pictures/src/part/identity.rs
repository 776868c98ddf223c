//! Identity of a render: scene fingerprint and all settings that samples depend on; parts merge if it is equal.

use std::hash::Hasher;

use rustc_hash::FxHasher;
use serde_json::{Value as Json, json};

use renderer_image::film::NoiseGoal;
use renderer_scene::ShutterTiming;
use renderer_transport::integrator::Integrator;
use renderer_transport::render::RenderSettings;

/// Inputs that sums of samples depend on, except the sample numbers, as named strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(Vec<(String, String)>);

impl Identity {
    /// The identity of a render. `scene` is the scene's fingerprint, `integrator` the one chosen, never `auto`.
    pub fn new(scene: u64, settings: &RenderSettings, integrator: &Integrator) -> Identity {
        let rect = settings.rendered();
        let mut facts = vec![
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("scene", format!("{scene:016x}")),
            ("size", format!("{}x{}", settings.width, settings.height)),
            ("crop", format!("{},{},{},{}", rect.x0, rect.y0, rect.x1, rect.y1)),
            ("camera", format!("{:016x}", hash(&format!("{:?}", settings.camera)))),
            ("filter", settings.filter.shape().to_string()),
            ("border", settings.border.to_string()),
            ("seed", settings.seed.to_string()),
            ("adaptive", settings.adaptive.to_string()),
            ("integrator", integrator.name().to_owned()),
        ];
        facts.extend(integrator_facts(integrator));
        if settings.is_moving && settings.shutter != ShutterTiming::default() {
            facts.push(("shutter", format!("{:016x}", hash(&format!("{:?}", settings.shutter)))));
        }
        if let Some(NoiseGoal { error, min_samples, max_samples }) = settings.noise {
            facts.push(("noise", format!("{error} from {min_samples} to {max_samples} samples")));
        }
        if let Some(plan) = &settings.passes {
            let passes: Vec<String> = plan.set().passes().iter().map(ToString::to_string).collect();
            facts.push(("passes", passes.join(" ")));
        }
        facts.push(("paths_per_ray", format!("at most {}", settings.max_paths_per_ray())));
        Identity(facts.into_iter().map(|(name, text)| (name.to_owned(), text)).collect())
    }

    /// Entries: names with their values.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The text of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, text)| text.as_str())
    }

    /// Describes the first difference: its name and both values; hashes are not printed.
    pub fn difference(&self, other: &Identity) -> Option<String> {
        let names = self.0.iter().chain(&other.0).map(|(name, _)| name.as_str());
        let name = names.into_iter().find(|name| self.get(name) != other.get(name))?;
        if ["scene", "camera", "shutter"].contains(&name) {
            return Some(format!("the {name} is another one"));
        }
        let text = |identity: &Identity| identity.get(name).unwrap_or("nothing").to_owned();
        Some(format!("the {name} is {} there, {} here", text(other), text(self)))
    }

    pub(super) fn json(&self) -> Json {
        self.0.iter().map(|(name, text)| json!([name, text])).collect()
    }

    pub(super) fn from_json(json: &Json) -> Option<Identity> {
        let pair = |json: &Json| match json.as_array()?.as_slice() {
            [name, text] => Some((name.as_str()?.to_owned(), text.as_str()?.to_owned())),
            _ => None,
        };
        /// Maximum number of entries in a file; renders have about 40.
        const MAX_ENTRIES: usize = 1000;
        let list = json.as_array().filter(|list| list.len() <= MAX_ENTRIES)?;
        list.iter().map(pair).collect::<Option<_>>().map(Identity)
    }
}

/// The settings of an integrator that samples depend on.
fn integrator_facts(integrator: &Integrator) -> Vec<(&'static str, String)> {
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "by default".to_owned());
    let or_auto = |value: Option<String>| value.unwrap_or_else(|| "auto".to_owned());
    match integrator {
        Integrator::Path(path) | Integrator::Auto(path) => vec![
            ("depth", or_none(path.depth.map(|n| n.to_string()))),
            ("rr_depth", path.rr_depth.to_string()),
            ("hide_emitters", path.hide_emitters.to_string()),
            ("hide_background", path.hide_background.to_string()),
            ("split", or_auto(path.split.map(|n| n.to_string()))),
            ("light_samples", or_auto(path.light_samples.map(|n| n.to_string()))),
            ("guide", or_auto(path.guide.map(|yes| yes.to_string()))),
        ],
        Integrator::Photon(photon) => vec![
            ("depth", or_none(photon.depth.map(|n| n.to_string()))),
            ("photons", or_none(photon.photons.map(|n| n.to_string()))),
            ("caustic_photons", or_none(photon.caustic_photons.map(|n| n.to_string()))),
            ("k", photon.k.to_string()),
            ("caustic_k", photon.caustic_k.to_string()),
            ("radius", or_none(photon.radius.map(|r| r.to_string()))),
            ("caustic_radius", or_none(photon.caustic_radius.map(|r| r.to_string()))),
            ("gather", or_auto(photon.gather.map(|n| n.to_string()))),
            ("light_samples", or_auto(photon.light_samples.map(|n| n.to_string()))),
            ("guide", or_auto(photon.guide.map(|yes| yes.to_string()))),
            ("show", or_none(photon.show.map(|show| format!("{show:?}").to_lowercase()))),
            ("progressive", photon.progressive.to_string()),
            ("direct", photon.direct.to_string()),
            ("hide_emitters", photon.hide_emitters.to_string()),
            ("hide_background", photon.hide_background.to_string()),
        ],
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}
