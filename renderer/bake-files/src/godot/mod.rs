//! Files for Godot 4: a scene with the model and a LightmapGI, the resource of its light, and the texture of that.
//!
//! - `godot.tscn` has an instance of `godot.glb`, the model with the lightmap's coordinates as its second set, and a
//!   LightmapGI whose data are `godot.tres`. Its texture is `godot.exr`.
//! - Of probes there are the last three.
//!
//! Paths in files are relative to the files: the folder can be anywhere in a project.

mod probe_tree;
mod slices;
mod text;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use shading::{Diagnostic, Diagnostics};

use self::probe_tree::ProbeTree;
use self::text::{node_path, quoted};
use super::Failure;
use super::folder::MODEL;
use super::scene_model::failure;
use crate::engine_files::godot::{DATA, FILES, GLB, GLB_IMPORT, IMAGE, IMAGE_IMPORT, SCENE};
use renderer_bake::{Grid, Lightmap, Probes, ShOrder};
use renderer_base::files::SharedFiles;
use renderer_export::{Document, LitNode, NodeRectangles, use_second_set};
use renderer_import::GltfFile;
use renderer_inputs::bake_request::{BakeRequest, BakeTarget, GameEngine};

/// Name of the model's node in the scene.
const ROOT: &str = "Model";

/// The names of the files of a bake.
pub(super) fn names(request: &BakeRequest) -> impl Iterator<Item = &'static str> {
    let count = match (request.engine, request.target()) {
        (None | Some(GameEngine::Bevy), _) | (_, BakeTarget::Vertex) => 0,
        (Some(GameEngine::Godot), BakeTarget::Probes) => 4,
        (Some(GameEngine::Godot), BakeTarget::Texture) => 6,
    };
    FILES.into_iter().take(count)
}

/// The files of a lightmap, of which `model` is `model.glb`.
pub(super) fn of_lightmap(
    request: &BakeRequest,
    map: &Lightmap,
    model: &[u8],
    warnings: &mut Diagnostics,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    if map.order != ShOrder::One {
        let message = "Godot's lightmaps have order 1: the second band is in Kiln's own files alone";
        let hint = "--for godot needs --order 1";
        warnings.push(Diagnostic::warning(message).hint(hint));
    }
    let files = SharedFiles::default();
    let file = GltfFile::parse(&files, Path::new(MODEL), model).map_err(|error| failure(&error))?;
    let mut document = Document::of_file(&file, &files).map_err(|error| failure(&error))?;
    let nodes =
        use_second_set(&mut document, &file, NodeRectangles::Known).map_err(|error| failure(&error))?;
    let names = name_nodes(&mut document.json);
    let paths = paths(&document.json, &names);
    if !nodes.left_out.is_empty() {
        let left_out = nodes.left_out.iter().filter_map(|&node| names.get(node));
        let list: Vec<String> = left_out.map(|name| format!("`{name}`")).collect();
        let message = format!("without lightmap in Godot: {}", list.join(", "));
        let hint = "Godot's lightmaps are for meshes without joints or instances of EXT_mesh_gpu_instancing";
        warnings.push(Diagnostic::warning(message).hint(hint));
    }
    let users: Vec<String> = (nodes.lit.iter())
        .filter_map(|lit| Some(user(paths.get(lit.node)?.as_deref()?, lit)))
        .collect();
    let glb = document.glb().map_err(|error| failure(&error))?;
    let resource = |instance: &str| scene(request, instance);
    Ok(vec![
        (SCENE.to_owned(), resource(&text::instance(ROOT))),
        (DATA.to_owned(), text::light_data(&users, &text::NO_PROBES).into_bytes()),
        (IMAGE.to_owned(), slices::exr(map)?),
        (IMAGE_IMPORT.to_owned(), text::image_import(4 * map.pages)),
        (GLB.to_owned(), glb),
        (GLB_IMPORT.to_owned(), text::MODEL_IMPORT.as_bytes().to_vec()),
    ])
}

