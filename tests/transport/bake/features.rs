//! Feature maps in the texture: positions and normals of a ball, its material, and an output of its shader.

use std::sync::atomic::AtomicBool;

use glam::Vec3;
use renderer::bake::{Feature, FeatureDesc, FeatureRays, Include, ShOrder, Silent, bake};
use renderer::light::LightId;
use renderer::passes::Pass;
use renderer::scene::build::build_for_bake;
use support::scenes::load_text;

use super::{Target, lightmap, settings, texture};

const SCENE: &str = r#"
    surface marked(output color mask = 0, output closure color surface = 0) {
        mask = color(0.25, P[1], 1);
        surface = color(0.2, 0.4, 0.6) * diffuse(N);
    }
    shape ball : sphere { radius = 0.5; transform = translate(0, 2, 0); material = marked(); }
    light sky : environment { color = 1; }
"#;

#[test]
fn features_match_the_surface() {
    let mut desc = load_text(SCENE, &[]);
    desc.ensure_camera();
    let values = [Pass::Shader("mask".to_owned())];
    let built = build_for_bake(&desc, 1, &values).unwrap_or_else(|errors| panic!("{errors}"));
    let shaders = built.pass_shaders[0].clone();
    let features = [
        ("albedo", Feature::Albedo),
        ("N", Feature::Normal),
        ("tangent", Feature::TangentNormal),
        ("position", Feature::Position),
        ("roughness", Feature::Roughness),
        ("opacity", Feature::Opacity),
        ("mask", Feature::Shader(shaders)),
    ];
    let features = features.map(|(name, feature)| FeatureDesc { name: name.to_owned(), feature });
    let mut target = texture(48);
    if let Target::Texture { features: asked, .. } = &mut target {
        *asked = features.to_vec();
    }
    let settings = settings(target, Include::Direct, ShOrder::One, 1);
    let names = ["ball".to_owned()];
    let baked = bake(&built.scene, &names, &settings, &Silent, &AtomicBool::new(false));
    let baked = baked
        .unwrap_or_else(|error| panic!("{error}"))
        .expect("the render is not interrupted");
    let map = lightmap(&baked);
    let of = |name: &str, index: usize| {
        let feature = map.features.iter().find(|feature| feature.name == name);
        Vec3::from(feature.expect("it was asked for").values[index].to_array())
    };
    let texels = super::texels(map);
    assert!(texels.len() > 200, "{} texels", texels.len());
    let close =
        |a: Vec3, b: Vec3, limit: f32, what: &str| assert!(a.distance(b) < limit, "{what}: {a} for {b}");
    for (x, y, p, n) in texels {
        let index = (y * map.width + x) as usize;
        // A texel is the mean of points up to one texel apart.
        close(of("position", index), p, 0.08, "position");
        close(of("N", index), n, 0.16, "normal");
        close(of("tangent", index), Vec3::Z, 1e-3, "normal in its own frame");
        close(of("albedo", index), Vec3::new(0.2, 0.4, 0.6), 1e-4, "albedo");
        close(of("roughness", index), Vec3::ONE, 1e-6, "roughness");
        close(of("opacity", index), Vec3::ONE, 1e-6, "opacity");
        close(
            of("mask", index),
            Vec3::new(0.25, of("position", index).y, 1.0),
            1e-4,
            "an output",
        );
    }
    // Borders of charts are dilated.
    let dilated = (0..map.width * map.height).filter(|&i| map.is_used(i % map.width, i / map.width));
    let bare = dilated.filter(|&i| of("opacity", i as usize) == Vec3::ZERO).count();
    assert_eq!(bare, 0, "texels with light but without features");
}

/// A light of 0.4 m over a floor, half of it occluded by a plate whose edge is halfway between both.
const HALF: &str = r#"
    material grey = matte(albedo = 0.5);
    material lamp = emitter(radiance = 5) { group = indoors; }
    shape floor : plane { size = 2; material = grey; }
    shape plate : rectangle { size = (4, 4); material = grey; transform = translate(-2, 1, 0) * rotate((1, 0, 0), -90); }
    shape panel : rectangle { size = (0.4, 0.4); material = lamp; transform = translate(0, 2, 0) * rotate((1, 0, 0), 90); }
    light spark : point { position = (0, 1.99, 0); intensity = 2; }
"#;

#[test]
fn shadow_features_are_the_occluded_share_of_a_light() {
    let mut desc = load_text(HALF, &[]);
    desc.ensure_camera();
    let built = build_for_bake(&desc, 1, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let rays = FeatureRays { samples: 256, reach: 0.0 };
    let of_light = |name: &str| {
        let index = built.names.lights.iter().position(|light| &*light.name == name);
        let light = LightId(index.expect("it is there") as u32);
        FeatureDesc {
            name: name.to_owned(),
            feature: Feature::Shadow(vec![light], rays),
        }
    };
    let mut target = texture(128);
    if let Target::Texture { features, .. } = &mut target {
        *features = vec![of_light("panel"), of_light("spark")];
    }
    let settings = settings(target, Include::Direct, ShOrder::One, 1);
    let names = ["floor", "plate", "panel"].map(str::to_owned);
    let baked = bake(&built.scene, &names, &settings, &Silent, &AtomicBool::new(false));
    let baked = baked
        .unwrap_or_else(|error| panic!("{error}"))
        .expect("the render is not interrupted");
    let map = lightmap(&baked);
    let mut seen = 0;
    for (x, y, p, n) in super::texels(map) {
        if p.y.abs() > 1e-3 || n.y < 0.9 || p.x.abs() > 0.9 {
            continue;
        }
        let [panel, spark] = [0, 1].map(|i| map.features[i].values[(y * map.width + x) as usize].g);
        // The line from x on the floor to x' on the light passes the edge if x' > -x.
        let expected = ((0.2 + p.x) / 0.4).clamp(0.0, 1.0);
        assert!((panel - expected).abs() < 0.1, "{p}: {panel} for {expected}");
        if p.x.abs() > 2.0 / map.density {
            assert_eq!(spark, if p.x > 0.0 { 1.0 } else { 0.0 }, "{p}");
        }
        seen += 1;
    }
    assert!(seen > 400, "{seen}");
}
