//! Scenes with media: even and varying, in bodies with and without surfaces, with priorities, and around all.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};
use support::random_scene::{Geometry, Limits, RandomScene, Recipe, Similarity, TriangleMesh, generate};
use support::stats::Rng;

use super::photon::{ONE_PASS, ONE_PASS_LIMITS, check as check_photon};
use super::{PATH, Same, ask};

/// Light that a medium scatters into mirrors and glass is found by chance alone, as is that of lights in these.
fn recipe(seed: u64) -> Recipe {
    let specular = seed.is_multiple_of(2);
    Recipe {
        specular,
        delta_lights: !specular,
        media: true,
        ..Recipe::ANY
    }
}

fn scene(seed: u64) -> RandomScene {
    generate(seed, &recipe(seed))
}

fn check(name: &str, count: u64, change: impl Fn(&RandomScene, &mut Rng) -> RandomScene) {
    ask(name, count, |seed| {
        let scene = scene(seed);
        let other = change(&scene, &mut Rng::new(seed));
        Same {
            name,
            limits: Limits {
                mean: 0.01,
                block: 0.04,
            },
            ..Same::default()
        }
        .check(&scene, &other)
    });
}

#[test]
fn an_instance_with_a_medium_is_its_copy() {
    check("media_copy", 1, |scene, _| {
        scene.with_shapes(|_, shape| {
            let mut copy = shape.clone();
            if let Geometry::Mesh(mesh, format) = &shape.geometry {
                copy.geometry = Geometry::Mesh(Arc::new(mesh.placed(&shape.world)), *format);
                copy.world = DAffine3::IDENTITY;
            }
            vec![copy]
        })
    });
}

#[test]
fn a_body_with_a_medium_is_itself_cut_finer() {
    check("media_quartered", 1, |scene, _| {
        scene.with_meshes(None, TriangleMesh::quartered)
    });
}

/// Media vary about points of the world, so that a mirrored scene has mirrored ones.
#[test]
fn mirrored_media() {
    ask("media_mirrored", 1, |seed| {
        let recipe = Recipe {
            anywhere: false,
            ..recipe(seed)
        };
        let scene = generate(seed, &recipe);
        let mut rng = Rng::new(seed);
        let other = scene.moved(&Similarity {
            scale: 10f64.powf(rng.between(-2.0, 2.0)),
            rotation: DMat3::from_quat(rng.rotation()) * DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)),
            ..Similarity::IDENTITY
        });
        Same {
            name: "media_mirrored",
            ..Same::default()
        }
        .check(&scene, &other)
    });
}

#[test]
fn split_paths_in_media_agree_with_whole_ones() {
    let with =
        |set: &[&'static str]| -> Vec<&str> { PATH.iter().copied().chain(set.iter().copied()).collect() };
    let whole = with(&[
        "integrator.split=1",
        "integrator.light_samples=1",
        "integrator.rr_depth=100",
    ]);
    let split = with(&["integrator.split=4", "integrator.light_samples=2"]);
    ask("media_split", 1, |seed| {
        let scene = scene(seed);
        Same {
            name: "media_split",
            set: [&whole, &split],
            limits: Limits {
                mean: 0.01,
                block: 0.1,
            },
            clamped: false,
            ..Same::default()
        }
        .check(&scene, &scene)
    });
}

#[test]
fn photons_in_media_agree_with_paths() {
    check_photon("media_photon", 1, scene, &ONE_PASS, ONE_PASS_LIMITS, 16);
}