/// The files of a grid of probes.
pub(super) fn of_probes(
    request: &BakeRequest,
    probes: &Probes,
    grid: &Grid,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let tree = ProbeTree::over(grid);
    let colors = tree.colors(probes);
    Ok(vec![
        (SCENE.to_owned(), scene(request, "")),
        (DATA.to_owned(), text::light_data(&[], &tree.text(&colors)).into_bytes()),
        (IMAGE.to_owned(), slices::dark()?),
        (IMAGE_IMPORT.to_owned(), text::image_import(4)),
    ])
}

/// The scene, called after the scene that was baked.
fn scene(request: &BakeRequest, instance: &str) -> Vec<u8> {
    let stem = request.scene.path.file_stem().unwrap_or_default();
    let name = valid_name(&stem.to_string_lossy());
    text::scene(&quoted(&name), instance).into_bytes()
}

/// Entry of a node in the light data: path from the LightmapGI, rectangle, page, and no instance.
fn user(path: &str, lit: &LitNode) -> String {
    let [[left, top], [width, height]] = [lit.offset, lit.scale];
    let path = node_path(&format!("../{ROOT}/{path}"));
    let page = lit.pages.iter().flatten().next().unwrap_or(&0);
    format!("{path}, Rect2({left}, {top}, {width}, {height}), {page}, -1")
}

/// A name that Godot does not change: without the characters that it replaces.
fn valid_name(name: &str) -> String {
    let valid = name.replace(['.', ':', '@', '/', '"', '%'], "_");
    if valid.trim().is_empty() { "Node".to_owned() } else { valid }
}

/// Gives each node a unique valid name, so that Godot keeps all nodes; returns the names.
fn name_nodes(json: &mut Value) -> Vec<String> {
    let of = |element: &Value| element["name"].as_str().unwrap_or_default().to_owned();
    let elements = |name: &str| json[name].as_array().cloned().unwrap_or_default();
    // Godot's importer stores these names in one list.
    let scenes: Vec<String> = elements("scenes").iter().map(of).chain(["godot".to_owned()]).collect();
    let meshes: Vec<String> = elements("meshes").iter().map(of).collect();
    let mut taken: BTreeSet<String> = scenes.iter().map(|name| valid_name(name)).collect();
    for scene in &scenes {
        taken.extend(meshes.iter().map(|mesh| valid_name(&format!("{scene}_{mesh}"))));
    }
    let Some(Value::Array(nodes)) = json.get_mut("nodes") else {
        return vec![];
    };
    let mut names = vec![];
    for node in nodes {
        let name = valid_name(&of(node));
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut candidates = [name.clone()].into_iter().chain(numbered);
        let free = candidates.find(|name| !taken.contains(name)).unwrap_or_default();
        taken.insert(free.clone());
        node["name"] = Value::from(free.clone());
        names.push(free);
    }
    names
}

/// Path of each node from the root of the scene; `None` if it is not in the scene.
fn paths(json: &Value, names: &[String]) -> Vec<Option<String>> {
    let mut paths: Vec<Option<String>> = vec![None; names.len()];
    let scene = json["scene"].as_u64().unwrap_or(0) as usize;
    let children = |list: &Value| -> Vec<usize> {
        let list = list.as_array().into_iter().flatten();
        list.filter_map(|node| Some(node.as_u64()? as usize)).collect()
    };
    let roots = children(&json["scenes"][scene]["nodes"]);
    let mut open: Vec<(usize, Option<String>)> = roots.into_iter().map(|node| (node, None)).collect();
    while let Some((node, parent)) = open.pop() {
        let (Some(name), Some(slot)) = (names.get(node), paths.get_mut(node)) else {
            continue;
        };
        if slot.is_some() {
            continue;
        }
        let path = match parent {
            Some(parent) => format!("{parent}/{name}"),
            None => name.clone(),
        };
        *slot = Some(path.clone());
        let below = children(&json["nodes"][node]["children"]);
        open.extend(below.into_iter().map(|child| (child, Some(path.clone()))));
    }
    paths
}
