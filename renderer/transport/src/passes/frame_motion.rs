//! Motion vectors: displacement of the points of surfaces in the picture, to the next frame and to the previous one.

use glam::{Affine3A, Vec2, Vec3};

use crate::scene::build::Built;
use renderer_base::math::in_single;
use renderer_geometry::camera::Camera;
use renderer_geometry::{Interaction, Shape};
use renderer_scene::{CameraDesc, SceneDesc, SceneTime, ShapeDesc};

/// Poses of a scene at the next frame and at the previous one.
#[derive(Clone, Debug)]
pub struct FrameMotion {
    camera: Camera,
    /// Camera at both frames.
    cameras: [Camera; 2],
    /// By shape; `None` if it does not move.
    shapes: Vec<Option<ShapeFrames>>,
}

/// A shape at both frames.
#[derive(Clone, Debug)]
struct ShapeFrames {
    shape: Shape,
    world_from_object: [Affine3A; 2],
    /// Positions of the vertices, if they move relative to object space.
    positions: Option<[Vec<Vec3>; 2]>,
}

impl FrameMotion {
    /// The poses of a built scene for the camera of its picture; `None` if nothing moves.
    pub fn new(
        desc: &SceneDesc,
        of_camera: &CameraDesc,
        camera: &Camera,
        built: &Built,
    ) -> Option<FrameMotion> {
        if !desc.has_motion() {
            return None;
        }
        let times = [1.0, -1.0].map(|step| {
            let mut shutter = desc.film.shutter.instant();
            shutter.frame += step;
            shutter.at(0.0)
        });
        let space = built.scene.host().space();
        let moved = |time: SceneTime| match &of_camera.motion {
            None => Some(camera.clone()),
            Some(motion) => {
                let matrix = space.transform_to_rendering(&in_single(&motion.at(time)));
                camera.clone().with_motion(&[matrix]).ok()
            }
        };
        let shapes = desc.shapes.iter().zip(built.scene.shapes());
        let frames = |(of, shape): (&ShapeDesc, &Shape)| {
            let placed = of.geometry.build().1;
            let place = |time: SceneTime| match &of.motion {
                None => *shape.placement().open().world_from_object(),
                Some(motion) => space.transform_to_rendering(&(in_single(&motion.at(time)) * placed)),
            };
            let positions = |time: SceneTime| Some(of.deformation.as_ref()?.at(time)?.positions);
            (of.motion.is_some() || of.deformation.is_some()).then(|| ShapeFrames {
                shape: shape.clone(),
                world_from_object: times.map(place),
                positions: positions(times[0]).zip(positions(times[1])).map(<[_; 2]>::from),
            })
        };
        Some(FrameMotion {
            camera: camera.clone(),
            cameras: [moved(times[0])?, moved(times[1])?],
            shapes: shapes.map(frames).collect(),
        })
    }

    /// Displacement of a point in the picture, to the next frame and to the previous one [pixels]; 0 where it is not in
    /// front of the camera.
    pub(super) fn motion(&self, it: &Interaction) -> [f32; 4] {
        let Some(now) = self.camera.project_at(it.p, it.time) else {
            return [0.0; 4];
        };
        let frames = self.shapes.get(it.shape.0 as usize).and_then(Option::as_ref);
        let displacement = |frame: usize| {
            let p = frames.map_or(it.p, |frames| frames.point(it, frame));
            let then = self.cameras[frame].project(p);
            then.map_or(Vec2::ZERO, |then| then - now)
        };
        let (next, previous) = (displacement(0), displacement(1));
        [next.x, next.y, previous.x, previous.y]
    }
}

impl ShapeFrames {
    /// Position of a point of the surface at a frame.
    fn point(&self, it: &Interaction, frame: usize) -> Vec3 {
        let object = match (&self.positions, self.shape.mesh()) {
            (Some(positions), Some(mesh)) => {
                let corners = mesh.triangles[it.primitive as usize].map(|index| index as usize);
                let weights = weights(self.shape.triangle_at(it.primitive, it.time), it.p);
                let vertex =
                    |corner: usize| positions[frame].get(corners[corner]).copied().unwrap_or_default();
                vertex(0) * weights.x + vertex(1) * weights.y + vertex(2) * weights.z
            }
            _ => self.shape.placement().at(it.time).inverse_point(it.p),
        };
        self.world_from_object[frame].transform_point3(object)
    }
}

/// Barycentric weights of a point in the plane of a triangle.
fn weights([a, b, c]: [Vec3; 3], p: Vec3) -> Vec3 {
    let (edge1, edge2, v) = (b - a, c - a, p - a);
    let normal = edge1.cross(edge2);
    let scale = normal.length_squared();
    if scale == 0.0 {
        return Vec3::X;
    }
    let (u, v) = (v.cross(edge2).dot(normal) / scale, edge1.cross(v).dot(normal) / scale);
    Vec3::new(1.0 - u - v, u, v)
}
