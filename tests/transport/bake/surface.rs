//! Geometric features: ambient occlusion and curvature with known values, and transfer from a bumpy ball to a smooth
//! one.

use std::f32::consts::TAU;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use glam::{Affine3A, Vec3};
use renderer::bake::{
    CageSettings, Coverage, Feature, FeatureDesc, FeatureRays, LowShapes, Scale, Silent, SurfaceMaps,
    SurfaceSettings, bake_surface,
};
use renderer::geometry::{Geometry, Mesh, Shape};
use renderer::scene::Scene;
use support::scenes::{SceneBuilder, globe, mesh};

use super::GREY;

fn bake_features(scene: &Scene, low: LowShapes<'_>, side: u32, features: Vec<Feature>) -> SurfaceMaps {
    let shapes = match low {
        LowShapes::Own => scene.shapes().len(),
        LowShapes::Others { shapes, .. } => shapes.len(),
    };
    let names: Vec<String> = (0..shapes).map(|shape| format!("shape {shape}")).collect();
    let described = |(index, feature): (usize, Feature)| FeatureDesc { name: index.to_string(), feature };
    let settings = SurfaceSettings {
        scale: Scale::Resolution(side),
        margin: None,
        unwrap: true,
        features: features.into_iter().enumerate().map(described).collect(),
        seed: 3,
        threads: 2,
    };
    let baked = bake_surface(scene, low, &names, &settings, &Silent, &AtomicBool::new(false));
    baked
        .unwrap_or_else(|error| panic!("{error}"))
        .expect("the render is not interrupted")
        .maps
}

/// The values of all features, for each texel with points of its own.
fn values(maps: &SurfaceMaps) -> Vec<Vec<Vec3>> {
    let own = (0..maps.coverage.len()).filter(|&at| maps.coverage[at] == Coverage::Covered);
    let at = |at: usize| {
        let values = maps.features.iter().map(|map| map.values[at]);
        values.map(|value| Vec3::from(value.to_array())).collect()
    };
    own.map(at).collect()
}

fn occlusion(samples: u32, reach: f32) -> Feature {
    Feature::Occlusion(FeatureRays { samples, reach })
}

fn curvature(samples: u32, reach: f32) -> Feature {
    Feature::Curvature(FeatureRays { samples, reach })
}

/// A scene of one grey shape.
fn alone(geometry: Geometry, place: Affine3A, turned: bool) -> Scene {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    builder.shape(geometry, place, grey).flip_normals = turned;
    builder.build()
}

#[test]
fn planes_and_balls_are_not_occluded() {
    for geometry in [mesh(Mesh::rectangle()), mesh(globe(24, 48)), Geometry::Sphere] {
        let scene = alone(geometry, Affine3A::IDENTITY, false);
        let maps = bake_features(&scene, LowShapes::Own, 32, vec![occlusion(16, 100.0)]);
        let values = values(&maps);
        assert!(values.len() > 100, "{} texels", values.len());
        for value in values {
            assert_eq!(value[0], Vec3::ONE);
        }
    }
}

/// A floor at the distance d from a long wall of height h sees (1 + d/√(d² + h²))/2 of the sky, cosine-weighted, and
/// all of it by rays shorter than d.
#[test]
fn occlusion_at_a_wall_matches_its_form_factor() {
    const HEIGHT: f32 = 2.0;
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    let flat = Affine3A::from_rotation_x(-TAU / 4.0) * Affine3A::from_translation(Vec3::new(1.0, 0.0, 0.0));
    builder.shape(mesh(Mesh::rectangle()), flat, grey);
    let tall = Affine3A::from_translation(Vec3::new(0.0, 0.5 * HEIGHT, 0.0))
        * Affine3A::from_rotation_y(TAU / 4.0)
        * Affine3A::from_scale(Vec3::new(200.0, 0.5 * HEIGHT, 1.0));
    let wall = Shape::new(mesh(Mesh::rectangle()), tall);
    builder.shape(wall.geometry.clone(), tall, grey);
    let scene = builder.build();
    let floor = [scene.shapes()[0].clone()];
    let low = LowShapes::Others { shapes: &floor, cage: CageSettings::Distance(Some(0.001)) };
    let asked = vec![Feature::Position, occlusion(1024, 100.0), occlusion(256, 0.2)];
    let values = values(&bake_features(&scene, low, 32, asked));
    assert!(values.len() > 900, "{} texels", values.len());
    let (mut worst, mut bias) = (0.0f32, 0.0);
    for value in &values {
        let d = value[0].x;
        let expected = 0.5 * (1.0 + d / d.hypot(HEIGHT));
        let difference = value[1].x - expected;
        bias += difference / values.len() as f32;
        worst = worst.max(difference.abs());
        if d > 0.25 {
            assert_eq!(value[2], Vec3::ONE, "nothing within reach at {d} m");
        } else if d < 0.15 {
            assert!(value[2].x < 1.0, "the wall is within reach at {d} m");
        }
    }
    // Five standard deviations of 1024 independent rays; stratified rays have less noise.
    assert!(worst < 5.0 * 0.5 / 32.0, "{worst}");
    assert!(bias.abs() < 0.002, "{bias}");
}

