//! Emissive curves and points: light samples against rays, and light against that of equal shapes.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{Vec3, Vec4};
use renderer::geometry::{CurveBasis, CurveSet, CurveStyle, Curves, Geometry, PointStyle, Points};
use renderer::integrator::Context;
use support::scenes::load_text;
use support::stats::Rng;

use super::power::{TARGET, emitted};
use super::{Case, EVEN, EVEN_VEIL, case, check_samples, placed};
use crate::motion::{assert_equal, blocks, repeated};

/// Emission that depends on both surface parameters.
const STRIPES: &str = "Ci = (1.5 + u * v) * emission();";

/// Control points with radii of a strand with bends and a varying radius.
const VERTICES: [Vec4; 7] = [
    Vec4::new(-0.9, 0.0, 0.1, 0.1),
    Vec4::new(-0.5, 0.7, 0.0, 0.25),
    Vec4::new(0.1, 0.6, -0.2, 0.3),
    Vec4::new(0.4, -0.4, 0.3, 0.2),
    Vec4::new(0.9, 0.1, 0.4, 0.1),
    Vec4::new(0.9, 0.7, 0.4, 0.05),
    Vec4::new(0.3, 0.9, 0.7, 0.1),
];

/// Centres and radii of points, two of which intersect.
const SPHERES: [Vec4; 3] = [
    Vec4::new(-0.5, 0.3, 0.0, 0.4),
    Vec4::new(0.4, 0.1, 0.3, 0.2),
    Vec4::new(0.6, 0.4, 0.4, 0.3),
];

fn round(basis: CurveBasis, vertices: Vec<Vec4>) -> Geometry {
    let strands = vec![vertices.len() as u32];
    let set = CurveSet {
        basis,
        style: CurveStyle::Round,
        strands,
        vertices,
        normals: vec![],
        attributes: vec![],
    };
    Geometry::Curves(Arc::new(Curves::new(set).expect("the curve is valid")))
}

/// A ribbon across normals that turn.
fn flat(basis: CurveBasis) -> Geometry {
    let normal = |index: usize| Vec3::new(0.3 * index as f32, 0.4, 1.0);
    let set = CurveSet {
        basis,
        style: CurveStyle::Flat,
        strands: vec![VERTICES.len() as u32],
        vertices: VERTICES.to_vec(),
        normals: (0..VERTICES.len()).map(normal).collect(),
        attributes: vec![],
    };
    Geometry::Curves(Arc::new(Curves::new(set).expect("the ribbon is valid")))
}

fn points(style: PointStyle) -> Geometry {
    let normals = match style {
        PointStyle::OrientedDisc => vec![Vec3::new(0.2, 0.3, 1.0), Vec3::X, Vec3::new(-1.0, 0.5, 0.0)],
        PointStyle::Sphere | PointStyle::Disc => vec![],
    };
    let points = Points::new(style, SPHERES.to_vec(), normals, vec![]);
    Geometry::Points(Arc::new(points.expect("the points are valid")))
}

