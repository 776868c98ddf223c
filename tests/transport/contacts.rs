//! Coincident surfaces: objects that rest on others or share faces, and many objects that contain one point.

use renderer::integrator::{Integrator, PathSettings, PhotonSettings};

use crate::media::{agree, expect, mean, path};

fn photon() -> Integrator {
    Integrator::Photon(PhotonSettings { photons: Some(20_000), ..PhotonSettings::default() })
}

/// A camera that looks down.
const DOWN: &str = "film { size = (8, 8); filter = box; }
    camera main : orthographic { from = (0.1, 8, 0.05); to = (0.1, 0, 0.05); up = (0, 0, -1); width = 0.4; }";

/// An emitting box below y = 0.
const GLOWING_FLOOR: &str = "
    shape floor : cube { size = (6, 1, 6); transform = translate(0, -0.5, 0); material = emitter(radiance = 1); }";

/// Compares a picture with a known value, with paths and with photons.
#[track_caller]
fn shows(text: &str, expected: f64) {
    for integrator in [path(), photon()] {
        expect(text, integrator, 32, [expected; 3], 0.03);
    }
}

#[test]
fn media_with_a_common_face_are_exited_and_entered() {
    let text = "film { size = (8, 8); filter = box; }
        light sky : environment { color = 1; }
        shape a : cube { size = (2, 4, 4); material = fog(density = 0.5, albedo = 0); transform = translate(-1, 0, 0); }
        shape b : cube { size = (2, 4, 4); material = fog(density = 0.2, albedo = 0); transform = translate(1, 0, 0); }
        camera main : orthographic { width = 0.5; transform = translate(-8, 0.1, 0.2) * rotate((0, 1, 0), -90); }";
    shows(text, f64::exp(-1.4));
}

#[test]
fn objects_on_a_surface_are_exited_before_the_surface() {
    let fog = format!(
        "{DOWN} {GLOWING_FLOOR}
         shape f : cube {{ size = 2; material = fog(density = 0.5, albedo = 0); transform = translate(0, 1, 0); }}"
    );
    shows(&fog, f64::exp(-1.0));
    // The slab absorbs half of the light over its height; each of its two faces reflects a share of 0.04.
    let (passed, reflected) = (0.5, 0.04f64);
    let expected = (1.0 - reflected).powi(2) * passed / (1.0 - (reflected * passed).powi(2));
    let glass = "material tinted = glass(attenuation_color = 0.5, attenuation_distance = 2);";
    let block = format!(
        "{DOWN} {GLOWING_FLOOR} {glass}
         shape g : cube {{ size = 2; material = tinted; transform = translate(0, 1, 0); }}"
    );
    shows(&block, expected);
    // A rod from a side wall and two caps.
    let rod = format!(
        "{DOWN} {GLOWING_FLOOR} {glass}
         shape wall : cylinder {{ radius = 1; height = 2; material = tinted; transform = rotate((1, 0, 0), -90); }}
         shape top : disk {{ radius = 1; material = tinted; transform = translate(0, 2, 0) * rotate((1, 0, 0), -90); }}
         shape bottom : disk {{ radius = 1; material = tinted; transform = rotate((1, 0, 0), 90); }}"
    );
    shows(&rod, expected);
}

#[test]
fn a_floor_below_fog_receives_attenuated_light() {
    let text = "film { size = (12, 12); filter = box; }
        light p : point { position = (0, 1, 0); intensity = 5; }
        shape floor : plane { size = 6; material = matte(albedo = 0.5); }
        shape f : cube { size = 2; material = fog(density = 0.3, albedo = 0); transform = translate(0, 1, 0); }
        camera main : perspective { from = (0.6, 0.8, 0); to = (0.2, 0, 0); fov = 5; }";
    shows(text, 0.4225);
}

/// Sheets on an opaque floor above a light: the floor transmits nothing.
#[test]
fn floors_below_sheets_stay_opaque() {
    for sheet in ["cutout(opacity = 0)", "paper()"] {
        let text = format!(
            "{DOWN}
             surface paper(output closure color surface = 0) {{ surface = translucent(N); }}
             shape sheet : plane {{ size = 4; material = {sheet}; }}
             shape floor : plane {{ size = 6; material = matte(albedo = 0); }}
             shape below : rectangle {{ size = 6; transform = translate(0, -1, 0) * rotate((1, 0, 0), -90); material = emitter(radiance = 1); }}
             light p : point {{ position = (0, -0.5, 0); intensity = 5; }}"
        );
        expect(&text, path(), 16, [0.0; 3], 0.0);
    }
}

