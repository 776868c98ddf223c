//! Scenes of touching boxes: fog, glass, opaque materials and lights with common faces.

use glam::DMat3;
use support::random_scene::{Limits, RandomScene, Similarity};

use super::copies::{NEAR, check_changes, copied};
use super::photon::{ONE_PASS, ONE_PASS_LIMITS, check as check_photon};
use super::{Same, for_each_seed};
use support::stats::Rng;

fn check(name: &str, change: impl Fn(&RandomScene, &mut Rng) -> RandomScene) {
    check_changes(name, 2, RandomScene::of_contacts, NEAR, change);
}

#[test]
fn touching_boxes_match_their_meshes() {
    check("contacts_copied", |scene, _| copied(&scene.with_instanced_boxes()));
}

#[test]
fn touching_boxes_match_instances() {
    check("contacts_instanced", |scene, _| scene.with_instanced_boxes());
}

#[test]
fn touching_boxes_match_boxes_of_two_meshes() {
    check("contacts_split", |scene, _| scene.with_split_boxes());
}

#[test]
fn photons_match_paths_in_touching_boxes() {
    let scene = RandomScene::of_contacts;
    check_photon("contacts_photon", 2, scene, &ONE_PASS, ONE_PASS_LIMITS, 16);
}

/// In fog that contains the camera, with wax.
#[test]
fn boxes_in_fog_match_instances_and_boxes_of_two_meshes() {
    let scene = RandomScene::of_contacts_in_fog;
    check_changes("contacts_in_fog", 1, scene, NEAR, |scene, rng| {
        match rng.with_probability(0.5) {
            true => scene.with_instanced_boxes(),
            false => scene.with_split_boxes(),
        }
    });
}

/// Two boxes of wax with common faces, below fog (seed 3) and next to it (seed 8): paths entered the fog twice at the exit, or
/// missed one of the faces there.
#[test]
fn coincident_boxes_of_wax_match_instances_and_boxes_of_two_meshes() {
    let scene = |index: u64| RandomScene::of_contacts_in_fog([3, 8][index as usize % 2]);
    check_changes("contacts_wax_instanced", 2, scene, NEAR, |scene, _| {
        scene.with_instanced_boxes()
    });
    check_changes("contacts_wax_split", 2, scene, NEAR, |scene, _| scene.with_split_boxes());
}

#[test]
fn photons_match_paths_in_boxes_in_fog() {
    let scene = RandomScene::of_contacts_in_fog;
    check_photon("contacts_in_fog_photon", 1, scene, &ONE_PASS, ONE_PASS_LIMITS, 16);
}

/// Up to 10 km from the origin, where points are rounded to millimetres.
#[test]
fn touching_boxes_are_similarity_invariant() {
    for_each_seed("contacts_moved", 3, |seed| {
        let scene = match seed % 2 {
            0 => RandomScene::of_contacts(seed),
            _ => RandomScene::of_contacts_in_fog(seed),
        };
        let mut rng = Rng::new(seed);
        let scale = 10f64.powf(rng.between(-3.0, 3.0));
        let away = 10f64.powf(rng.between(0.0, 4.0));
        let moved = scene.moved(&match seed % 3 {
            0 => Similarity { scale, ..Similarity::IDENTITY },
            1 => Similarity {
                translation: rng.direction().as_dvec3() * away,
                ..Similarity::IDENTITY
            },
            _ => Similarity {
                scale,
                rotation: DMat3::from_quat(rng.rotation()),
                translation: rng.direction().as_dvec3() * (scale * away.min(1000.0)),
            },
        });
        Same {
            name: "contacts_moved",
            limits: Limits { mean: 0.01, block: 0.06 },
            ..Same::default()
        }
        .check(&scene, &moved)
    });
}
