//! Removal of textures, images and their bytes that nothing uses any more.

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::document::Document;
use super::text::{index, list};

/// Old indices to new ones.
type Renumbering = FxHashMap<usize, usize>;

impl Document {
    /// Removes materials that no primitive has.
    pub fn remove_unused_materials(&mut self) {
        let mut used = vec![];
        visit_materials(&mut self.json["meshes"].clone(), &mut |material| {
            used.extend(index(material));
        });
        let materials = self.keep("materials", &used);
        visit_materials(&mut self.json["meshes"], &mut |material| {
            renumber(material, &materials);
        });
    }

    /// Removes textures that no material names, and images, samplers and buffer views that only these have named.
    pub fn remove_unused_textures(&mut self) {
        let mut used = vec![];
        for material in list(&self.json, "materials") {
            visit_textures(&mut material.clone(), &mut |texture| used.extend(index(texture)));
        }
        let textures = self.keep("textures", &used);
        if let Value::Array(materials) = &mut self.json["materials"] {
            for material in materials {
                visit_textures(material, &mut |texture| renumber(texture, &textures));
            }
        }
        let textures = list(&self.json, "textures");
        let images: Vec<usize> = textures.iter().flat_map(sources).collect();
        let samplers: Vec<usize> = textures.iter().filter_map(|t| index(t.get("sampler")?)).collect();
        let lost: Vec<usize> = (0..list(&self.json, "images").len())
            .filter(|image| !images.contains(image))
            .filter_map(|image| index(self.json["images"][image].get("bufferView")?))
            .collect();
        let images = self.keep("images", &images);
        let samplers = self.keep("samplers", &samplers);
        if let Value::Array(textures) = &mut self.json["textures"] {
            for texture in textures {
                visit_sources(texture, &mut |source| renumber(source, &images));
                if let Some(sampler) = texture.get_mut("sampler") {
                    renumber(sampler, &samplers);
                }
            }
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

/// Visits the indices of the materials of primitives, those of variants too.
fn visit_materials(value: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match name.as_str() {
                    "material" if member.is_u64() => visit(member),
                    "extras" => {}
                    _ => visit_materials(member, visit),
                }
            }
        }
        Value::Array(list) => list
            .iter_mut()
            .for_each(|element| visit_materials(element, visit)),
        _ => {}
    }
}

/// Visits the indices of all textures that a material names: of all objects of its that have an `index`.
fn visit_textures(value: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match name.as_str() {
                    "index" if member.is_u64() => visit(member),
                    "extras" => {}
                    _ => visit_textures(member, visit),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|element| visit_textures(element, visit)),
        _ => {}
    }
}

/// Visits the indices of a texture's images, those of its extensions too.
fn visit_sources(texture: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    if let Some(source) = texture.get_mut("source") {
        visit(source);
    }
    if let Some(Value::Object(extensions)) = texture.get_mut("extensions") {
        let sources = extensions
            .values_mut()
            .filter_map(|extension| extension.get_mut("source"));
        sources.for_each(visit);
    }
}

fn sources(texture: &Value) -> Vec<usize> {
    let mut found = vec![];
    visit_sources(&mut texture.clone(), &mut |source| found.extend(index(source)));
    found
}

fn renumber(number: &mut Value, renumbering: &Renumbering) {
    if let Some(new) = index(number).and_then(|old| renumbering.get(&old)) {
        *number = json!(new);
    }
}