/// A matte ball in an object, with a light at it or at a small distance.
fn ball_beside_a_light(body: &str, light: &str) -> String {
    format!(
        "film {{ size = (8, 8); filter = box; }}
         camera main : perspective {{ from = (0.3, 1.2, 3); to = (0, 0.65, 0); fov = 9; }}
         material lamp = emitter(radiance = 1);
         shape l : {light}
         shape g : cube {{ size = 2; material = {body}; transform = translate(0, 1, 0); }}
         shape ball : sphere {{ radius = 0.4; center = (0, 0.7, 0); material = matte(albedo = 0.8); }}"
    )
}

/// Shadow rays end before the glass that covers their light. Only refracted paths find that light: after four segments,
/// not three.
#[test]
fn shadow_rays_are_blocked_by_glass_on_a_light() {
    let to_ball = Integrator::Path(PathSettings { depth: Some(3), ..PathSettings::default() });
    let below = "cube { size = (6, 1, 6); transform = translate(0, -0.5, 0); material = lamp; }";
    let above =
        "rectangle { size = 2; transform = translate(0, 2, 0) * rotate((1, 0, 0), 90); material = lamp; }";
    let inside = "cube { size = 0.5; transform = translate(-0.75, 1.75, 0); material = lamp; }";
    let tinted = "glass(attenuation_color = 0.5, attenuation_distance = 2)";
    for glass in ["glass(ior = 1.5)", tinted] {
        for light in [below, above] {
            expect(&ball_beside_a_light(glass, light), to_ball, 16, [0.0; 3], 0.0);
        }
        // Without glass between.
        assert!(mean(&ball_beside_a_light(glass, inside), to_ball, 16)[0] > 1e-4);
    }
}

/// A light in contact with an object, outside or inside, is as bright as with a gap.
#[test]
fn lights_in_contact_match_lights_with_a_gap() {
    let below = |gap: f32| {
        let y = -0.5 - gap;
        format!("cube {{ size = (6, 1, 6); transform = translate(0, {y}, 0); material = lamp; }}")
    };
    let inside = |gap: f32| {
        let x = -0.75 + gap;
        format!("cube {{ size = 0.5; transform = translate({x}, 1, 0); material = lamp; }}")
    };
    for (body, spp) in [
        ("glass(ior = 1.5)", 1024),
        ("glass(ior = 1.33, attenuation_color = 0.5, attenuation_distance = 2)", 1024),
        ("glass(ior = 1.5, alpha = 0.3)", 1024),
        ("fog(density = 0.8, albedo = 0.8)", 256),
    ] {
        for light in [&below as &dyn Fn(f32) -> String, &inside] {
            let [touching, apart] =
                [0.0, 1e-4].map(|gap| mean(&ball_beside_a_light(body, &light(gap)), path(), spp));
            agree(touching, apart, 0.02);
        }
    }
}

/// Subsurface walks that end below a body on the surface enter this body once. Paths that entered it twice never left its
/// medium, and wax was a third darker.
#[test]
fn wax_below_fog_is_as_bright_as_below_a_gap() {
    let scene = |gap: f32| {
        format!(
            "{DOWN}
             light sky : environment {{ color = 1; }}
             shape block : cube {{ size = 1; material = wax(depth = 0.1); transform = translate(0.03, 0.5, 0.02); }}
             shape cover : cube {{ size = (3, 0.5, 2); material = fog(density = 0.8, albedo = 0.5);
                 transform = translate(0.3, {}, 0.2); }}",
            1.25 + gap
        )
    };
    let [touching, apart] = [0.0, 1e-3].map(|gap| mean(&scene(gap), path(), 2048));
    agree(touching, apart, 0.01);
}

#[test]
fn any_number_of_objects_may_contain_a_point() {
    let boxes = |text: &dyn Fn(i32) -> String| (0..100).map(text).collect::<String>();
    let nested = boxes(&|i| {
        let size = 2.0 + 0.02 * f64::from(i);
        format!("shape c{i} : cube {{ size = {size}; material = fog(density = 0.005, albedo = 0); }}\n")
    });
    let text = format!(
        "film {{ size = (8, 8); filter = box; }}
         light sky : environment {{ color = 1; }} {nested}
         camera main : orthographic {{ from = (0.1, 0.05, 6); to = (0.1, 0.05, 0); width = 0.1; }}"
    );
    // The mean size of the objects is 2.99 m.
    expect(&text, path(), 4, [f64::exp(-0.005 * 299.0); 3], 0.01);
    let panes = boxes(&|i| {
        let y = 1.0 + 0.02 * f64::from(i);
        format!(
            "shape p{i} : cube {{ size = (18, 0.01, 18); material = glass(); transform = translate(0, {y}, 0); }}\n"
        )
    });
    let text = format!(
        "film {{ size = (8, 8); filter = box; }}
         light sky : environment {{ color = 1; }} {panes}
         shape sea : cube {{ size = 20; material = fog(density = 0.1, albedo = 0); }}
         camera main : orthographic {{ from = (0, 0, 0); to = (0, 0, -1); width = 0.1; }}"
    );
    expect(&text, path(), 4, [f64::exp(-1.0); 3], 0.01);
}