/// Points inside, given in object space, and outside. (Near the surface, a few samples carry most of the light.)
fn viewpoints(case: &Case, inside: Vec3) -> [(&'static str, Vec3); 3] {
    let center = case.scene.bounds().center();
    let placement = case.scene.shapes()[0].placement();
    [
        ("inside", placement.open().point(inside)),
        ("the side", center + Vec3::new(1.2, -2.1, 0.8)),
        ("far away", center + Vec3::new(-40.0, 110.0, 70.0)),
    ]
}

#[test]
fn samples_of_strands_match_rays_in_density_and_radiance() {
    const SAMPLES: u64 = 500;
    let geometries = [
        ("line", round(CurveBasis::Linear, VERTICES.to_vec()), VERTICES[2].truncate()),
        (
            "Bézier curve",
            round(CurveBasis::Bezier, VERTICES.to_vec()),
            VERTICES[3].truncate(),
        ),
        (
            "spline",
            round(CurveBasis::CatmullRom, VERTICES.to_vec()),
            VERTICES[2].truncate(),
        ),
        ("flat ribbon", flat(CurveBasis::BSpline), VERTICES[0].truncate()),
        ("spheres", points(PointStyle::Sphere), SPHERES[0].truncate()),
        ("facing discs", points(PointStyle::Disc), SPHERES[0].truncate()),
        ("discs", points(PointStyle::OrientedDisc), VERTICES[0].truncate()),
    ];
    let transforms = [("even", placed(Vec3::splat(0.7))), ("stretched", placed(Vec3::new(0.9, -0.6, 1.3)))];
    for (kind, geometry, inside) in geometries {
        for (place, transform) in transforms {
            for body in [EVEN, STRIPES, EVEN_VEIL] {
                for (both, flip) in [(false, false), (true, true)] {
                    let case = case(&format!("{place} {kind}"), &geometry, transform, body, both, flip);
                    let mut rng = Rng::new(7);
                    // Samples inside of opaque tubes may be on hidden parts.
                    let hidden = usize::from(!flip && body != EVEN_VEIL);
                    for viewpoint in viewpoints(&case, inside).into_iter().skip(hidden) {
                        check_samples(&case, viewpoint, SAMPLES, &mut rng);
                    }
                }
            }
        }
    }
}

/// The photons carry the power of the whole surface, ends included.
#[test]
fn photons_of_strands_have_the_power_of_their_area() {
    let rod = vec![
        Vec4::new(-1.0, 0.0, 0.0, 0.2),
        Vec4::new(0.2, 0.0, 0.0, 0.2),
        Vec4::new(1.0, 0.0, 0.0, 0.2),
    ];
    let squares: f64 = SPHERES.iter().map(|sphere| f64::from(sphere.w * sphere.w)).sum();
    for (kind, geometry, area) in [
        ("rod", round(CurveBasis::Linear, rod), PI * (0.4 * 2.0 + 0.16)),
        ("spheres", points(PointStyle::Sphere), 4.0 * PI * squares),
        ("facing discs", points(PointStyle::Disc), 4.0 * PI * squares),
        ("discs", points(PointStyle::OrientedDisc), PI * squares),
    ] {
        for (both, flip) in [(false, false), (true, true)] {
            let case = case(kind, &geometry, placed(Vec3::splat(0.7)), EVEN, both, flip);
            let sides = if both && kind != "facing discs" { 2.0 } else { 1.0 };
            let exact = 3.0 * PI * sides * 0.49 * area;
            let mut context = Context::new(&case.scene);
            let light = &case.scene.lights()[0];
            let photons = emitted(light, TARGET, 20_000, &mut context);
            let allowed = 5.0 * photons.variance_of_mean().sqrt() + 1e-4 * exact;
            assert!(
                (photons.mean() - exact).abs() < allowed,
                "{}: {}, not {exact}",
                case.name,
                photons.mean()
            );
            let power = f64::from(light.power(1.0));
            assert!((power / exact - 1.0).abs() < 1e-3, "{}: {power}, not {exact}", case.name);
        }
    }
}

/// A floor and a wall in front of a screen, which light from behind the screen reaches after a reflection.
const STAGE: &str = "
    camera main : perspective { from = (0, 1.5, 5); to = (0, 0.6, 0); fov = 45; }
    film { size = (24, 16); filter = box; }
    material glow = emitter(radiance = (6, 3, 2));
    shape floor : plane { size = 6; material = matte(albedo = 0.7); }
    shape wall : rectangle { size = 6; material = matte(albedo = 0.5); transform = translate(0, 0, -2); }
    shape screen : rectangle { size = (1, 3); material = matte(albedo = 0.3);
        transform = translate(-1.2, 0, 0.6) * rotate((0, 1, 0), 60); }
";

/// A bent tube, spheres, discs and a ribbon.
const STRANDS: &str = "
    shape tube : curves { points = (-1.8, 1.2, 0, -1.8, 0.4, 0, -1.3, 0.4, 0); radius = 0.1; material = glow; }
    shape cone : curves { points = (1.5, 1.2, 0, 1.5, 0.4, 0); radius = (0.05, 0.2); material = glow; }
    shape balls : points { points = (0, 0.2, 1, 0.5, 0.3, 0.2); radius = (0.1, 0.2); material = glow; }
    shape facing : points { points = (0.2, 1.2, -0.6); style = disc; radius = 0.25; material = glow; }
    shape disc : points { points = (-0.4, 1.4, 0); style = oriented_disc; normals = (0, -1, 0); radius = 0.3;
        material = glow; }
    shape ribbon : curves { points = (0.6, 1.5, 0, 1.2, 1.5, 0); style = flat; radius = 0.2;
        normals = (0, -1, 0, 0, -1, 0); material = glow; }
";

/// Equal surfaces; the disc that faces rays looks like a sphere. The cone touches its spheres where their normals are
/// those of its wall.
const SOLIDS: &str = "
    shape tube1 : cylinder { radius = 0.1; height = 0.8; material = glow;
        transform = translate(-1.8, 0.4, 0) * rotate((1, 0, 0), -90); }
    shape tube2 : cylinder { radius = 0.1; height = 0.5; material = glow;
        transform = translate(-1.8, 0.4, 0) * rotate((0, 1, 0), 90); }
    shape end1 : sphere { center = (-1.8, 1.2, 0); radius = 0.1; material = glow; }
    shape end2 : sphere { center = (-1.8, 0.4, 0); radius = 0.1; material = glow; }
    shape end3 : sphere { center = (-1.3, 0.4, 0); radius = 0.1; material = glow; }
    shape wall_of_cone : cone { radius = 0.1964466; top_radius = 0.0491116; height = 0.771875; material = glow;
        transform = translate(1.5, 0.4375, 0) * rotate((1, 0, 0), -90); }
    shape end4 : sphere { center = (1.5, 1.2, 0); radius = 0.05; material = glow; }
    shape end5 : sphere { center = (1.5, 0.4, 0); radius = 0.2; material = glow; }
    shape ball1 : sphere { center = (0, 0.2, 1); radius = 0.1; material = glow; }
    shape ball2 : sphere { center = (0.5, 0.3, 0.2); radius = 0.2; material = glow; }
    shape facing : sphere { center = (0.2, 1.2, -0.6); radius = 0.25; material = glow; }
    shape disc : disk { radius = 0.3; material = glow; transform = translate(-0.4, 1.4, 0) * rotate((1, 0, 0), 90); }
    shape ribbon : rectangle { size = (0.6, 0.4); material = glow;
        transform = translate(0.9, 1.5, 0) * rotate((1, 0, 0), 90); }
";

#[test]
fn strands_light_a_room_like_equal_solids() {
    let picture = |shapes: &str, integrator: &str, spp: u64| {
        let integrator = format!("integrator : {integrator} hide_emitters = true; }}");
        let desc = load_text(&format!("{STAGE} {shapes} {integrator}"), &[]);
        repeated(|seed| blocks(&desc, None, seed, spp))
    };
    let expected = picture(SOLIDS, "path {", 32);
    assert_equal("path", &picture(STRANDS, "path {", 32), &expected, 0.0);
    let photon = "photon { photons = 30000; caustic_photons = 30000;";
    assert_equal("photon", &picture(STRANDS, photon, 6), &expected, 0.01);
}
