//! Export of `bake.json`: a description of all files of a bake, for programs.

use serde_json::{Value, json};

use super::channel::{Precision, pictures, texels};
use super::images::{Brightness, COVERAGE, COVERAGES};
use super::pages;
use renderer_bake::sh::{BASIS, COSINE};
use renderer_bake::{BakeSettings, Baked, Lightmap, LightmapFilter, Product, Target};
use renderer_inputs::bake_request::{BakeRequest, ImageFormat};
use renderer_inputs::names::name_of;
use renderer_scene::ModelPart;

/// Contents of the manifest.
pub(super) struct Manifest<'a> {
    pub(super) request: &'a BakeRequest,
    pub(super) settings: &'a BakeSettings,
    pub(super) baked: &'a Baked,
    /// The object of each shape in the model.
    pub(super) parts: &'a [Option<ModelPart>],
}

impl Manifest<'_> {
    /// Noise filter.
    fn filter(&self) -> LightmapFilter {
        match self.settings.target {
            Target::Texture { denoise, .. } => denoise,
            Target::Vertex | Target::Probes(_) => LightmapFilter::None,
        }
    }

    /// The text, for a bake of these files.
    pub(super) fn json(&self, files: &[&str]) -> Vec<u8> {
        let order = self.settings.order;
        let count = order.coefficients();
        let mut value = json!({
            "kiln": env!("CARGO_PKG_VERSION"),
            "scene": self.request.scene.path.display().to_string(),
            "target": match &self.baked.product {
                Product::Texture(_) => "texture",
                Product::Vertex(_) => "vertex",
                Product::Probes(_) => "probes",
            },
            "complete": true,
            "files": files,
            "basis": {
                "order": order.number(),
                "names": order.names(),
                "functions": &BASIS[..count],
                "axes": "world axes, right-handed, y up",
                "meaning": "coefficients of incoming radiance, not convolved: c = integral of L(w) Y(w) over directions w that leave the surface",
                "irradiance": "E(n) = sum of factor * c * Y(n)",
                "irradiance_factors": &COSINE[..count],
            },
            "units": {
                "length": "m",
                "radiance": "W/(sr m^2), linear Rec.709",
                "irradiance": "W/m^2, linear Rec.709; no albedo, no 1/pi",
            },
            "settings": {
                "sides": self.settings.sides.name(),
                "include": self.settings.include.name(),
                "lights": self.request.lights,
                "samples": self.settings.samples,
                "integrator": self.settings.integrator.name(),
                "seed": self.settings.seed,
                "denoise": self.filter().name(),
                "kept": self.baked.stats.kept as f64 / self.baked.stats.points.max(1) as f64,
            },
        });
        match &self.baked.product {
            Product::Texture(map) => value["atlas"] = atlas(map, self.request, self.parts),
            Product::Vertex(light) => {
                let objects = light.objects.iter();
                let objects =
                    objects.map(|object| json!({ "name": object.name, "side": object.side.name() }));
                value["objects"] = objects.collect();
                value["attributes"] =
                    json!("scene.glb: _IRRADIANCE, and _SH_<name> for each coefficient, RGB floats");
            }
            Product::Probes(probes) => value["probes"] = json!(probes.points.len()),
        }
        format!("{value:#}\n").into_bytes()
    }
}

fn atlas(map: &Lightmap, request: &BakeRequest, parts: &[Option<ModelPart>]) -> Value {
    let objects: Vec<Value> = (map.objects.iter())
        .map(|object| {
            let part = parts.get(object.shape.0 as usize).copied().flatten();
            json!({
                "name": object.name,
                "side": object.side.name(),
                // Indices in model.glb.
                "node": part.map(|part| part.node),
                "mesh": part.map(|part| part.mesh),
                "primitive": part.map(|part| part.primitive),
                "instance": part.and_then(|part| part.instance),
                "page": object.page,
                // Left, top, right, bottom; the last two exclusive.
                "rect": [object.rect.x0, object.rect.y0, object.rect.x1, object.rect.y1],
                "coordinates": if object.own_coordinates { "own" } else { "unwrapped" },
            })
        })
        .collect();
    let brightness = Brightness::of(map);
    json!({
        "width": map.width,
        "height": map.page_height(),
        "pages": map.pages,
        "texels_per_unit": map.density,
        "dilation": map.margin,
        "layout": name_of(&request.layout()),
        "precision": Precision::of(map).name(),
        "images": images(map, request),
        "rgbm_range": (request.image_format() == ImageFormat::Rgbm).then(|| super::compact::range(map)),
        "surfaces": surfaces(map),
        "coverage": coverage(map),
        "lightmap": {
            "where": "MOZ_lightmap of scene.glb, 8 bits, sRGB: irradiance = intensity * value; irradiance.exr is the same in floats",
            "intensity": brightness.intensity,
            "clipped_share_of_lit_texels": brightness.clipped,
        },
        "origin": "top left, as in glTF: TEXCOORD_1 of scene.glb; where images begin at the bottom, v becomes 1 - v",
        "objects": objects,
    })
}

/// Quantities of the channels of each float image.
fn images(map: &Lightmap, request: &BakeRequest) -> Value {
    let channels = |picture: &super::channel::Picture| {
        let named = picture.channels.iter();
        let named = named.map(|&(channel, quantity)| (channel.to_owned(), json!(quantity.name())));
        Value::Object(named.collect())
    };
    let pictures = pictures(request.layout(), map.order);
    let images = pictures.iter().flat_map(|picture| {
        let files = pages::files(&picture.file, map.pages);
        files.map(|file| (file, channels(picture)))
    });
    Value::Object(images.collect())
}

/// The images of features in floats.
fn surfaces(map: &Lightmap) -> Vec<String> {
    let files = map.features.iter().map(|feature| super::features::file(&feature.name));
    files
        .flat_map(|file| pages::files(&file, map.pages).collect::<Vec<_>>())
        .collect()
}

fn coverage(map: &Lightmap) -> Value {
    let mut values = serde_json::Map::new();
    let mut counts = serde_json::Map::new();
    for (coverage, name, value) in COVERAGES {
        let of = texels(map).filter(|&(x, y)| map.coverage(x, y) == coverage);
        values.insert(name.to_owned(), json!(value));
        counts.insert(name.to_owned(), json!(of.count()));
    }
    let file = match map.pages {
        1 => json!(COVERAGE),
        pages => pages::files(COVERAGE, pages).collect(),
    };
    json!({ "file": file, "values": values, "texels": counts })
}
