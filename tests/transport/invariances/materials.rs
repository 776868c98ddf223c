//! Equivalent materials.

use glam::DVec3;
use support::random_scene::{Argument, Geometry, Node, Recipe, Setting, generate};

use super::{Same, for_each_seed};

/// Constant colours and numbers are replaced by expressions that look varying.
#[test]
fn uniform_materials_match_equivalent_varying_ones() {
    for_each_seed("uniform", 8, |seed| {
        let scene = generate(seed, &Recipe::ANY);
        let mut other = scene.clone();
        for surface in &mut other.materials {
            surface.root.visit(&mut |node| {
                for (key, argument) in &mut node.arguments {
                    match argument {
                        Argument::Color(c) if *key != "a" && *key != "b" => {
                            *argument = same_everywhere(*c);
                        }
                        Argument::Number(x)
                            if matches!(*key, "alpha" | "amount" | "opacity" | "scale" | "sigma") =>
                        {
                            *argument = Argument::Expression(format!("{x} + 0 * clamp(u, 0.0, 1.0)"));
                        }
                        Argument::Number(_)
                        | Argument::Color(_)
                        | Argument::Text(_)
                        | Argument::Call(_)
                        | Argument::Position(_)
                        | Argument::Expression(_) => {}
                    }
                }
            });
        }
        Same { name: "uniform", ..Same::default() }.check(&scene, &other)
    });
}

/// A colour as a pattern of two equal colours.
fn same_everywhere(color: DVec3) -> Argument {
    let board = vec![("a", Argument::Color(color)), ("b", Argument::Color(color))];
    Argument::Call(Box::new(Node::new("checker", board)))
}

/// An object whose back no ray hits, and lights.
#[test]
fn one_sided_objects_look_the_same_from_outside() {
    for_each_seed("one_sided", 8, |seed| {
        let recipe = Recipe { setting: Some(Setting::Open), ..Recipe::ANY };
        let mut scene = generate(seed, &recipe);
        for surface in &mut scene.materials {
            let passes = ["glass", "cutout", "translucent_sheet", "gltf_pbr"];
            if passes.iter().any(|unit| surface.root.uses(unit)) {
                surface.root = Node::new("rough_matte", vec![]);
            }
        }
        let is_lamp: Vec<bool> = (scene.shapes.iter())
            .map(|shape| scene.materials[shape.material].root.emits())
            .collect();
        // A single object, because objects that intersect it would show its back.
        let mut body = None;
        let mut index = 0;
        scene.shapes.retain(|shape| {
            let solid = matches!(shape.geometry, Geometry::Sphere { .. } | Geometry::Cube { .. });
            let lamp = is_lamp[index];
            index += 1;
            solid && (lamp || body.replace(index).is_none())
        });
        for shape in &mut scene.shapes {
            shape.flip_normals = false;
            shape.instance_of = None;
        }
        let mut other = scene.clone();
        for surface in &mut other.materials {
            surface.one_sided = true;
        }
        Same { name: "one_sided", ..Same::default() }.check(&scene, &other)
    });
}
