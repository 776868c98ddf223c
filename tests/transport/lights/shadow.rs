//! Shadow rays end at the light and nowhere before.

use super::*;

/// A light of a random shape, and a cover in front of it: the same shape, slightly larger and nearer.
#[test]
fn shadow_rays_end_at_the_light() {
    let mut rng = Rng::new(11);
    let mut tried = 0;
    let kinds = geometries();
    for index in 0..300 {
        // A sphere, a disk or a rectangle.
        let (kind, geometry) = kinds[[0, 1, 3][index % 3]].clone();
        let size = 10f32.powf(4.0 * rng.next_1d() - 2.0);
        let distance = size * 10f32.powf(3.0 * rng.next_1d() + 0.5);
        let away = distance * 10f32.powf(2.0 * rng.next_1d() - 1.0);
        let turn =
            Quat::from_euler(EulerRot::XYZ, 6.0 * rng.next_1d(), 6.0 * rng.next_1d(), 6.0 * rng.next_1d());
        let place = rng.direction() * away;
        let lamp = Affine3A::from_scale_rotation_translation(Vec3::splat(size), turn, place);
        let front = turn * Vec3::Z;
        let p = place + (front * 2.0 + rng.direction()).normalize() * distance;
        // Fifty times the rounding error of these coordinates.
        let gap = 1e-4 * (away + distance);
        let cover = match geometry {
            Geometry::Sphere => lamp * Affine3A::from_scale(Vec3::splat(1.0 + gap / size)),
            _ => {
                Affine3A::from_translation(front * gap)
                    * lamp
                    * Affine3A::from_scale(Vec3::splat(1.5 + 3.0 * gap / size))
            }
        };
        for covered in [false, true] {
            let mut scene = SceneBuilder::new();
            let glow = scene.material(EVEN);
            let black = scene.material("Ci = 0;");
            scene.shape(geometry.clone(), lamp, glow);
            if covered {
                scene.shape(geometry.clone(), cover, black);
            }
            let scene = scene.build();
            let mut context = Context::new(&scene);
            for _ in 0..100 {
                let Some(sample) = sample_lights(&scene, p, &mut rng) else {
                    continue;
                };
                let seen = !scene
                    .transmittance(
                        &sample.shadow_ray(&RayEnd::in_space(p)),
                        1,
                        || InteriorList::NONE,
                        0,
                        &mut context.shading,
                    )
                    .is_black();
                tried += 1;
                assert!(
                    !(covered && seen),
                    "{kind} of {size} m, {away} m from the origin, looked at from {distance} m: seen through its cover"
                );
                assert!(
                    covered || seen,
                    "{kind} of {size} m, {away} m from the origin, looked at from {distance} m: in its own shadow"
                );
            }
        }
    }
    assert!(tried > 20_000, "{tried}");
}
