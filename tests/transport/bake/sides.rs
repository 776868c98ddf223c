//! Baked fronts and backs of surfaces.

use std::f32::consts::PI;
use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3};
use renderer::bake::sh::{ShOrder, irradiance};
use renderer::bake::{Include, Product, Side, Sides, Target};
use renderer::color::Rgb;
use renderer::geometry::{Geometry, Mesh};
use renderer::light::{DirectionalLight, EnvironmentLight, Light};
use renderer::material::Sides as MaterialSides;
use renderer::scene::Scene;
use support::scenes::{SceneBuilder, mesh};

use super::path_traced::surface_points;
use super::{GREY, globe, lightmap, relative, run, settings, texels, texture};

/// A distant light with this irradiance on a surface that faces it.
fn sun(direction: Vec3, irradiance: Rgb) -> Light {
    Light::Directional(DirectionalLight::new(direction, irradiance, 0.0))
}

/// A rectangle across z between a bright and a dim half-space.
fn sheet(place: Affine3A, flip_normals: bool, mesh: Mesh, sides: MaterialSides) -> Scene {
    let mut builder = SceneBuilder::new();
    let grey = builder.material_with(GREY, sides);
    builder.shape(Geometry::Mesh(Arc::new(mesh)), place, grey).flip_normals = flip_normals;
    builder.light(sun(Vec3::NEG_Z, Rgb::splat(4.0)));
    builder.light(sun(Vec3::Z, Rgb::splat(0.25)));
    builder.build()
}

/// A translucent sheet shows light from behind: the irradiance of each side includes that of the other, times
/// transmittance over reflectance.
#[test]
fn translucent_sheets_show_light_from_behind() {
    let mut builder = SceneBuilder::new();
    let paper = builder.material("Ci = color(0.5, 0.25, 0.5) * diffuse(N) + 0.25 * translucent(N);");
    builder.shape(mesh(Mesh::rectangle()), Affine3A::IDENTITY, paper);
    builder.light(sun(Vec3::NEG_Z, Rgb::splat(4.0)));
    builder.light(sun(Vec3::Z, Rgb::splat(0.25)));
    let scene = builder.build();
    let expected = |n: Vec3| {
        let [here, behind] = if n.z > 0.0 { [4.0, 0.25] } else { [0.25, 4.0] };
        Rgb::splat(here) + Rgb::new(0.5, 1.0, 0.5) * behind
    };
    let near = |e: Rgb, n: Vec3| {
        let off = e - expected(n);
        off.to_array().iter().all(|v| v.abs() < 0.1 * expected(n).g)
    };
    let baked = run(&scene, &settings(texture(32), Include::Both, ShOrder::Two, 256));
    let map = lightmap(&baked);
    assert_eq!(map.objects.len(), 2);
    for (x, y, _, n) in texels(map) {
        let (e, rebuilt) = (map.irradiance(x, y), irradiance(map.coefficients(x, y), n));
        assert!(near(e, n) && near(rebuilt, n), "{e:?}, {rebuilt:?} about {n}");
    }
    let baked = run(&scene, &settings(Target::Vertex, Include::Both, ShOrder::Two, 256));
    let Product::Vertex(light) = &baked.product else {
        panic!("vertices were baked")
    };
    for (object, n) in light.objects.iter().zip([Vec3::Z, Vec3::NEG_Z]) {
        let e = light.irradiance(object.first);
        assert!(near(e, n), "{e:?} about {n}");
    }
}

