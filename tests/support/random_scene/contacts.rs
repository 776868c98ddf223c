//! Random scenes of touching boxes: on the ground, on each other, with common faces, and nested.

use glam::{DAffine3, DMat3, DVec3};

use super::{
    Argument, Camera, Geometry, Interior, Lens, Light, MeshFormat, Node, RandomScene, Shape, Sky, Surface,
    TriangleMesh,
};
use crate::stats::Rng;
use std::sync::Arc;

/// An axis-aligned box.
#[derive(Clone, Copy)]
struct Cuboid {
    min: DVec3,
    max: DVec3,
}

impl Cuboid {
    fn size(&self) -> DVec3 {
        self.max - self.min
    }

    fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }
}

impl RandomScene {
    /// A scene of touching boxes. All lights have a size and all lobes are rough, so that all integrators find all
    /// light.
    pub fn of_contacts(seed: u64) -> RandomScene {
        let mut rng = Rng::new(seed ^ 0x0063_6f6e_7461_6374);
        let mut scene = RandomScene {
            seed,
            materials: vec![],
            shapes: vec![],
            lights: vec![Light::Environment {
                sky: Sky::Gradient(DVec3::splat(rng.between(0.4, 1.2)), DVec3::splat(0.2)),
                rotation: DMat3::IDENTITY,
            }],
            images: vec![],
            camera: camera(&mut rng),
        };
        let ground = Surface::of(matte(&mut rng));
        scene.add(Geometry::Plane { size: 6.0 }, DVec3::ZERO, ground);
        let mut cuboids: Vec<Cuboid> = vec![];
        for _ in 0..2 + rng.below(4) {
            let cuboid = match cuboids.is_empty() {
                true => standing(&mut rng),
                false => {
                    let other = cuboids[rng.below(cuboids.len() as u64) as usize];
                    next_to(&other, &mut rng)
                }
            };
            cuboids.push(cuboid);
            let surface = inside(&mut rng);
            scene.add_cuboid(&cuboid, surface);
        }
        scene
    }

    /// A scene of [`RandomScene::of_contacts`] in a box of fog that rests on the ground and contains the camera, with
    /// two wax boxes that overlap or touch.
    pub fn of_contacts_in_fog(seed: u64) -> RandomScene {
        let mut scene = RandomScene::of_contacts(seed);
        let mut rng = Rng::new(seed ^ 0x666f_675f_626f_7865);
        let size = DVec3::new(rng.between(9.0, 12.0), rng.between(5.0, 7.0), 10.0);
        let fog = Surface {
            inside: Some(haze(&mut rng, [0.01, 0.1])),
            ..Surface::of(clear())
        };
        scene.add(Geometry::Cube { size }, 0.5 * size.y * DVec3::Y, fog);
        let first = standing(&mut rng);
        let mut second = first;
        let axis = 2 * rng.below(2) as usize;
        second.min[axis] = match rng.with_probability(0.5) {
            true => first.max[axis],
            false => 0.5 * (first.min[axis] + first.max[axis]),
        };
        second.max[axis] = second.min[axis] + 0.5;
        let depth = rng.between(0.05, 0.3);
        let wax = Node::new("wax", vec![("depth", Argument::Number(depth))]);
        scene.add_cuboid(&first, Surface::of(wax));
        let other = Shape {
            geometry: Geometry::Cube { size: second.size() },
            world: DAffine3::from_translation(second.center()),
            ..scene.shapes[scene.shapes.len() - 1].clone()
        };
        scene.shapes.push(other);
        scene
    }

    fn add_cuboid(&mut self, cuboid: &Cuboid, surface: Surface) {
        self.add(Geometry::Cube { size: cuboid.size() }, cuboid.center(), surface);
    }

    fn add(&mut self, geometry: Geometry, center: DVec3, surface: Surface) {
        self.materials.push(surface);
        self.shapes.push(Shape {
            geometry,
            world: DAffine3::from_translation(center),
            material: self.materials.len() - 1,
            flip_normals: false,
            instance_of: None,
        });
    }

    /// The scene with each box as two meshes: four of its faces, and the other two.
    #[must_use]
    pub fn with_split_boxes(&self) -> RandomScene {
        self.with_shapes(|_, shape| match shape.geometry {
            Geometry::Cube { size } => {
                let part = |faces: &[usize]| Shape {
                    geometry: Geometry::Mesh(Arc::new(box_mesh(size, faces)), MeshFormat::PlyBinary),
                    ..shape.clone()
                };
                vec![part(&[0, 1, 2, 3]), part(&[4, 5])]
            }
            _ => vec![shape.clone()],
        })
    }

    /// The scene with each box as an instance of one mesh.
    #[must_use]
    pub fn with_instanced_boxes(&self) -> RandomScene {
        let unit = Arc::new(box_mesh(DVec3::ONE, &[0, 1, 2, 3, 4, 5]));
        let mut first = None;
        let mut scene = self.clone();
        for (index, shape) in scene.shapes.iter_mut().enumerate() {
            if let Geometry::Cube { size } = shape.geometry {
                shape.geometry = Geometry::Mesh(unit.clone(), MeshFormat::PlyBinary);
                shape.world *= DAffine3::from_scale(size);
                shape.instance_of = first;
                first = first.or(Some(index));
            }
        }
        scene
    }
}