/// A glass ball in an object of higher priority, and one that intersects a box of equal priority.
#[test]
fn surfaces_in_objects_of_higher_priority_cast_no_shadow() {
    let text = |priority: i32| {
        format!(
            "film {{ size = (12, 12); filter = box; }}
             light p : point {{ position = (0, 1.8, 0); intensity = 10; }}
             shape floor : plane {{ size = 1; material = matte(albedo = 0.5); transform = translate(0, -1, 0); }}
             camera main : perspective {{ from = (0.5, -0.4, 0); to = (0, -1, 0); fov = 5; }}
             material cut {{ surface = fog(density = 0.000001); priority = {priority}; }}
             shape c : cube {{ size = 8; material = cut; }}
             material of_ball {{ surface = glass(); priority = 1; }}
             shape b : sphere {{ radius = 0.4; material = of_ball; }}"
        )
    };
    shows(&text(2), 0.203);
    assert!(mean(&text(0), path(), 16)[0] < 0.01);
}

/// Of coincident opaque surfaces, paths and light hit the first in the scene, from both sides and for all shapes; a
/// transparent one is hit before that.
#[test]
fn the_first_of_coincident_opaque_surfaces_is_visible() {
    let down = "film { size = (8, 8); filter = box; }
        light sky : environment { color = 1; }";
    let from = |y: f32| {
        format!(
            "camera main : perspective {{ from = (0.3, {y}, 0.2); to = (0, 0, 0); up = (1, 0, 0); fov = 15; }}"
        )
    };
    let sheets = [
        "rectangle { size = 1; transform = rotate((1, 0, 0), -90);",
        "rectangle { size = 1.5; transform = rotate((1, 0, 0), 90);",
        "plane { size = 2;",
        "disk { radius = 1; transform = rotate((1, 0, 0), -90);",
    ];
    for (first, second) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        for y in [3.0, -3.0] {
            let text = format!(
                "{down} {}
                 shape a : {} material = matte(albedo = 0.25); }}
                 shape b : {} material = matte(albedo = 0.75); }}",
                from(y),
                sheets[first],
                sheets[second]
            );
            expect(&text, path(), 4, [0.25; 3], 1e-3);
        }
    }
    // Boxes with a common side: all visible parts of the side have one colour.
    for [a, b] in [[0.25, 0.75], [0.75, 0.25]] {
        let text = format!(
            "{down} {}
             shape a : cube {{ size = (2, 1, 2); material = matte(albedo = {a}); transform = translate(0, -0.5, 0); }}
             shape b : cube {{ size = (2, 3, 2); material = matte(albedo = {b}); transform = translate(0, -1.5, 0); }}",
            from(3.0)
        );
        expect(&text, path(), 4, [a; 3], 1e-3);
    }
    let decal = format!(
        "{down} {}
         shape a : plane {{ size = 2; material = matte(albedo = 0.25); }}
         shape b : plane {{ size = 1.5; material = cutout(base = matte(albedo = 0.75), opacity = 0.5); }}",
        from(3.0)
    );
    // Half of the light reaches the wall, and is interreflected between both.
    let behind = 0.25 * 0.5 / (1.0 - 0.375 * 0.25);
    expect(&decal, path(), 1024, [0.375 + 0.5 * behind; 3], 0.01);
}

/// A light coincident with another surface is either fully visible or fully covered, for all integrators.
#[test]
fn coincident_covers_hide_lights_completely() {
    let lamp =
        "shape lamp : cube { size = 1; material = emitter(radiance = 1); transform = translate(0, 1, 0); }";
    let cover = "shape cover : cube { size = (1, 0.5, 1); material = matte(albedo = 0); transform = translate(0, 0.75, 0); }";
    let scene = |shapes: &str| {
        format!(
            "film {{ size = (8, 8); filter = box; }}
             camera main : perspective {{ from = (2, 1, 2); to = (0.8, 0, 0.8); fov = 12; }}
             shape floor : plane {{ size = 6; material = matte(albedo = 0.5); }}
             {shapes}"
        )
    };
    // Without coplanar sides, the visible part of the light above the cover is unchanged.
    let higher = "shape cover : cube { size = (1.0002, 0.5, 1.0002); material = matte(albedo = 0); transform = translate(0, 0.7499, 0); }";
    let covered = mean(&scene(&format!("{cover} {lamp}")), path(), 256);
    let apart = mean(&scene(&format!("{higher} {lamp}")), path(), 256);
    agree(covered, apart, 0.02);
    agree(mean(&scene(&format!("{cover} {lamp}")), photon(), 256), apart, 0.03);
    let bare = mean(&scene(lamp), path(), 256);
    agree(mean(&scene(&format!("{lamp} {cover}")), path(), 256), bare, 0.02);
    agree(mean(&scene(&format!("{lamp} {cover}")), photon(), 256), bare, 0.03);
}