#[test]
fn sides_of_a_sheet_have_separate_light() {
    let mirrored = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    let with_coordinates = Mesh {
        uvs2: vec![Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y],
        ..Mesh::rectangle()
    };
    let cases = [
        (Affine3A::IDENTITY, false, Mesh::rectangle()),
        (Affine3A::from_rotation_y(PI), true, Mesh::rectangle()),
        (mirrored, false, with_coordinates),
    ];
    let expected = |n: Vec3| if n.z > 0.0 { 4.0 } else { 0.25 };
    for (place, flip, mesh) in cases {
        let own = !mesh.uvs2.is_empty();
        let scene = sheet(place, flip, mesh, MaterialSides::default());
        let baked = run(&scene, &settings(texture(48), Include::Both, ShOrder::Two, 512));
        let map = lightmap(&baked);
        let [front, back] = map.objects.as_slice() else { panic!("{:?}", map.objects) };
        assert_eq!((front.side, back.side), (Side::Front, Side::Back));
        assert_eq!((front.name.as_str(), back.name.as_str()), ("shape 0", "shape 0.back"));
        assert!(front.own_coordinates == own && back.own_coordinates == own);
        for (object, baked) in [front, back].into_iter().enumerate() {
            let of = texels(map).into_iter().filter(|&(x, y, ..)| baked.rect.contains(x, y));
            let of: Vec<_> = of.collect();
            assert!(of.len() > 100 && of.iter().all(|t| t.3.dot(of[0].3) > 0.999), "{}", of.len());
            for (x, y, _, n) in of {
                let e = map.irradiance(x, y);
                assert!(relative(e, expected(n)) < 0.1, "{object} at ({x}, {y}): {e:?} about {n}");
            }
        }
        for (p, n, uv) in surface_points(&scene, map, 1000) {
            let e = map.lookup(uv).1;
            assert!(relative(e, expected(n)) < 0.1, "{p}: {e:?} about {n}");
        }

        let baked = run(&scene, &settings(Target::Vertex, Include::Both, ShOrder::Two, 512));
        let Product::Vertex(light) = &baked.product else {
            panic!("vertices were baked")
        };
        let [front, back] = light.objects.as_slice() else {
            panic!("{} objects", light.objects.len())
        };
        assert_eq!((front.side, back.side), (Side::Front, Side::Back));
        for (object, expected) in [(front, 4.0), (back, 0.25)] {
            for vertex in 0..object.mesh.positions.len() {
                let e = light.irradiance(object.first + vertex);
                assert!(relative(e, expected) < 0.1, "{}: {e:?}", object.name);
            }
        }
    }
}

#[test]
fn both_sides_of_a_sheet_in_a_white_furnace() {
    let mut builder = SceneBuilder::new();
    let grey = builder.material(GREY);
    builder.shape(mesh(Mesh::rectangle()), Affine3A::from_rotation_y(0.3), grey);
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let scene = builder.build();
    let baked = run(&scene, &settings(texture(64), Include::Both, ShOrder::One, 256));
    let map = lightmap(&baked);
    assert_eq!(map.objects.len(), 2);
    for (x, y, _, n) in texels(map) {
        let rebuilt = irradiance(map.coefficients(x, y), n);
        let worst = relative(map.irradiance(x, y), PI).max(relative(rebuilt, PI));
        assert!(worst < 0.005, "({x}, {y}) about {n}: {rebuilt:?}");
    }
}

/// Number of baked backs.
fn backs(scene: &Scene, include: Include, sides: Sides) -> usize {
    let mut settings = settings(Target::Vertex, include, ShOrder::One, 1);
    settings.sides = sides;
    let baked = run(scene, &settings);
    let Product::Vertex(light) = &baked.product else {
        panic!("vertices were baked")
    };
    let is_back = |object: &&renderer::bake::BakedVertices| object.side == Side::Back;
    light.objects.iter().filter(is_back).count()
}

#[test]
fn hidden_backs_have_no_texels() {
    let sheet = |sides| sheet(Affine3A::IDENTITY, false, Mesh::rectangle(), sides);
    let one_sided = MaterialSides { one_sided: true, ..MaterialSides::default() };
    let culled = MaterialSides { culled: true, ..MaterialSides::default() };
    let plain = sheet(MaterialSides::default());
    assert_eq!(backs(&plain, Include::Both, Sides::Auto), 1);
    assert_eq!(backs(&plain, Include::Both, Sides::Front), 0);
    assert_eq!(backs(&plain, Include::Indirect, Sides::Auto), 0, "nothing sends light on");
    for sides in [one_sided, culled] {
        assert_eq!(backs(&sheet(sides), Include::Both, Sides::Auto), 0, "{sides:?}");
    }

    // An emitter scatters nothing; the ground's underside sees only the sky; a ball has an inside.
    let mut builder = SceneBuilder::new();
    let (grey, lamp) = (builder.material(GREY), builder.material("Ci = emission();"));
    let lie = Affine3A::from_rotation_x(-PI / 2.0) * Affine3A::from_scale(Vec3::splat(9.0));
    builder.shape(mesh(Mesh::rectangle()), lie, grey);
    let above = Affine3A::from_translation(Vec3::new(0.0, 3.0, 0.0));
    builder.shape(mesh(Mesh::rectangle()), above, lamp);
    builder.shape(mesh(globe()), above * Affine3A::from_translation(Vec3::X * 2.0), grey);
    builder.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let scene = builder.build();
    assert_eq!(backs(&scene, Include::Both, Sides::Auto), 0);
    assert_eq!(backs(&scene, Include::Indirect, Sides::Auto), 0);
}
