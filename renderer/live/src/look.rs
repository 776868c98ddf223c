//! Settings of the page: parameters, view, shape, output.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::orbit::Orbit;
use renderer_cli::LiveArgs;
use renderer_inputs::stage_args::{On, StageArgs};

/// Values of parameters, the view, shape and output.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Look {
    /// Parameters of the shader that are set, as texts of the command line.
    pub(super) params: BTreeMap<String, String>,
    /// Values of a scene's materials, by paths of `--set`.
    sets: BTreeMap<String, String>,
    pub(super) on: Option<On>,
    /// The output that is shown.
    pub(super) show: Option<String>,
    pub(super) orbit: Orbit,
    /// True if pictures are denoised.
    pub(super) denoise: bool,
    /// True if the shader's example is shown.
    is_example: bool,
}

impl Look {
    /// Settings of the command line.
    pub(super) fn of(args: &LiveArgs) -> Look {
        let params = args.stage.inputs();
        Look {
            sets: BTreeMap::new(),
            params: params.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            on: args.stage.on.clone(),
            show: args.stage.show.clone(),
            orbit: Orbit::default(),
            denoise: false,
            is_example: args.stage.example,
        }
    }

    /// Values of the parameters of a shader, or of a scene's materials.
    pub(super) fn values(&self, is_shader: bool) -> &BTreeMap<String, String> {
        match is_shader {
            true => &self.params,
            false => &self.sets,
        }
    }

    /// Applies a request of the page: `{"params": {"alpha": "0.2", "ior": null}, "on": "cube", "orbit": [0, 0, 1]}`,
    /// for a scene `{"sets": {"material.floor.alpha": "0.2"}}`. Missing keys change nothing; null is the default.
    pub(super) fn change(&mut self, sent: &Json) {
        for (key, known) in [("params", &mut self.params), ("sets", &mut self.sets)] {
            let values = sent.get(key).and_then(Json::as_object);
            for (name, value) in values.into_iter().flatten() {
                match value.as_str() {
                    Some(text) => known.insert(name.clone(), text.to_owned()),
                    None => known.remove(name),
                };
            }
        }
        if let Some(denoise) = sent.get("denoise").and_then(Json::as_bool) {
            self.denoise = denoise;
        }
        if let Some(on) = sent.get("on") {
            self.on = on.as_str().and_then(On::named);
        }
        if let Some(show) = sent.get("show") {
            self.show = show.as_str().map(str::to_owned);
        }
        if let Some(orbit) = sent.get("orbit").and_then(Orbit::of_json) {
            self.orbit = orbit;
        }
    }

    /// Arguments for the display of a shader.
    pub(super) fn stage(&self) -> StageArgs {
        StageArgs {
            params: self.params.clone().into_iter().collect(),
            on: self.on.clone(),
            show: self.show.clone(),
            example: self.is_example,
            ..StageArgs::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pages_change_what_they_name() {
        let mut look = Look::default();
        look.change(&json!({"params": {"a": "1", "b": "red"}, "on": "cube"}));
        look.change(&json!({"params": {"a": null}, "show": "mask", "orbit": [0.5, 9, 2]}));
        assert_eq!(
            look.params.into_iter().collect::<Vec<_>>(),
            [("b".to_owned(), "red".to_owned())]
        );
        assert_eq!((look.on, look.show.as_deref()), (Some(On::Cube), Some("mask")));
        let mut other = Look::default();
        other.change(&json!({"params": 3, "orbit": ["x"], "on": 7, "nothing": []}));
        assert_eq!(other, Look::default());
    }
}
