//! Scenes with media: homogeneous and heterogeneous, in objects with and without surfaces, with priorities, and around
//! all.

use glam::{DMat3, DVec3};
use support::random_scene::{RandomScene, Recipe, Similarity, TriangleMesh, generate};
use support::stats::Rng;

use super::copies::{NEAR, check_changes, copied};
use super::paths::check_split;
use super::photon::{ONE_PASS, ONE_PASS_LIMITS, check as check_photon};
use super::{Same, for_each_seed};

/// Only random paths find light that a medium scatters into mirrors and glass, and light of lights in these.
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

#[test]
fn instances_with_media_match_copies() {
    check_changes("media_copy", 1, scene, NEAR, |scene, _| copied(scene));
}

#[test]
fn objects_with_media_match_subdivided_ones() {
    check_changes("media_quartered", 1, scene, NEAR, |scene, _| {
        scene.with_meshes(None, TriangleMesh::quartered)
    });
}

/// Media vary about points in world space, so that a mirrored scene has mirrored media.
#[test]
fn pictures_of_media_are_mirror_invariant() {
    for_each_seed("media_mirrored", 1, |seed| {
        let recipe = Recipe { anywhere: false, ..recipe(seed) };
        let scene = generate(seed, &recipe);
        let mut rng = Rng::new(seed);
        let other = scene.moved(&Similarity {
            scale: 10f64.powf(rng.between(-2.0, 2.0)),
            rotation: DMat3::from_quat(rng.rotation()) * DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)),
            ..Similarity::IDENTITY
        });
        Same { name: "media_mirrored", ..Same::default() }.check(&scene, &other)
    });
}

#[test]
fn split_paths_in_media_match_unsplit_paths() {
    let split = ["integrator.split=4", "integrator.light_samples=2"];
    check_split("media_split", 1, scene, &split);
}

#[test]
fn photons_in_media_match_paths() {
    check_photon("media_photon", 1, scene, &ONE_PASS, ONE_PASS_LIMITS, 16);
}
