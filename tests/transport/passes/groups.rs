//! Light groups: each layer equals the picture with only the lights of its group; labels of closures, objects and
//! lights select paths.

use std::time::Instant;

use renderer::render::RenderSettings;
use renderer::scene::build::{Built, build};
use support::scenes::load_text;

use super::{Layers, layers};

/// A corner with a plastic and a glass ball, and three lights in separate groups: an area light, a spot and an
/// environment.
const SCENE: &str = r#"
    material plastic = principled(base_color = (0.7, 0.3, 0.2), roughness = 0.3);
    material pane = glass(ior = 1.4);
    material lamp { surface = emitter(radiance = (3, 3, 2)); group = warm; }
    shape floor : plane { size = 6; material = matte(albedo = (0.6, 0.7, 0.8)); }
    shape back : rectangle { size = (6, 4); transform = translate(0, 2, -2); material = matte(albedo = 0.7); }
    shape ball : sphere { radius = 0.6; transform = translate(-0.7, 0.6, 0); material = plastic; }
    shape bubble : sphere { radius = 0.5; transform = translate(0.7, 0.5, 0.3); material = pane; }
    shape bulb : sphere { radius = 0.3; transform = translate(1.5, 2.2, 0.5); material = lamp; }
    light spot : spot { position = (-2, 3, 2); to = (0, 0, 0); intensity = 20; cutoff = 25; group = cold; }
    light sky : environment { color = (0.1, 0.15, 0.3); group = outside; }
    film { size = (48, 32); }
    camera main : perspective { from = (0, 1.5, 4.5); to = (0, 0.7, 0); fov = 45; }
"#;

fn built(change: impl Fn(&str) -> String, set: &[&str]) -> Built {
    build(&load_text(&change(SCENE), set), None, 1).unwrap_or_else(|errors| panic!("{errors}"))
}

fn rendered(built: &Built, passes: &[&str], spp: u64) -> Layers {
    let settings = RenderSettings {
        integrator: built.integrator,
        samples: 0..spp,
        total: spp,
        ..RenderSettings::of_camera(built.camera.clone(), [48, 32])
    };
    layers(built, &built.names, passes, settings)
}

