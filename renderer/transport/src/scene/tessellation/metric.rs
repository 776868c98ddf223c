//! Number of edges that triangles need between two points of a shape.

use glam::{Affine3A, Vec2, Vec3};
use shading::Diagnostic;

use super::group::{Group, world_from_object};
use crate::material::RenderingSpace;
use crate::scene::build::placed_camera;
use renderer_base::math::Bounds;
use renderer_geometry::camera::Camera;
use renderer_scene::{DicingDesc, SceneDesc, Shutter};
use renderer_tessellation::Dicing;

/// Number of instances of a mesh that are examined.
const MAX_INSTANCES: usize = 256;

/// Size of the triangles of one mesh.
pub(super) enum Metric {
    Level(u32),
    /// Length [m], and transforms of the instances.
    Length(f32, Vec<Affine3A>),
    /// Pixels of the picture.
    Pixels(Pixels),
}

/// Size of triangles in a picture.
pub(super) struct Pixels {
    camera: Camera,
    eye: Vec3,
    /// Size of a pixel at the eye [m], and its growth with the distance.
    size: [f32; 2],
    /// Distance below which pixels do not become smaller [m].
    nearest: f32,
    /// Length of edges [pixels].
    length: f32,
    instances: Vec<Affine3A>,
}

impl Metric {
    /// The metric of a group.
    ///
    /// # Errors
    /// If there is no such camera.
    pub(super) fn new(
        desc: &SceneDesc,
        camera: Option<&str>,
        shutter: &Shutter,
        group: &Group,
    ) -> Result<Metric, Diagnostic> {
        let shapes: Vec<usize> = group.instances.iter().map(|parts| parts[0]).collect();
        let all: Vec<usize> = group.instances.iter().flatten().copied().collect();
        let placed = |&shape: &usize| world_from_object(&desc.shapes[shape], shutter);
        let instances: Vec<Affine3A> = shapes.iter().take(MAX_INSTANCES).map(placed).collect();
        let scale = desc.film.dicing_scale;
        Ok(match group.tessellation.dicing {
            DicingDesc::Level(level) => Metric::Level(level),
            DicingDesc::Length(length) => Metric::Length(length * scale, instances),
            // Baked scenes may have no camera.
            DicingDesc::Pixels(pixels) if desc.cameras.is_empty() => {
                let bounds = world_bounds(desc, &all, shutter);
                Metric::Length(
                    (2.0 * bounds.radius() / PIXELS).max(f32::MIN_POSITIVE) * pixels * scale,
                    instances,
                )
            }
            DicingDesc::Pixels(pixels) => {
                let camera = placed_camera(desc, camera, RenderingSpace::default(), shutter)?;
                let bounds = world_bounds(desc, &all, shutter);
                Metric::Pixels(Pixels::new(camera, pixels * scale, bounds, instances))
            }
        })
    }

    /// Calls `dice` with the metric in object space.
    pub(super) fn with<T>(&self, dice: impl FnOnce(Dicing<'_>) -> T) -> T {
        match self {
            Metric::Level(level) => dice(Dicing::Level(*level)),
            Metric::Length(length, instances) => dice(Dicing::Edges(&|a, b| {
                let edges = instances.iter().map(|place| place.transform_vector3(b - a).length() / length);
                edges.fold(0.0, f32::max)
            })),
            Metric::Pixels(pixels) => dice(Dicing::Edges(&|a, b| pixels.edges(a, b))),
        }
    }
}

/// Size of a shape without a camera [pixels].
const PIXELS: f32 = 512.0;

impl Pixels {
    fn new(camera: Camera, length: f32, bounds: Bounds, instances: Vec<Affine3A>) -> Pixels {
        const NEAREST: f32 = 1e-4;
        let middle = 0.5 * camera.film_size();
        let [here, beside] =
            [middle, middle + Vec2::X].map(|point| camera.generate(point, Vec2::splat(0.5), 0.0).ray);
        Pixels {
            eye: here.origin,
            size: [here.origin.distance(beside.origin), here.direction.distance(beside.direction)],
            nearest: NEAREST * bounds.radius(),
            camera,
            length,
            instances,
        }
    }

    fn edges(&self, a: Vec3, b: Vec3) -> f32 {
        let of = |place: &Affine3A| {
            let [a, b] = [a, b].map(|p| place.transform_point3(p));
            let middle = a.midpoint(b);
            let [near, far] = self.size;
            let pixel = near + far * middle.distance(self.eye).max(self.nearest);
            a.distance(b) / (pixel * self.length * self.coarseness(middle))
        };
        self.instances.iter().map(of).fold(0.0, f32::max)
    }

    /// Factor of the size of triangles that the camera does not see.
    fn coarseness(&self, p: Vec3) -> f32 {
        /// Factor behind the camera.
        const BEHIND: f32 = 8.0;
        /// Growth of the factor with the distance from the picture, in parts of its size.
        const GROWTH: f32 = 4.0;
        if self.camera.custom().is_some() {
            return 1.0;
        }
        let Some(point) = self.camera.project(p) else {
            return BEHIND;
        };
        let size = self.camera.film_size();
        let outside = (point - point.clamp(Vec2::ZERO, size)).length() / size.max_element();
        (1.0 + GROWTH * outside).min(BEHIND)
    }
}

/// World-space bounds of shapes.
fn world_bounds(desc: &SceneDesc, shapes: &[usize], shutter: &Shutter) -> Bounds {
    let of = |&shape: &usize| {
        let shape = &desc.shapes[shape];
        let (geometry, placed) = shape.geometry.build();
        let place = world_from_object(shape, shutter) * placed;
        geometry.bounds().corners().map(|corner| place.transform_point3(corner))
    };
    Bounds::of_points(shapes.iter().take(MAX_INSTANCES).flat_map(of))
}