/// A random multiple of ⅛ in an interval.
fn eighths(rng: &mut Rng, low: f64, high: f64) -> f64 {
    (8.0 * rng.between(low, high)).round() / 8.0
}

fn standing(rng: &mut Rng) -> Cuboid {
    let size = DVec3::new(eighths(rng, 0.5, 1.2), eighths(rng, 0.4, 1.0), eighths(rng, 0.5, 1.2));
    let min = DVec3::new(eighths(rng, -0.8, 0.0), 0.0, eighths(rng, -0.8, 0.0));
    Cuboid { min, max: min + size }
}

/// A box that shares a part of a face with another: next to it, on it, or in it.
fn next_to(other: &Cuboid, rng: &mut Rng) -> Cuboid {
    let mut cuboid = *other;
    let axis = rng.below(3) as usize;
    let thick = eighths(rng, 0.3, 0.9);
    match rng.below(3) {
        // Inside, with some common faces.
        0 => {
            for axis in 0..3 {
                let half = 0.5 * (other.max[axis] - other.min[axis]);
                match rng.below(3) {
                    0 => cuboid.max[axis] = other.min[axis] + half,
                    1 if axis != 1 => cuboid.min[axis] = other.min[axis] + half,
                    _ => {}
                }
            }
        }
        // With a common face.
        1 => {
            cuboid.min[axis] = other.max[axis];
            cuboid.max[axis] = other.max[axis] + thick;
        }
        // With a part of a face in common.
        _ => {
            cuboid.min[axis] = other.max[axis];
            cuboid.max[axis] = other.max[axis] + thick;
            let across = if axis == 0 { 2 } else { 0 };
            cuboid.min[across] += 0.125;
            cuboid.max[across] += 0.25;
        }
    }
    cuboid
}

fn matte(rng: &mut Rng) -> Node {
    let albedo = DVec3::new(rng.between(0.2, 0.8), rng.between(0.2, 0.8), rng.between(0.2, 0.8));
    Node::new("matte", vec![("albedo", Argument::Color(albedo))])
}

/// Fog with a random density in an interval.
fn haze(rng: &mut Rng, [low, high]: [f64; 2]) -> Interior {
    let albedo = DVec3::new(rng.between(0.0, 0.9), rng.between(0.0, 0.9), rng.between(0.0, 0.9));
    Interior {
        medium: Node::new(
            "haze",
            vec![("density", Argument::Number(rng.between(low, high))), ("albedo", Argument::Color(albedo))],
        ),
        priority: rng.with_probability(0.2).then(|| rng.below(2) as i64),
        is_all: false,
    }
}

/// An invisible surface.
fn clear() -> Node {
    Node::new("cutout", vec![("opacity", Argument::Number(0.0))])
}

/// Fog, glass with and without a medium, an opaque material, or a light.
fn inside(rng: &mut Rng) -> Surface {
    const DENSITY: [f64; 2] = [0.2, 1.5];
    let glass = |rng: &mut Rng| {
        Node::new(
            "glass",
            vec![
                ("ior", Argument::Number(rng.between(1.1, 1.5))),
                ("alpha", Argument::Number(rng.between(0.2, 0.5))),
            ],
        )
    };
    match rng.below(8) {
        0..=3 => Surface { inside: Some(haze(rng, DENSITY)), ..Surface::of(clear()) },
        4 => Surface::of(glass(rng)),
        5 => Surface { inside: Some(haze(rng, DENSITY)), ..Surface::of(glass(rng)) },
        6 => Surface::of(matte(rng)),
        _ => Surface::of(Node::new(
            "emitter",
            vec![
                ("radiance", Argument::Color(DVec3::splat(rng.between(0.5, 2.0)))),
                ("scale", Argument::Number(1.0)),
            ],
        )),
    }
}

fn camera(rng: &mut Rng) -> Camera {
    let (turn, rise) = (rng.between(0.0, std::f64::consts::TAU), rng.between(0.2, 0.9));
    let ahead = -DVec3::new(rise.cos() * turn.cos(), rise.sin(), rise.cos() * turn.sin());
    let right = ahead.cross(DVec3::Y).normalize();
    let frame = DMat3::from_cols(right, right.cross(ahead), -ahead);
    Camera {
        world: DAffine3::from_mat3_translation(frame, DVec3::new(0.1, 0.5, 0.1) - ahead * 4.0),
        lens: Lens::Perspective { fov: 35.0, aperture_radius: 0.0, focus_distance: 4.0 },
    }
}

/// Some of the six faces of a box about the origin.
fn box_mesh(size: DVec3, faces: &[usize]) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for &face in faces {
        let (axis, side) = (face / 2, if face.is_multiple_of(2) { 1.0 } else { -1.0 });
        let mut n = DVec3::ZERO;
        n[axis] = side;
        let s = DVec3::AXES[(axis + 1) % 3];
        let t = n.cross(s);
        let first = mesh.positions.len() as u32;
        for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            mesh.positions.push(0.5 * size * (n + a * s + b * t));
        }
        mesh.triangles
            .extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    mesh
}
