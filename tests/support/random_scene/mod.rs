//! Random scenes as plain data: generated from a seed, changed without an effect on the picture, written as a `.kiln`
//! file with meshes and images, and rendered.

mod change;
mod contacts;
mod generate;
mod media;
mod mesh;
mod mesh_file;
mod picture;
mod shader;
mod text;

use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};

pub use change::Similarity;
pub use generate::{Recipe, Setting, generate};
pub use media::Interior;
pub use mesh::TriangleMesh;
pub use mesh_file::MeshFormat;
pub use picture::{
    Comparison, Limits, Loaded, Pictures, compare, estimate, estimate_with, load_scene, save_scene,
};
pub use shader::{Argument, Node, Surface};

#[derive(Clone, Debug)]
pub struct RandomScene {
    /// Seed of the generator, for messages.
    pub seed: u64,
    /// The materials, by index.
    pub materials: Vec<Surface>,
    pub shapes: Vec<Shape>,
    /// Lights without shape.
    pub lights: Vec<Light>,
    /// Images referenced by materials.
    pub images: Vec<ImageFile>,
    pub camera: Camera,
}

/// A shape in the world.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Geometry in object space.
    pub geometry: Geometry,
    /// World from object.
    pub world: DAffine3,
    /// Index of the material.
    pub material: usize,
    /// True if normals are flipped.
    pub flip_normals: bool,
    /// The index of an earlier shape with the same geometry; this shape is written as an instance of it.
    pub instance_of: Option<usize>,
}

/// Geometry of a shape, in object space, with the parameters of scene files.
#[derive(Clone, Debug)]
pub enum Geometry {
    Sphere {
        center: DVec3,
        radius: f64,
    },
    /// A square in the xz plane that faces +y.
    Plane {
        size: f64,
    },
    /// A rectangle in the xy plane that faces +z.
    Rectangle {
        size: [f64; 2],
    },
    /// A disk in the xy plane that faces +z.
    Disk {
        radius: f64,
    },
    Cube {
        size: DVec3,
    },
    /// The side of a cylinder about z, from z = 0 up.
    Cylinder {
        radius: f64,
        height: f64,
    },
    Mesh(Arc<TriangleMesh>, MeshFormat),
}

/// A light without shape.
#[derive(Clone, Debug)]
pub enum Light {
    /// Isotropic point light.
    Point {
        position: DVec3,
        /// Radiant intensity [W/sr].
        intensity: DVec3,
    },
    /// Spot light with a cone.
    Spot {
        position: DVec3,
        /// Direction of the axis.
        direction: DVec3,
        /// Radiant intensity along the axis.
        intensity: DVec3,
        /// Half-angle of the cone, in degrees.
        cutoff: f64,
        /// Half-angle of full intensity, in degrees.
        beam_width: f64,
        /// True if the falloff is that of glTF.
        squared_cosine: bool,
    },
    /// Parallel light.
    Directional {
        /// Direction in which the light travels.
        direction: DVec3,
        /// Irradiance on a surface that faces the light.
        irradiance: DVec3,
    },
    /// Environment light.
    Environment {
        sky: Sky,
        /// World from sky; orthonormal, possibly mirroring.
        rotation: DMat3,
    },
}

/// Radiance of an environment.
#[derive(Clone, Debug)]
pub enum Sky {
    /// Equal radiance from all directions.
    Constant(DVec3),
    /// Radiance from above and from below, with a gradient between.
    Gradient(DVec3, DVec3),
    /// A latitude-longitude map.
    Map(ImageFile, DVec3),
}

/// An image file next to the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageFile {
    pub name: String,
    /// Width, in pixels.
    pub width: usize,
    /// Linear colours, row-major from the top.
    pub pixels: Vec<[f32; 3]>,
}

#[derive(Clone, Debug)]
pub struct Camera {
    /// World from camera, without scale; possibly mirroring.
    pub world: DAffine3,
    /// Projection.
    pub lens: Lens,
}

/// Projection of a camera.
#[derive(Clone, Debug)]
pub enum Lens {
    /// A pinhole or a thin lens.
    Perspective {
        /// Field of view, in degrees.
        fov: f64,
        /// Radius of the lens.
        aperture_radius: f64,
        /// Distance of the focal plane.
        focus_distance: f64,
    },
    /// Parallel rays.
    Orthographic {
        /// Width of the view.
        width: f64,
    },
    /// Panorama of all directions.
    Panoramic,
}
