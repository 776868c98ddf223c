//! Rigid motion, mirroring and scaling of whole scenes.

use glam::{DMat3, DVec3};
use support::random_scene::{Recipe, Similarity, generate};
use support::stats::Rng;

use super::{Same, for_each_seed};

/// Compares a scene about the origin, in its original size, with its transformed copy.
fn check(name: &str, count: u64, change: impl Fn(&mut Rng) -> Similarity) {
    for_each_seed(name, count, |seed| {
        let recipe = Recipe { anywhere: false, ..Recipe::ANY };
        let scene = generate(seed, &recipe);
        let other = scene.moved(&change(&mut Rng::new(seed)));
        Same { name, ..Same::default() }.check(&scene, &other)
    });
}

#[test]
fn pictures_are_translation_invariant() {
    check("moved", 6, |rng| Similarity {
        translation: rng.direction().as_dvec3() * 10f64.powf(rng.between(0.0, 4.0)),
        ..Similarity::IDENTITY
    });
}

#[test]
fn pictures_are_rotation_invariant() {
    check("turned", 6, |rng| Similarity {
        rotation: DMat3::from_quat(rng.rotation()),
        ..Similarity::IDENTITY
    });
}

#[test]
fn pictures_are_invariant_under_right_angle_rotations() {
    check("turned_by_right_angles", 4, |rng| {
        let quarter = |axis: DVec3, rng: &mut Rng| {
            DMat3::from_axis_angle(axis, std::f64::consts::FRAC_PI_2 * rng.below(4) as f64)
        };
        let turn = quarter(DVec3::X, rng) * quarter(DVec3::Y, rng) * quarter(DVec3::Z, rng);
        // Without the rounding of sines, so that planes remain exact.
        let exact = DMat3::from_cols(turn.x_axis.round(), turn.y_axis.round(), turn.z_axis.round());
        Similarity { rotation: exact, ..Similarity::IDENTITY }
    });
}

#[test]
fn pictures_are_mirror_invariant() {
    check("mirrored", 6, |rng| Similarity {
        rotation: DMat3::from_quat(rng.rotation()) * DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)),
        ..Similarity::IDENTITY
    });
}

#[test]
fn pictures_are_scale_invariant() {
    check("scaled", 6, |rng| Similarity {
        scale: 10f64.powf(rng.between(-3.3, 3.3)),
        ..Similarity::IDENTITY
    });
}

#[test]
fn pictures_are_similarity_invariant() {
    check("far_away", 6, |rng| {
        let scale = 10f64.powf(rng.between(-3.3, 3.3));
        Similarity {
            scale,
            rotation: DMat3::from_quat(rng.rotation()),
            translation: rng.direction().as_dvec3() * scale * 10f64.powf(rng.between(0.0, 4.0)),
        }
    });
}
