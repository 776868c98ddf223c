//! Files for Bevy: a model with its lightmap, or probes as an irradiance volume.
//!
//! - `bevy.glb` is the model with lightmap coordinates as its second set; `extras.lightmap` of primitives names their page.
//! - Light textures of Bevy hold the radiance that a white surface reflects: irradiance over π, in half floats. The factor
//!   in `bevy.json` converts it to luminance, at Kiln's 683 lm/W.

mod volume;

use std::path::Path;

use serde_json::{Value, json};
use shading::{Diagnostic, Diagnostics};

use super::channel::{Precision, texels};
use super::folder::MODEL;
use super::scene_model::failure;
use super::{Failure, pages};
use crate::engine_files::bevy::{GLB, LIGHTMAP, MANIFEST, VOLUME};
use renderer_bake::{Grid, Include, Lightmap, Probes};
use renderer_base::color::Rgb;
use renderer_base::files::SharedFiles;
use renderer_base::math::INV_PI;
use renderer_export::{Document, NodeRectangles, use_second_set};
use renderer_image::{Image, Ktx2Compression, encode_ktx2, encode_ktx2_volume};
use renderer_import::GltfFile;
use renderer_inputs::bake_request::{BakeRequest, BakeTarget, GameEngine};

/// Luminance [cd/m²] of radiance 1 W/(sr·m²), as lights of glTF are taken.
const LUMENS_PER_WATT: f32 = 683.0;

/// Maximum texels along an axis of a volume on every graphics card.
const MAX_TEXELS: u32 = 2048;

/// The names of the files of a bake.
pub(super) fn names(request: &BakeRequest) -> Vec<String> {
    match (request.engine, request.target()) {
        (None | Some(GameEngine::Godot), _) | (_, BakeTarget::Vertex) => vec![],
        (Some(GameEngine::Bevy), BakeTarget::Probes) => [MANIFEST, VOLUME].map(str::to_owned).to_vec(),
        (Some(GameEngine::Bevy), BakeTarget::Texture) => {
            let mut names = [MANIFEST, GLB, LIGHTMAP].map(str::to_owned).to_vec();
            names.extend(pages::files(LIGHTMAP, request.most_pages()));
            names.dedup();
            names
        }
    }
}

/// The files of a lightmap, of which `model` is `model.glb`.
pub(super) fn of_lightmap(
    include: Include,
    map: &Lightmap,
    model: &[u8],
    warnings: &mut Diagnostics,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let files = SharedFiles::default();
    let gltf = GltfFile::parse(&files, Path::new(MODEL), model).map_err(|error| failure(&error))?;
    let mut document = Document::of_file(&gltf, &files).map_err(|error| failure(&error))?;
    let nodes = use_second_set(&mut document, &gltf, NodeRectangles::Unknown);
    let nodes = nodes.map_err(|error| failure(&error))?;
    for lit in &nodes.lit {
        let mesh = document.json["nodes"][lit.node]["mesh"].as_u64().unwrap_or(0) as usize;
        for (primitive, &page) in lit.pages.iter().enumerate() {
            let Some(page) = page else { continue };
            let said = &mut document.json["meshes"][mesh]["primitives"][primitive]["extras"];
            if !said.is_object() {
                *said = json!({});
            }
            said["lightmap"] = json!(pages::file(LIGHTMAP, page as u32, map.pages));
        }
    }
    if !nodes.left_out.is_empty() {
        let name = |node: usize| match document.json["nodes"][node]["name"].as_str() {
            Some(name) => format!("`{name}`"),
            None => format!("node {node}"),
        };
        let list: Vec<String> = nodes.left_out.iter().map(|&node| name(node)).collect();
        let message = format!("without lightmap in Bevy: {}", list.join(", "));
        let hint = "lightmaps for Bevy are for meshes without joints or instances of EXT_mesh_gpu_instancing";
        warnings.push(Diagnostic::warning(message).hint(hint));
    }
    let glb = document.glb().map_err(|error| failure(&error))?;

    let light = |(x, y)| map.irradiance(x, y) * INV_PI;
    let scale = match Precision::of(map) {
        Precision::Half => 1.0,
        Precision::Float => power_above(texels(map).map(light)),
    };
    let mut image = Image::new(map.width as usize, map.height as usize, 4);
    for at in texels(map) {
        let Rgb { r, g, b } = light(at) * (1.0 / scale);
        let pixel = image.pixel_mut(at.0 as usize, at.1 as usize);
        pixel.copy_from_slice(&[r, g, b, 1.0]);
    }
    let said = json!({
        "model": GLB,
        "include": include.name(),
        "lightmap_exposure": LUMENS_PER_WATT * scale,
    });
    let mut written = pages::encoded(LIGHTMAP, &image, map.pages, |image| {
        Ok(encode_ktx2(image, true, Ktx2Compression::Zstd))
    })?;
    written.push((GLB.to_owned(), glb));
    written.push((MANIFEST.to_owned(), text(&said)));
    Ok(written)
}

/// The files of a grid of probes.
pub(super) fn of_probes(probes: &Probes, grid: &Grid, warnings: &mut Diagnostics) -> Vec<(String, Vec<u8>)> {
    let counts = grid.counts;
    if counts.x.max(2 * counts.y).max(3 * counts.z) > MAX_TEXELS {
        let message = format!("the grid is too large for Bevy: {counts} probes");
        let hint = format!(
            "at most {MAX_TEXELS}, {} and {} along x, y and z; raise --probe-spacing",
            MAX_TEXELS / 2,
            MAX_TEXELS / 3
        );
        warnings.push(Diagnostic::warning(message).hint(hint));
        return vec![];
    }
    let light = |probe: usize| volume::cube(probes.coefficients(probe));
    let scale = power_above((0..probes.points.len()).flat_map(light));
    let slices = volume::slices(counts, |probe| light(probe).map(|color| color * (1.0 / scale)));
    let last = (counts - 1).as_vec3();
    let said = json!({
        "volume": {
            "voxels": VOLUME,
            "translation": (grid.origin + last * (0.5 * grid.spacing)).to_array(),
            // Probes are at the centres of voxels.
            "scale": (counts.as_vec3() * grid.spacing).to_array(),
            "intensity": LUMENS_PER_WATT * scale,
        },
    });
    vec![
        (
            VOLUME.to_owned(),
            encode_ktx2_volume(&slices, 3 * counts.z, Ktx2Compression::Zstd),
        ),
        (MANIFEST.to_owned(), text(&said)),
    ]
}

/// A power of two that makes the greatest of these values one that halves hold well: from 1/2 to 1.
fn power_above(values: impl Iterator<Item = Rgb>) -> f32 {
    let greatest = values.map(|value| value.max_component()).fold(f32::MIN_POSITIVE, f32::max);
    // The exponent of a float, by its bits.
    2.0 * f32::from_bits(greatest.to_bits() & 0x7f80_0000)
}

fn text(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}
