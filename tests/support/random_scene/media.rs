//! Media in random scenes: in some of the closed shapes, with or without a surface and with priorities, and around all.

use glam::{DAffine3, DVec3};

use super::{Argument, Geometry, Node, RandomScene, Recipe, Setting, Shape, Surface};
use crate::stats::Rng;

/// The interior medium of a material.
#[derive(Clone, Debug)]
pub struct Interior {
    /// The call of the volume shader.
    pub medium: Node,
    /// Priority, if the scene sets one.
    pub priority: Option<i64>,
    /// True if the material is the volume shader, without a surface.
    pub is_all: bool,
}

/// Units of the tests: homogeneous media, and media that vary about `q`.
pub(super) const UNITS: &str = "\
volume haze(float density = 1, color albedo = 0.8, float g = 0, float glow = 0) {
    Ci = density * (albedo * henyey_greenstein(g) + (1 - albedo) * absorption()) + glow * color(1, 0.6, 0.2) * emission();
}
volume billows(float density = 1, color albedo = 0.8, float g = 0, float glow = 0, point q = P, float scale = 2) {
    float here = smoothstep(-0.3, 0.4, noise(\"perlin\", q * scale));
    if (here > 0)
        Ci = here * density * (albedo * henyey_greenstein(g) + (1 - albedo) * absorption())
            + here * glow * color(1, 0.6, 0.2) * emission();
}
";

impl RandomScene {
    /// The scene with media, before its transform.
    pub(super) fn with_media(mut self, recipe: &Recipe, setting: Setting) -> RandomScene {
        let mut rng = Rng::new(self.seed ^ 0x006d_6564_6961);
        for index in 0..self.materials.len() {
            let of_it = |shape: &&mut Shape| shape.material == index;
            let shapes = || self.shapes.iter().filter(|shape| shape.material == index);
            let is_closed = shapes().all(|shape| shape.geometry.is_closed());
            let is_room = setting == Setting::Room && index == 0;
            if !is_closed || self.materials[index].root.emits() || !rng.with_probability(0.7) {
                continue;
            }
            if !is_room && rng.with_probability(0.3) {
                self.materials[index] = wax(&mut rng);
                continue;
            }
            self.materials[index] = match rng.below(if is_room { 1 } else { 3 }) {
                0 => self.materials[index].clone(),
                1 => Surface::of(Node::new("cutout", vec![("opacity", Argument::Number(0.0))])),
                _ => glass(&mut rng, recipe),
            };
            let thickness = if is_room { 0.3 } else { 4.0 };
            let medium = medium(&mut rng, thickness);
            self.materials[index].inside = Some(Interior {
                medium,
                priority: rng.with_probability(0.4).then(|| rng.below(3) as i64),
                is_all: !is_room && rng.with_probability(0.3),
            });
            // A shape with its inside out would contain everything outside.
            let shapes = self.shapes.iter_mut().filter(of_it);
            shapes.for_each(|shape| shape.flip_normals = false);
        }
        if setting == Setting::Open && rng.with_probability(0.3) {
            self.surround(&mut rng);
        }
        self
    }

    /// A box of haze around all.
    fn surround(&mut self, rng: &mut Rng) {
        let clear = Surface::of(Node::new("cutout", vec![("opacity", Argument::Number(0.0))]));
        self.materials.push(Surface {
            inside: Some(Interior { medium: medium(rng, 0.2), priority: None, is_all: true }),
            ..clear
        });
        self.shapes.push(Shape {
            geometry: Geometry::Cube { size: DVec3::splat(rng.between(9.0, 14.0)) },
            world: DAffine3::from_translation(DVec3::new(0.1, 0.2, -0.1)),
            material: self.materials.len() - 1,
            flip_normals: false,
            instance_of: None,
        });
    }
}

fn glass(rng: &mut Rng, recipe: &Recipe) -> Surface {
    let ior = rng.between(1.1, 1.8);
    let alpha = if recipe.specular && rng.with_probability(0.6) {
        0.0
    } else {
        rng.between(0.15, 0.5)
    };
    Surface::of(Node::new(
        "glass",
        vec![("ior", Argument::Number(ior)), ("alpha", Argument::Number(alpha))],
    ))
}

/// A material with subsurface scattering.
fn wax(rng: &mut Rng) -> Surface {
    let albedo = DVec3::new(rng.between(0.2, 0.95), rng.between(0.2, 0.95), rng.between(0.2, 0.95));
    Surface::of(Node::new(
        "wax",
        vec![
            ("albedo", Argument::Color(albedo)),
            ("depth", Argument::Number(rng.between(0.02, 0.5))),
            ("alpha", Argument::Number(rng.between(0.15, 0.5))),
        ],
    ))
}

/// A medium with at most about this optical thickness per metre.
fn medium(rng: &mut Rng, most: f64) -> Node {
    let albedo = DVec3::new(rng.between(0.3, 1.0), rng.between(0.3, 1.0), rng.between(0.3, 1.0));
    let mut arguments = vec![
        ("density", Argument::Number(rng.between(0.1 * most, most))),
        ("albedo", Argument::Color(albedo)),
        ("g", Argument::Number(rng.between(-0.5, 0.8))),
    ];
    if rng.with_probability(0.15) {
        arguments.push(("glow", Argument::Number(rng.between(0.05, 0.5))));
    }
    if rng.with_probability(0.5) {
        return Node::new("haze", arguments);
    }
    let about = DAffine3::from_rotation_translation(rng.rotation(), rng.direction().as_dvec3());
    arguments.push(("q", Argument::Position(about)));
    arguments.push(("scale", Argument::Number(rng.between(1.0, 3.0))));
    Node::new("billows", arguments)
}

impl Interior {
    /// Transforms the medium with its scene, whose scale factor is `scale`: coefficients are per length.
    pub(super) fn grow(&mut self, scale: f64) {
        for (key, argument) in &mut self.medium.arguments {
            if let ("density" | "glow", Argument::Number(value)) = (*key, argument) {
                *value /= scale;
            }
        }
    }
}