#[test]
fn curvature_of_a_ball_is_its_inverse_radius() {
    for (radius, turned) in [(0.5f32, false), (2.0, false), (0.5, true)] {
        let scene = alone(Geometry::Sphere, Affine3A::from_scale(Vec3::splat(radius)), turned);
        let asked = vec![curvature(512, 0.4 * radius)];
        let values = values(&bake_features(&scene, LowShapes::Own, 32, asked));
        let sign = if turned { -1.0 } else { 1.0 };
        let (mut mean, count) = (0.0, values.len() as f32);
        for value in &values {
            let relative = value[0].x * radius * sign;
            mean += relative / count;
            assert!((relative - 1.0).abs() < 0.15, "{relative} at radius {radius}");
        }
        assert!((mean - 1.0).abs() < 0.01, "{mean} at radius {radius}");
    }
}

#[test]
fn curvature_of_planes_and_edges() {
    let scene = alone(mesh(Mesh::rectangle()), Affine3A::IDENTITY, false);
    // Near its border, the ball of rays is cut: the curvature of the plane is zero regardless of the share there.
    for value in values(&bake_features(&scene, LowShapes::Own, 32, vec![curvature(16, 0.1)])) {
        assert_eq!(value[0].x, 0.0);
    }
    let reach = 0.5;
    let scene = alone(mesh(Mesh::cube()), Affine3A::IDENTITY, false);
    let asked = vec![Feature::Position, curvature(256, reach)];
    let mut near = (0.0, 0.0);
    for value in values(&bake_features(&scene, LowShapes::Own, 256, asked)) {
        let mut sorted = value[0].abs().to_array();
        sorted.sort_by(f32::total_cmp);
        let [_, b, _] = sorted;
        let in_corner = sorted[0] > 1.0 - reach;
        if b < 0.95 - reach {
            assert!(value[1].x.abs() < 1e-6, "flat at {}", value[0]);
        } else if b > 0.98 && !in_corner {
            near = (near.0 + value[1].x, near.1 + 1.0);
        }
    }
    // The value at the edge itself; the nearest texels are at about 1/100.
    let edge = 4.0 / (3.0 * reach);
    let mean = near.0 / near.1;
    assert!(near.1 > 100.0 && mean < edge && mean > 0.9 * edge, "{mean} for {edge}");
}

/// Radius of the bumpy ball in a direction, and its gradient.
fn bump(d: Vec3) -> (f32, Vec3) {
    const HEIGHT: f32 = 0.03;
    let (sx, cx) = (7.0 * d.x).sin_cos();
    let (sy, cy) = (7.0 * d.y + 1.0).sin_cos();
    let (sz, cz) = (5.0 * d.z).sin_cos();
    let gradient = Vec3::new(7.0 * cx * sy * sz, 7.0 * sx * cy * sz, 5.0 * sx * sy * cz);
    (1.0 + HEIGHT * sx * sy * sz, HEIGHT * gradient)
}

/// Normal of the bumpy ball in a direction.
fn bumpy_normal(d: Vec3) -> Vec3 {
    let (radius, gradient) = bump(d);
    (d * radius - (gradient - d * gradient.dot(d))).normalize()
}

/// A bumpy ball, with exact normals at its vertices.
fn bumpy() -> Mesh {
    let mut ball = globe(192, 384);
    for (p, n) in ball.positions.iter_mut().zip(&mut ball.normals) {
        let d = p.normalize();
        *p = d * bump(d).0;
        *n = bumpy_normal(d);
    }
    ball.uvs.clear();
    ball
}

