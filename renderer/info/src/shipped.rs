//! Listing of the shipped shader library by category.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};
use shading::ShadingSystem;
use shading::graph::Templates as _;

use renderer_inputs::metadata::{metadata_of, text_of};
use renderer_transport::material::library;

/// A shipped unit or group.
struct Entry {
    name: &'static str,
    help: String,
}

/// Shipped units and groups by category.
pub struct Shipped(BTreeMap<String, Vec<Entry>>);

impl Shipped {
    /// Lists the shipped library.
    pub fn list(system: &ShadingSystem) -> Shipped {
        let mut categories: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for name in library::names() {
            // The library that ships compiles, as tests see to.
            let Ok(Some(template)) = system.find(name) else {
                continue;
            };
            let text = |name| text_of(metadata_of(&template), name).unwrap_or("other").to_owned();
            categories
                .entry(text("category"))
                .or_default()
                .push(Entry { name, help: text("help") });
        }
        Shipped(categories)
    }

    /// The list as text for a terminal.
    pub fn text(&self) -> String {
        let width = self.0.values().flatten().map(|entry| entry.name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (category, entries) in &self.0 {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{category}");
            for entry in entries {
                let _ = writeln!(text, "    {:width$}  {}", entry.name, entry.help);
            }
        }
        text += "\n`kiln info NAME` shows the parameters of each; a scene calls them by these names.\n";
        text
    }

    /// The list as JSON.
    pub fn json(&self) -> Json {
        let entry = |category: &str, entry: &Entry| json!({ "name": entry.name, "category": category, "help": entry.help });
        self.0
            .iter()
            .flat_map(|(category, entries)| entries.iter().map(move |e| entry(category, e)))
            .collect()
    }
}
