//! The files of a bake of light.

use shading::Diagnostics;

use super::folder::{KEPT, MANIFEST, MODEL, PROBES, SCENE, UNLIT};
use super::job::LoadedScene;
use super::manifest::Manifest;
use super::scene_model::{self, SceneModel};
use super::{
    Failure, bevy, compact, features, glb, godot, images, model, pages, probes, programs, unlit, viewer,
};
use renderer_bake::{BakeSettings, Baked, FeatureDesc, Product, Target};
use renderer_cli::BakeArgs;
use renderer_inputs::bake_request::{BakeRequest, BakeTarget, GameEngine};

/// The names of the files of a bake.
pub(super) fn names(request: &BakeRequest, asked: &[(String, features::RequestedFeature)]) -> Vec<String> {
    let mut names = match request.target() {
        BakeTarget::Texture => {
            let mut names = images::names(request.layout(), request.order());
            names.extend(compact::names(request.layout(), request.order(), request.image_format()));
            names.extend(features::names(asked));
            let most = request.most_pages();
            let of_pages: Vec<String> = (names.iter())
                .filter(|_| most > 1)
                .flat_map(|name| pages::files(name, most))
                .collect();
            names.extend(of_pages);
            names
        }
        BakeTarget::Vertex | BakeTarget::Probes => vec![],
    };
    if viewer::is_asked(request) {
        names.extend(viewer::names());
    }
    if request.target() == BakeTarget::Texture {
        names.push(MODEL.to_owned());
        if request.unlit {
            names.push(UNLIT.to_owned());
        }
    }
    names.push(match request.target() {
        BakeTarget::Texture | BakeTarget::Vertex => SCENE.to_owned(),
        BakeTarget::Probes => PROBES.to_owned(),
    });
    names.extend(godot::names(request).map(str::to_owned));
    if request.keep {
        names.push(KEPT.to_owned());
    }
    names.extend(bevy::names(request));
    names.push(MANIFEST.to_owned());
    names
}

/// The files of a bake, ready to be written.
pub(super) fn files(
    args: &BakeArgs,
    scene: &LoadedScene,
    model: Option<&SceneModel>,
    settings: &BakeSettings,
    baked: &Baked,
    warnings: &mut Diagnostics,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let request = &args.request;
    let LoadedScene { desc, built, .. } = scene;
    let mut parts = vec![];
    let mut files = match &baked.product {
        Product::Texture(map) => {
            let mut files = images::files(map, request.layout())?;
            files.extend(compact::files(map, request.layout(), request.image_format())?);
            let size = (map.width, map.page_height());
            files.extend(features::files_of_pages(size, map.pages, &map.features, features_of(settings))?);
            files.push((SCENE.to_owned(), glb::of_lightmap(&built.scene, map)?));
            let document;
            (document, parts) = model::of_lightmap(request, settings.include, desc, model, map)?;
            let bytes = document.glb().map_err(|error| scene_model::failure(&error))?;
            if viewer::is_asked(request) {
                let verbose = args.report.verbose;
                let shaders = model.map(|model| programs::of_model(desc, &built.scene, model, verbose));
                files.extend(viewer::files(args, &files, &bytes, shaders));
            }
            match request.engine {
                Some(GameEngine::Godot) => files.extend(godot::of_lightmap(request, map, &bytes, warnings)?),
                Some(GameEngine::Bevy) => {
                    files.extend(bevy::of_lightmap(settings.include, map, &bytes, warnings)?);
                }
                None => {}
            }
            files.push((MODEL.to_owned(), bytes));
            if request.unlit {
                files.push((UNLIT.to_owned(), unlit::file(document, map)?));
            }
            files
        }
        Product::Vertex(light) => vec![(SCENE.to_owned(), glb::of_vertices(&built.scene, light)?)],
        Product::Probes(probes) => {
            let mut files = vec![(PROBES.to_owned(), probes::json(probes))];
            match (request.engine, &probes.grid) {
                (Some(GameEngine::Godot), Some(grid)) => {
                    files.extend(godot::of_probes(request, probes, grid)?);
                }
                (Some(GameEngine::Bevy), Some(grid)) => files.extend(bevy::of_probes(probes, grid, warnings)),
                (_, None) | (None, Some(_)) => {}
            }
            files
        }
    };
    files.extend(baked.kept.as_ref().map(|light| (KEPT.to_owned(), light.bytes())));
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let manifest = Manifest { request, settings, baked, parts: &parts };
    let text = manifest.json(&names);
    files.push((MANIFEST.to_owned(), text));
    Ok(files)
}

/// The features of a bake of light.
fn features_of(settings: &BakeSettings) -> &[FeatureDesc] {
    match &settings.target {
        Target::Texture { features, .. } => features,
        Target::Vertex | Target::Probes(_) => &[],
    }
}
