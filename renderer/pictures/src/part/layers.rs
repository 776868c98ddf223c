//! Names of a part's layers, and the names behind their Cryptomatte identifiers.

use serde_json::{Value as Json, json};

/// Names of a film's layers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerNames {
    /// The passes, as `NAME=WHAT`.
    pub passes: Vec<String>,
    /// Names behind the identifiers, for each kind of identifiers.
    pub manifests: Vec<Vec<String>>,
}

impl LayerNames {
    pub(super) fn json(&self) -> Json {
        match self.passes.is_empty() {
            true => Json::Null,
            false => json!({ "passes": self.passes, "manifests": self.manifests }),
        }
    }

    /// Parses JSON; `None` if a value is invalid.
    pub(super) fn from_json(json: &Json) -> Option<LayerNames> {
        let texts = |json: &Json| -> Option<Vec<String>> {
            let list = json.as_array()?.iter();
            list.map(|text| Some(text.as_str()?.to_owned())).collect()
        };
        match json {
            Json::Null => Some(LayerNames::default()),
            _ => Some(LayerNames {
                passes: texts(&json["passes"])?,
                manifests: json["manifests"].as_array()?.iter().map(texts).collect::<Option<_>>()?,
            }),
        }
    }
}
