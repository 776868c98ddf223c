//! Faces of uniformly emitting meshes: triangles, and rectangles recognised from pairs of triangles.

use glam::{Vec2, Vec3};

use super::emission_distribution::EmissionSample;
use super::rectangle;
use super::sample::SeenPoint;
use super::triangle::LightTriangle;
use renderer_base::math::{Bounds, RayEnd};
use renderer_base::sampling::triangle;
use renderer_geometry::Rectangle;
use renderer_geometry::Shape;

/// Faces of a mesh.
#[derive(Clone, Debug)]
pub(super) struct Faces {
    faces: Vec<Face>,
    /// Face of each triangle; empty if every triangle is its own face.
    of_triangle: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Face {
    Triangle(LightTriangle),
    Rectangle(Rectangle),
}

impl Faces {
    /// Creates the faces of a mesh. Only consecutive triangles are paired to rectangles.
    pub(super) fn of(shape: &Shape) -> Faces {
        let count = shape.primitive_count();
        let (mut faces, mut of_triangle) = (vec![], vec![]);
        let mut next = 0;
        while next < count {
            let pair = (next + 1 < count).then(|| Rectangle::of(shape, [next, next + 1]));
            let face = match pair.flatten() {
                Some(rectangle) => Face::Rectangle(rectangle),
                None => Face::Triangle(LightTriangle::new(shape, next)),
            };
            let triangles = match face {
                Face::Triangle(_) => 1,
                Face::Rectangle(_) => 2,
            };
            of_triangle.extend((0..triangles).map(|_| faces.len() as u32));
            faces.push(face);
            next += triangles;
        }
        if faces.len() == of_triangle.len() {
            of_triangle.clear();
        }
        Faces { faces, of_triangle }
    }

    /// Areas of the faces [m²].
    pub(super) fn areas(&self) -> impl Iterator<Item = f32> + '_ {
        self.faces.iter().map(|face| match face {
            Face::Triangle(triangle) => triangle.area(),
            Face::Rectangle(rectangle) => rectangle.area(),
        })
    }

    /// Number of faces.
    pub(super) fn len(&self) -> u32 {
        self.faces.len() as u32
    }

    /// Unit normal of a face.
    pub(super) fn normal(&self, face: u32) -> Vec3 {
        match &self.faces[face as usize] {
            Face::Triangle(triangle) => triangle.ng(),
            Face::Rectangle(rectangle) => rectangle.ng(),
        }
    }

    /// Bounding box of a face.
    pub(super) fn bounds(&self, face: u32) -> Bounds {
        match &self.faces[face as usize] {
            Face::Triangle(triangle) => Bounds::of_points(triangle.corners()),
            Face::Rectangle(rectangle) => Bounds::of_points(rectangle.corners()),
        }
    }

    /// Face to which a triangle of the mesh belongs.
    #[inline]
    pub(super) fn index_of(&self, triangle: u32) -> u32 {
        let index = self.of_triangle.get(triangle as usize);
        index.copied().unwrap_or(triangle)
    }

    /// Samples a point of a face by `u`, for the reference point `p`.
    #[inline]
    pub(super) fn seen_from(&self, p: Vec3, face: u32, u: Vec2) -> Option<SeenPoint> {
        let place = EmissionSample { primitive: face, u, density: 1.0, rest: 0.0 };
        match &self.faces[face as usize] {
            Face::Triangle(triangle) => triangle.face_from(p, &place),
            Face::Rectangle(rectangle) => rectangle::seen_from(rectangle, p, &place),
        }
    }

    /// Density of `seen_from` at a point of a face [1/sr]; `at` is the point, and the cosine between its normal and the
    /// direction to `p`.
    #[inline]
    pub(super) fn pdf(&self, p: Vec3, face: u32, at: (Vec3, f32)) -> f32 {
        match &self.faces[face as usize] {
            Face::Triangle(triangle) => triangle.face_pdf(p, 1.0, at),
            Face::Rectangle(rectangle) => rectangle::pdf(rectangle, p, 1.0, at),
        }
    }

    /// Samples a point of a face uniformly by area; returns it with its density within the face [1/m²].
    pub(super) fn point(&self, face: u32, u: Vec2) -> (RayEnd, f32) {
        match &self.faces[face as usize] {
            Face::Triangle(face) => (face.point(triangle(u)), face.inverse_area),
            Face::Rectangle(face) => (face.point(u), face.inverse_area),
        }
    }
}