/// Removes the declarations that begin with one of these words.
fn without(words: &[&str]) -> impl Fn(&str) -> String {
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    move |text| {
        let keeps = |line: &&str| !words.iter().any(|word| line.trim().starts_with(word.as_str()));
        text.lines().filter(keeps).collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn a_group_equals_the_scene_with_only_its_lights() {
    // Without its light, the emitting ball is dark; the pictures must contain the dark ball.
    let dark = |text: &str| text.replace("emitter(radiance = (3, 3, 2))", "emitter(radiance = 0)");
    type Change = Box<dyn Fn(&str) -> String>;
    let alone: [(&str, Change); 3] = [
        ("light_warm", Box::new(without(&["light spot", "light sky"]))),
        ("light_cold", Box::new(move |text| dark(&without(&["light sky"])(text)))),
        ("light_outside", Box::new(move |text| dark(&without(&["light spot"])(text)))),
    ];
    // Caustics from photons vary more, because the lights share the photons differently.
    let photon: &[&str] = &["integrator=photon", "integrator.photons=200000"];
    for (set, limit) in [(&["integrator=path"][..], 0.02), (photon, 0.04)] {
        let all = built(|text| text.to_owned(), set);
        let found = rendered(&all, &["light_warm", "light_cold", "light_outside", "light_rest"], 64);
        assert_eq!(found.mean("light_rest"), 0.0, "all lights are in groups");
        for (layer, change) in &alone {
            let one = built(change, set);
            let expected = rendered(&one, &["all=C.*"], 64).mean("all");
            let mean = found.mean(layer);
            assert!((mean / expected - 1.0).abs() < limit, "{set:?}, {layer}: {mean} for {expected}");
        }
    }
}

/// Two spots through glass balls into fog, in separate groups.
const FOG: &str = "
    volume mist() { Ci = 0.05 * henyey_greenstein(0.3) + 0.02 * absorption(); }
    shape fog : cube { size = 7.8; material = mist(); }
    material pane = glass(ior = 1.5);
    shape first : sphere { radius = 0.6; material = pane; transform = translate(-1.2, 0.9, 0); }
    shape second : sphere { radius = 0.6; material = pane; transform = translate(1.2, 0.9, 0); }
    light west : spot { position = (-1.2, 3.4, 0); to = (-1.2, 0, 0); intensity = (60, 40, 20); cutoff = 12; group = warm; }
    light east : spot { position = (1.2, 3.4, 0); to = (1.2, 0, 0); intensity = (10, 20, 30); cutoff = 12; group = cold; }
    film { size = (48, 32); }
    camera main : perspective { from = (0, -0.8, 7); to = (0, -0.8, 0); fov = 32; }
";

#[test]
fn caustics_in_fog_belong_to_their_group() {
    let lit_by = |declarations: &[&str]| {
        let fog = without(declarations)(FOG);
        built(|_| fog.clone(), &["integrator=photon"])
    };
    let groups = ["light_warm", "light_cold"];
    let found = rendered(&lit_by(&[]), &groups, 32);
    found.assert_sum(&groups.map(str::to_owned), "focused light");
    for (group, other) in [("light_warm", "light east"), ("light_cold", "light west")] {
        let expected = rendered(&lit_by(&[other]), &["all=C.*"], 32).mean("all");
        let mean = found.mean(group);
        let is_near = (mean / expected - 1.0).abs() < 0.08;
        assert!(is_near, "{group}: {mean} for {expected}");
    }
}

/// A light with the name of another light's group is only in its own group.
#[test]
fn names_of_lights_are_not_groups() {
    let passes = ["light_warm", "light_cold", "light_outside"];
    let all = built(|text| text.to_owned(), &["integrator=path"]);
    let expected = rendered(&all, &passes, 8);
    let named = built(|text| text.replace("light sky", "light warm"), &["integrator=path"]);
    let found = rendered(&named, &[&passes[..], &["light_rest"]].concat(), 8);
    for layer in passes {
        assert_eq!(found.of(layer), expected.of(layer), "{layer}");
    }
    assert_eq!(found.mean("light_rest"), 0.0);
}

/// Emission that is not a light belongs to no group.
#[test]
fn emission_of_overrides_is_in_no_group() {
    let glowing = |text: &str| format!("{text}\noverride camera = emitter(radiance = 0.5);");
    let scene = built(glowing, &["integrator=path"]);
    let layers = ["light_warm", "light_cold", "light_outside", "light_rest"];
    let found = rendered(&scene, &layers, 4);
    assert!(found.mean("light_rest") > 0.1, "{}", found.mean("light_rest"));
    found.assert_sum(&layers.map(str::to_owned), "an override that glows");
}

/// Three hundred lights in separate groups need no automaton, whose size would be quadratic.
#[test]
fn hundreds_of_groups_are_compiled_quickly() {
    let lamp = |index: usize| {
        let [x, y] = [index % 20, index / 20].map(|i| 0.2 * i as f32 - 2.0);
        format!("light p{index} : point {{ position = ({x}, {y}, 2); intensity = 0.1; group = g{index}; }}\n")
    };
    let declarations: String = (0..300).map(lamp).collect();
    let many = |text: &str| format!("{text}\n{declarations}");
    let groups: Vec<String> = ["warm", "cold", "outside", "rest"]
        .into_iter()
        .map(str::to_owned)
        .chain((0..300).map(|index| format!("g{index}")))
        .map(|name| format!("light_{name}"))
        .collect();
    let passes: Vec<&str> = groups.iter().map(String::as_str).collect();
    for set in [&["integrator=path"][..], &["integrator=photon", "integrator.photons=5000"]] {
        let scene = built(many, set);
        let begin = Instant::now();
        let found = rendered(&scene, &passes, 1);
        assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
        found.assert_sum(&groups, "300 groups");
    }
}

#[test]
fn labels_select_paths() {
    let labelled = |text: &str| {
        let unit = r#"
            surface two(output closure color surface = 0) {
                surface = 0.5 * diffuse(N, "label", "base") + 0.3 * microfacet("ggx", N, 0.2, 1.5, 0, "label", "top");
            }"#;
        format!(
            "{unit}{}",
            text.replace("principled(base_color = (0.7, 0.3, 0.2), roughness = 0.3)", "two()")
        )
    };
    let scene = built(labelled, &["integrator=path"]);
    let passes = [
        "base=C<.D'base'>.*",
        "top=C<..'top'>.*",
        "ball=C<R.'ball'>.*",
        "both=C<R.['base''top']>.*",
        "others=C<R.[^'base''top']>.*",
        "reflected=CR.*",
        "lamp=C.*<L.'bulb'>",
        "warm=C.*<L.'warm'>",
        "blocked=shadow;C<RD>L",
        "open=unoccluded;C<RD>L",
        "seen=C<RD>L",
    ];
    let found = rendered(&scene, &passes, 32);
    for layer in ["base", "top", "ball", "others", "lamp", "blocked"] {
        assert!(found.mean(layer) > 1e-4, "{layer}: {}", found.mean(layer));
    }
    let close = |a: f64, b: f64, what: &str| assert!((a / b - 1.0).abs() < 1e-5, "{what}: {a} for {b}");
    close(found.mean("base") + found.mean("top"), found.mean("ball"), "labels of the ball");
    close(found.mean("both"), found.mean("ball"), "a set of labels");
    close(
        found.mean("both") + found.mean("others"),
        found.mean("reflected"),
        "negated labels",
    );
    close(found.mean("lamp"), found.mean("warm"), "name and group of a light");
    // `open` and `blocked` are light samples without MIS, `seen` has MIS with the BSDF: equal in the mean.
    let difference = found.mean("open") - found.mean("blocked");
    assert!(
        (difference / found.mean("seen") - 1.0).abs() < 0.02,
        "{difference} for {}",
        found.mean("seen")
    );
}

/// Light through a cutout is direct light for expressions that do not name the crossing.
#[test]
fn crossings_are_events_if_expressions_name_them() {
    let screen = |text: &str| {
        let shape = "shape screen : plane { size = 6; transform = translate(0, 2.8, 0); material = \
                     cutout(base = matte(albedo = 0), opacity = 0.5); }";
        format!("{text}\n{shape}")
    };
    let screen = |text: &str| screen(&without(&["light sky", "shape bulb"])(text));
    let scene = built(screen, &["integrator=path"]);
    let found = rendered(&scene, &["plain=C<RD>L", "through=C<RD><Ts>L", "clear=C<RD>[^s]"], 16);
    assert!(found.mean("through") > 1e-3);
    let (plain, through) = (found.mean("plain"), found.mean("through"));
    assert!((through / plain - 1.0).abs() < 1e-5, "{through} for {plain}");
    assert!(found.mean("clear") < 1e-3 * plain, "{}", found.mean("clear"));
}
