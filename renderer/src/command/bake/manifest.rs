//! `bake.json`: what the files beside it hold, for programs that read them.

use serde_json::{Value, json};

use crate::bake::sh::{BASIS, COSINE};
use crate::bake::{BakeSettings, Baked, Lightmap, Product};
use crate::cli::BakeArgs;

/// All that is told.
pub(super) struct Manifest<'a> {
    pub(super) args: &'a BakeArgs,
    pub(super) settings: &'a BakeSettings,
    pub(super) baked: &'a Baked,
}

impl Manifest<'_> {
    /// The text, for a bake of these files.
    pub(super) fn json(&self, files: &[&str]) -> Vec<u8> {
        let order = self.settings.order;
        let count = order.coefficients();
        let mut value = json!({
            "kiln": env!("CARGO_PKG_VERSION"),
            "scene": self.args.common.scene.display().to_string(),
            "target": self.args.target.name(),
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
                "samples": self.settings.samples,
                "integrator": self.settings.integrator.name(),
                "seed": self.settings.seed,
                "denoise": self.args.denoise,
            },
        });
        match &self.baked.product {
            Product::Texture(map) => value["atlas"] = atlas(map, self.args),
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

fn atlas(map: &Lightmap, args: &BakeArgs) -> Value {
    let objects: Vec<Value> = (map.objects.iter())
        .map(|object| {
            json!({
                "name": object.name,
                "side": object.side.name(),
                // Left, top, right, bottom; the last two exclusive.
                "rect": [object.rect.x0, object.rect.y0, object.rect.x1, object.rect.y1],
                "coordinates": if object.own_coordinates { "own" } else { "unwrapped" },
            })
        })
        .collect();
    json!({
        "width": map.width,
        "height": map.height,
        "texels_per_unit": map.density,
        "dilation": map.margin,
        "layout": match args.layout {
            crate::cli::Layout::Channels => "channels",
            crate::cli::Layout::Coefficients => "coefficients",
            crate::cli::Layout::Packed => "packed",
        },
        "origin": "top left; TEXCOORD_1 of scene.glb",
        "objects": objects,
    })
}
