//! Motion vectors: displacement of the points of surfaces in the picture, to the next frame and to the previous one.

use glam::{Affine3A, Vec2, Vec3, Vec4};

use crate::scene::build::Built;
use renderer_base::math::in_single;
use renderer_geometry::camera::Camera;
use renderer_geometry::{Geometry, Interaction, Points, SHUTTER_OPEN, Shape};
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
    /// Mesh, curves or points, if their vertices move relative to object space.
    deformed: Option<[Geometry; 2]>,
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
            let deformed = |time: SceneTime| Some(of.deformation.as_ref()?.at(time)?.build().0);
            (of.motion.is_some() || of.deformation.is_some()).then(|| ShapeFrames {
                shape: shape.clone(),
                world_from_object: times.map(place),
                deformed: deformed(times[0]).zip(deformed(times[1])).map(<[_; 2]>::from),
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
        let deformed = self.deformed.as_ref().map(|frames| &frames[frame]);
        let object = deformed.and_then(|deformed| match (&self.shape.geometry, deformed) {
            (Geometry::Mesh(mesh), Geometry::Mesh(deformed)) => {
                let corners = mesh.triangles[it.primitive as usize].map(|index| index as usize);
                let weights = weights(self.shape.triangle_at(it.primitive, it.time), it.p);
                let vertex =
                    |corner: usize| deformed.positions.get(corners[corner]).copied().unwrap_or_default();
                Some(vertex(0) * weights.x + vertex(1) * weights.y + vertex(2) * weights.z)
            }
            (Geometry::Curves(curves), Geometry::Curves(deformed)) => {
                let place = curves.place(it.primitive, it.uv.x);
                let center = (curves.vertex_at(&place, it.time), deformed.vertex_at(&place, SHUTTER_OPEN));
                Some(self.carried(it, center))
            }
            (Geometry::Points(points), Geometry::Points(deformed)) => {
                let at = |points: &Points, time: f32| points.vertex_at(it.primitive, time);
                Some(self.carried(it, (at(points, it.time), at(deformed, SHUTTER_OPEN))))
            }
            _ => None,
        });
        let object = object.unwrap_or_else(|| self.shape.placement().at(it.time).inverse_point(it.p));
        self.world_from_object[frame].transform_point3(object)
    }
    /// The point of a surface about a centre that moves and changes its radius.
    fn carried(&self, it: &Interaction, (now, then): (Vec4, Vec4)) -> Vec3 {
        let from_center = self.shape.placement().at(it.time).inverse_point(it.p) - now.truncate();
        let scale = if now.w > 0.0 { then.w / now.w } else { 1.0 };
        then.truncate() + from_center * scale
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
