//! Removal of unused materials, textures, images and their bytes.

use serde_json::{Value, json};

use super::document::Document;
use super::text::{Renumbering, index, indices, list, renumber};

impl Document {
    /// Removes materials without primitives.
    pub fn remove_unused_materials(&mut self) {
        // Materials of variants have the same key.
        let materials = self.keep("materials", &indices(&self.json["meshes"], "material"));
        if let Some(meshes) = self.json.get_mut("meshes") {
            renumber(meshes, "material", &materials);
        }
    }

    /// Removes unreferenced textures, and images, samplers and buffer views that only these reference.
    pub fn remove_unused_textures(&mut self) {
        /// Members that reference textures by an `index`; extensions also describe mesh features by textures.
        const NAMED: [&str; 3] = ["materials", "meshes", "extensions"];
        let used: Vec<usize> = (NAMED.iter()).flat_map(|part| indices(&self.json[part], "index")).collect();
        let textures = self.keep("textures", &used);
        for part in NAMED {
            if let Some(part) = self.json.get_mut(part) {
                renumber(part, "index", &textures);
            }
        }
        let left = json!(list(&self.json, "textures"));
        let images = indices(&left, "source");
        let lost: Vec<usize> = (0..list(&self.json, "images").len())
            .filter(|image| !images.contains(image))
            .filter_map(|image| index(self.json["images"][image].get("bufferView")?))
            .collect();
        let images = self.keep("images", &images);
        let samplers = self.keep("samplers", &indices(&left, "sampler"));
        if let Some(textures) = self.json.get_mut("textures") {
            renumber(textures, "source", &images);
            renumber(textures, "sampler", &samplers);
        }
        for view in lost {
            self.release_view(view);
        }
        self.remove_free_views();
    }

    /// Keeps the elements of a list at these indices, in their order; removes the list if none are left.
    fn keep(&mut self, name: &str, used: &[usize]) -> Renumbering {
        let mut renumbering = Renumbering::default();
        let mut kept = vec![];
        for (index, element) in list(&self.json, name).iter().enumerate() {
            if used.contains(&index) {
                renumbering.insert(index, kept.len());
                kept.push(element.clone());
            }
        }
        if let Value::Object(document) = &mut self.json {
            match kept.is_empty() {
                true => document.remove(name),
                false => document.insert(name.to_owned(), Value::Array(kept)),
            };
        }
        renumbering
    }
}
