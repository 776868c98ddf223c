//! Changes of whole scenes that preserve the picture or change it in a known manner.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};

use super::{
    Argument, Geometry, Lens, Light, MeshFormat, Node, RandomScene, Shape, Sky, Surface, TriangleMesh,
};
use crate::stats::Rng;

/// A similarity transform.
#[derive(Clone, Copy, Debug)]
pub struct Similarity {
    /// Scale factor.
    pub scale: f64,
    /// Rotation, orthonormal; a determinant of −1 mirrors.
    pub rotation: DMat3,
    /// Translation, applied last.
    pub translation: DVec3,
}

impl Similarity {
    pub const IDENTITY: Similarity = Similarity {
        scale: 1.0,
        rotation: DMat3::IDENTITY,
        translation: DVec3::ZERO,
    };

    /// The matrix of the transform.
    pub fn matrix(&self) -> DAffine3 {
        DAffine3::from_mat3_translation(self.rotation * self.scale, self.translation)
    }
}

impl RandomScene {
    /// The scene with shells at a small distance from some of its shapes, invisible or slightly opaque: a different
    /// picture, but the same for all integrators.
    #[must_use]
    pub fn with_shells(&self) -> RandomScene {
        let mut rng = Rng::new(self.seed ^ 0x7368_656c_6c73);
        let mut scene = self.clone();
        for shape in &self.shapes {
            if shape.instance_of.is_some() || !rng.with_probability(0.6) {
                continue;
            }
            let opacity = if rng.with_probability(0.6) { 0.0 } else { rng.between(0.05, 0.3) };
            let veil = Node::new("matte", vec![("albedo", Argument::Number(0.6))]);
            let cutout =
                vec![("base", Argument::Call(Box::new(veil))), ("opacity", Argument::Number(opacity))];
            let away = rng.direction().as_dvec3() * rng.between(0.002, 0.02);
            scene.materials.push(Surface::of(Node::new("cutout", cutout)));
            scene.shapes.push(Shape {
                world: DAffine3::from_translation(away) * shape.world,
                material: scene.materials.len() - 1,
                ..shape.clone()
            });
        }
        scene
    }

    /// The transformed scene, lights and camera included: the same picture.
    #[must_use]
    pub fn moved(&self, by: &Similarity) -> RandomScene {
        let matrix = by.matrix();
        let mut scene = self.clone();
        for shape in &mut scene.shapes {
            shape.world = matrix * shape.world;
        }
        for surface in &mut scene.materials {
            surface.root.visit(&mut |node| {
                for (_, argument) in &mut node.arguments {
                    argument.move_by(&matrix);
                }
            });
            surface.root.visit(&mut |node| node.deepen(by.scale));
            if let Some(inside) = &mut surface.inside {
                for (_, argument) in &mut inside.medium.arguments {
                    argument.move_by(&matrix);
                }
                inside.grow(by.scale);
            }
        }
        for light in &mut scene.lights {
            light.move_by(by);
        }
        // A camera's transform has no scale.
        let camera = &mut scene.camera;
        camera.world = DAffine3::from_mat3_translation(
            by.rotation * camera.world.matrix3,
            matrix.transform_point3(camera.world.translation),
        );
        match &mut camera.lens {
            Lens::Perspective { aperture_radius, focus_distance, .. } => {
                *aperture_radius *= by.scale;
                *focus_distance *= by.scale;
            }
            Lens::Orthographic { width } => *width *= by.scale,
            Lens::Panoramic => {}
        }
        scene
    }

    /// The scene with all lights scaled by `factor`; the picture scales equally.
    #[must_use]
    pub fn brightened(&self, factor: f64) -> RandomScene {
        let mut scene = self.clone();
        for light in &mut scene.lights {
            light.scale_by(factor);
        }
        for surface in &mut scene.materials {
            surface.root.visit(&mut |node| node.scale_emission(factor));
        }
        scene
    }

