//! Shows a bake in Bevy: `cargo run -- ../../../out [picture.png]`, of a folder of `kiln bake SCENE -o out --for bevy`.
//!
//! Meshes get their page of the lightmap. If the folder `probes` in it has a bake with `--target probes`, a ball in the
//! middle is lit by its irradiance volume.

use std::{fs, path::PathBuf};

use bevy::camera::Exposure;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::gltf::GltfExtras;
use bevy::light::IrradianceVolume;
use bevy::pbr::Lightmap;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, save_to_disk};
use bevy::world_serialization::WorldInstanceReady;
use serde_json::Value;

/// Exposure at which a luminance of 683 cd/m², Kiln's radiance 1, is white: log2(683 / 1.2).
const EV100: f32 = 9.1527;

/// What `bevy.json` says of the model, and of probes if there are any; where a picture goes.
#[derive(Resource)]
struct Bake {
    model: Value,
    probes: Option<Value>,
    picture: Option<PathBuf>,
}

fn main() {
    let mut args = std::env::args().skip(1).map(PathBuf::from);
    let folder = args.next().expect("usage: kiln-bevy FOLDER [PICTURE.png]");
    let folder = folder.canonicalize().expect("a folder of `kiln bake --for bevy`");
    let read = |name: &str| fs::read(folder.join(name)).ok();
    let parse = |bytes: Vec<u8>| serde_json::from_slice(&bytes).expect("JSON of `kiln bake --for bevy`");
    let bake = Bake {
        model: read("bevy.json").map(parse).expect("bevy.json in the folder"),
        probes: read("probes/bevy.json").map(parse),
        picture: args.next(),
    };
    let file_path = folder.to_string_lossy().into_owned();
    App::new()
        .add_plugins(DefaultPlugins.set(AssetPlugin { file_path, ..default() }))
        .insert_resource(bake)
        .insert_resource(GlobalAmbientLight::NONE)
        .insert_resource(ClearColor(Color::BLACK))
        .add_systems(Startup, setup)
        .add_systems(Update, take_picture)
        .add_observer(light)
        .run();
}

fn setup(
    mut commands: Commands,
    assets: Res<AssetServer>,
    bake: Res<Bake>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let model = bake.model["model"].as_str().expect("a model").to_owned();
    commands.spawn(WorldAssetRoot(assets.load(GltfAssetLabel::Scene(0).from_asset(model))));
    let Some(volume) = bake.probes.as_ref().map(|probes| &probes["volume"]) else { return };
    let vector = |key: &str| Vec3::from_array([0, 1, 2].map(|axis| volume[key][axis].as_f64().unwrap_or(0.0) as f32));
    let (translation, scale) = (vector("translation"), vector("scale"));
    commands.spawn((
        Transform { translation, scale, ..default() },
        IrradianceVolume {
            voxels: assets.load(format!("probes/{}", volume["voxels"].as_str().expect("voxels"))),
            intensity: volume["intensity"].as_f64().expect("a number") as f32,
            // Their lightmap has this light.
            affects_lightmapped_meshes: false,
        },
    ));
    commands.spawn((
        Mesh3d(meshes.add(Sphere::new(0.05 * scale.min_element()))),
        MeshMaterial3d(materials.add(StandardMaterial { perceptual_roughness: 1.0, reflectance: 0.0, ..default() })),
        Transform::from_translation(translation),
    ));
}

/// Gives the meshes of the model what was baked for them, and the camera the exposure.
fn light(
    _: On<WorldInstanceReady>,
    mut commands: Commands,
    assets: Res<AssetServer>,
    bake: Res<Bake>,
    meshes: Query<(Entity, &GltfExtras, &MeshMaterial3d<StandardMaterial>)>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    cameras: Query<Entity, With<Camera3d>>,
    lights: Query<Entity, Or<(With<PointLight>, With<SpotLight>, With<DirectionalLight>)>>,
) {
    for (mesh, extras, material) in &meshes {
        let extras: Value = serde_json::from_str(&extras.value).unwrap_or_default();
        let Some(page) = extras["lightmap"].as_str() else { continue };
        if let Some(mut material) = materials.get_mut(material) {
            material.lightmap_exposure = bake.model["lightmap_exposure"].as_f64().expect("a number") as f32;
        }
        commands.entity(mesh).insert(Lightmap { image: assets.load(page.to_owned()), ..default() });
    }
    for camera in &cameras {
        commands.entity(camera).insert((Exposure { ev100: EV100 }, Tonemapping::None));
    }
    // Their light is in the lightmap, too.
    for lamp in lights.iter().filter(|_| bake.model["include"] != "indirect") {
        commands.entity(lamp).despawn();
    }
}

/// Writes a picture, once everything has been loaded and drawn, and ends.
fn take_picture(mut commands: Commands, bake: Res<Bake>, mut frame: Local<u32>, mut exit: MessageWriter<AppExit>) {
    *frame += 1;
    match (&bake.picture, *frame) {
        (Some(picture), 120) => {
            commands.spawn(Screenshot::primary_window()).observe(save_to_disk(picture.clone()));
        }
        (Some(_), 180) => {
            exit.write(AppExit::Success);
        }
        _ => {}
    }
}