/// A copy of a ball with a larger radius.
fn inflated(ball: &Mesh, factor: f32) -> Mesh {
    let mut ball = ball.clone();
    ball.positions.iter_mut().for_each(|p| *p *= factor);
    ball
}

#[test]
fn normals_and_heights_transfer_to_a_smooth_ball() {
    let place = Affine3A::from_translation(Vec3::new(3.0, 0.0, 0.0)) * Affine3A::from_rotation_z(0.7);
    let scene = alone(mesh(bumpy()), place, false);
    let smooth = globe(32, 64);
    let low = [Shape::new(mesh(smooth.clone()), place)];
    let cage = [Shape::new(mesh(inflated(&smooth, 1.08)), place)];
    let names = ["cage".to_owned()];
    for cage in [CageSettings::Distance(Some(0.08)), CageSettings::Meshes(&cage, &names)] {
        let low = LowShapes::Others { shapes: &low, cage };
        let asked = vec![Feature::Position, Feature::Normal, Feature::TangentNormal, Feature::Height];
        let maps = bake_features(&scene, low, 256, asked);
        assert!(maps.in_place, "its own coordinates are an atlas");
        assert_eq!((maps.missed, maps.backs), (0, 0));
        let values = values(&maps);
        assert!(values.len() > 250 * 250, "{} texels", values.len());
        let (mut sum, mut count) = (0.0, 0.0);
        for value in values {
            let [p, n, tangent, height] = value[..] else { panic!("four features") };
            let p = place.inverse().transform_point3(p);
            let n = place.inverse().transform_vector3(n);
            let d = p.normalize();
            // A texel is a mean of points, which is short if u changes direction within it.
            if d.truncate().length() < 0.1 {
                continue;
            }
            let expected = bumpy_normal(d);
            assert!(n.distance(expected) < 0.03, "normal {n} for {expected}");
            let t = Vec3::new(-d.y, d.x, 0.0).normalize();
            let local = Vec3::new(expected.dot(t), expected.dot(d.cross(t)), expected.dot(d));
            let error = tangent.distance(local);
            assert!(error < 0.04, "tangent normal {tangent} for {local}");
            sum += error;
            count += 1.0;
            // The facets of the smooth ball are up to 0.5 % inside of it.
            let expected = bump(d).0 - 1.0;
            assert!(
                height.x > expected - 1e-3 && height.x < expected + 7e-3,
                "height {height} for {expected}"
            );
        }
        assert!(sum / count < 0.005, "mean error of tangent normals {}", sum / count);
    }
}

#[test]
fn small_cages_and_missing_rays_are_reported() {
    let scene = alone(mesh(bumpy()), Affine3A::IDENTITY, false);
    let low = [Shape::new(mesh(globe(32, 64)), Affine3A::IDENTITY)];
    let bake_with = |cage: CageSettings<'_>| {
        let low = LowShapes::Others { shapes: &low, cage };
        bake_features(&scene, low, 64, vec![Feature::Height])
    };
    // Bumps are 0.03 high. A cage distance of 0.01 is inside of some, which rays then hit from behind or miss.
    let near = bake_with(CageSettings::Distance(Some(0.01)));
    assert!(near.missed > 100 && near.missed < 64 * 64, "{}", near.missed);
    let far = bake_with(CageSettings::Distance(Some(0.05)));
    assert_eq!(far.missed, 0);
    let bad = |cage: Mesh| {
        let cage = [Shape::new(Geometry::Mesh(Arc::new(cage)), Affine3A::IDENTITY)];
        let names = ["cage".to_owned()];
        let low = LowShapes::Others { shapes: &low, cage: CageSettings::Meshes(&cage, &names) };
        let settings = SurfaceSettings {
            scale: Scale::Resolution(32),
            margin: None,
            unwrap: true,
            features: vec![],
            seed: 0,
            threads: 1,
        };
        let baked =
            bake_surface(&scene, low, &["low".to_owned()], &settings, &Silent, &AtomicBool::new(false));
        baked.expect_err("it is no cage").to_string()
    };
    let error = bad(globe(16, 32));
    assert!(error.contains("`cage` is no cage of `low`"), "{error}");
    let mut shuffled = globe(32, 64);
    shuffled.triangles.swap(10, 900);
    let error = bad(shuffled);
    assert!(error.contains("another order"), "{error}");
}