    /// The scene with only those lights that `keep` selects: lights without shape by index, then emitting materials by
    /// theirs.
    #[must_use]
    pub fn lit_by(&self, keep: impl Fn(usize) -> bool) -> RandomScene {
        let mut scene = self.clone();
        let mut index = 0;
        for light in &mut scene.lights {
            if !keep(index) {
                light.scale_by(0.0);
            }
            index += 1;
        }
        for surface in &mut scene.materials {
            if surface.root.emits() {
                if !keep(index) {
                    surface.root.visit(&mut |node| node.scale_emission(0.0));
                }
                index += 1;
            }
        }
        scene
    }

    /// Number of lights that [`RandomScene::lit_by`] can select.
    pub fn light_count(&self) -> usize {
        self.lights.len() + self.materials.iter().filter(|surface| surface.root.emits()).count()
    }

    /// The scene with each shape replaced by the result of `replace`.
    #[must_use]
    pub fn with_shapes(&self, mut replace: impl FnMut(usize, &Shape) -> Vec<Shape>) -> RandomScene {
        let mut scene = self.clone();
        scene.shapes = (self.shapes.iter().enumerate())
            .flat_map(|(index, shape)| {
                let own = Shape { instance_of: None, ..shape.clone() };
                replace(index, &own)
            })
            .collect();
        scene
    }

    /// The scene with every mesh changed by `f`, and written as `format` if given.
    #[must_use]
    pub fn with_meshes(
        &self,
        format: Option<MeshFormat>,
        mut f: impl FnMut(&TriangleMesh) -> TriangleMesh,
    ) -> RandomScene {
        let mut scene = self.clone();
        for shape in &mut scene.shapes {
            if let Geometry::Mesh(mesh, own) = &shape.geometry {
                shape.geometry = Geometry::Mesh(Arc::new(f(mesh)), format.unwrap_or(*own));
                shape.instance_of = None;
            }
        }
        scene
    }
}

impl Argument {
    fn move_by(&mut self, matrix: &DAffine3) {
        if let Argument::Position(world_from_pattern) = self {
            *world_from_pattern = *matrix * *world_from_pattern;
        }
    }
}

impl Light {
    fn move_by(&mut self, by: &Similarity) {
        let square = by.scale * by.scale;
        match self {
            Light::Point { position, intensity } => {
                *position = by.matrix().transform_point3(*position);
                *intensity *= square;
            }
            Light::Spot { position, direction, intensity, .. } => {
                *position = by.matrix().transform_point3(*position);
                *direction = by.rotation * *direction;
                *intensity *= square;
            }
            Light::Directional { direction, .. } => *direction = by.rotation * *direction,
            Light::Environment { rotation, .. } => *rotation = by.rotation * *rotation,
        }
    }

    fn scale_by(&mut self, factor: f64) {
        match self {
            Light::Point { intensity, .. } | Light::Spot { intensity, .. } => *intensity *= factor,
            Light::Directional { irradiance, .. } => *irradiance *= factor,
            Light::Environment { sky, .. } => match sky {
                Sky::Constant(radiance) | Sky::Map(_, radiance) => *radiance *= factor,
                Sky::Gradient(above, below) => {
                    *above *= factor;
                    *below *= factor;
                }
            },
        }
    }
}

impl Node {
    /// Returns whether the material emits light.
    pub fn emits(&self) -> bool {
        self.uses("emitter") || self.uses("screen")
    }

    /// Scales the depth of subsurface scattering.
    fn deepen(&mut self, factor: f64) {
        for (key, argument) in &mut self.arguments {
            if let ("wax", "depth", Argument::Number(depth)) = (self.unit, *key, argument) {
                *depth *= factor;
            }
        }
    }

    fn scale_emission(&mut self, factor: f64) {
        if self.unit == "emitter" || self.unit == "screen" {
            for (key, argument) in &mut self.arguments {
                if let ("scale", Argument::Number(scale)) = (*key, argument) {
                    *scale *= factor;
                }
            }
        }
    }
}
