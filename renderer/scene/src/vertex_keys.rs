//! Geometry whose vertices move by keys or by velocities.

use glam::{Vec3, Vec4};

use crate::{Deformation, GeometryDesc, SceneTime};
use renderer_geometry::{CurveSet, Curves, Mesh};

/// Meshes, curves or points at times in frames; their vertices are interpolated linearly, and constant before the first and
/// after the last.
#[derive(Debug)]
pub struct VertexKeys {
    keys: Vec<(f64, GeometryDesc)>,
}

impl VertexKeys {
    /// Keys in ascending order; `None` if there is none, or they differ in more than their vertices: in their triangles,
    /// strands or numbers of vertices.
    pub fn new(keys: Vec<(f64, GeometryDesc)>) -> Option<VertexKeys> {
        let (_, first) = keys.first()?;
        let is_alike = |geometry: &GeometryDesc| match (geometry, first) {
            (GeometryDesc::Mesh(mesh), GeometryDesc::Mesh(first)) => {
                mesh.triangles == first.triangles
                    && mesh.positions.len() == first.positions.len()
                    && mesh.normals.len() == first.normals.len()
            }
            (GeometryDesc::Curves(curves), GeometryDesc::Curves(first)) => curves.is_alike(first),
            (GeometryDesc::Points(points), GeometryDesc::Points(first)) => points.is_alike(first),
            _ => false,
        };
        keys.iter().all(|(_, key)| is_alike(key)).then_some(VertexKeys { keys })
    }
}

impl Deformation for VertexKeys {
    fn at(&self, time: SceneTime) -> Option<GeometryDesc> {
        let next = self.keys.partition_point(|(frame, _)| *frame <= time.frames);
        let (from, a) = &self.keys[next.saturating_sub(1)];
        let (to, b) = self.keys.get(next).unwrap_or(&self.keys[self.keys.len() - 1]);
        if next == 0 || to <= from {
            return Some(a.clone());
        }
        let part = ((time.frames - from) / (to - from)) as f32;
        Some(match (a, b) {
            (GeometryDesc::Mesh(a), GeometryDesc::Mesh(b)) => blended(a, b, part).into(),
            (GeometryDesc::Curves(a), GeometryDesc::Curves(b)) => a.blended(b, part).ok()?.into(),
            (GeometryDesc::Points(a), GeometryDesc::Points(b)) => a.blended(b, part).ok()?.into(),
            _ => return None,
        })
    }
}

/// The mesh between two others.
fn blended(a: &Mesh, b: &Mesh, part: f32) -> Mesh {
    let mut mesh = a.clone();
    let blend = |list: &mut [Vec3], others: &[Vec3]| {
        list.iter_mut().zip(others).for_each(|(v, other)| *v = v.lerp(*other, part));
    };
    blend(&mut mesh.positions, &b.positions);
    blend(&mut mesh.normals, &b.normals);
    mesh.normals.iter_mut().for_each(|n| *n = n.normalize_or(Vec3::Z));
    mesh.fit();
    mesh
}

/// Geometry whose vertices have constant velocities.
#[derive(Debug)]
pub struct VertexVelocities {
    /// Mesh, curves or points at the time of reference.
    pub geometry: GeometryDesc,
    /// Velocity of each vertex [m/s].
    pub velocities: Vec<Vec3>,
    /// Time of reference [s].
    pub seconds: f64,
}

impl Deformation for VertexVelocities {
    fn at(&self, time: SceneTime) -> Option<GeometryDesc> {
        let elapsed = (time.seconds - self.seconds) as f32;
        let moved = |vertices: &[Vec4]| {
            let pairs = vertices.iter().zip(&self.velocities);
            pairs.map(|(v, velocity)| *v + (*velocity * elapsed).extend(0.0)).collect()
        };
        Some(match &self.geometry {
            GeometryDesc::Mesh(mesh) => {
                let mut mesh = Mesh::clone(mesh);
                let vertices = mesh.positions.iter_mut().zip(&self.velocities);
                vertices.for_each(|(p, velocity)| *p += *velocity * elapsed);
                mesh.fit();
                mesh.into()
            }
            GeometryDesc::Curves(curves) => {
                let vertices = moved(&curves.set().vertices);
                Curves::new(CurveSet { vertices, ..curves.set().clone() }).ok()?.into()
            }
            GeometryDesc::Points(points) => points.with_vertices(moved(points.vertices())).ok()?.into(),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(by: Vec3) -> Mesh {
        let mut mesh = Mesh::rectangle();
        mesh.positions.iter_mut().for_each(|p| *p += by);
        mesh
    }

    fn corner(deformation: &dyn Deformation, frames: f64) -> Vec3 {
        let time = SceneTime { frames, seconds: frames / 24.0 };
        deformation.at(time).unwrap().mesh().unwrap().positions[0] - Mesh::rectangle().positions[0]
    }

    #[test]
    fn vertices_are_between_their_keys() {
        let keys = [(2.0, Vec3::ZERO), (4.0, Vec3::X), (5.0, Vec3::Y)];
        let keys = keys.map(|(frame, by)| (frame, moved(by).into())).to_vec();
        let keys = VertexKeys::new(keys).unwrap();
        for (frame, place) in [
            (0.0, Vec3::ZERO),
            (2.0, Vec3::ZERO),
            (2.5, Vec3::X * 0.25),
            (4.0, Vec3::X),
            (4.5, Vec3::new(0.5, 0.5, 0.0)),
            (9.0, Vec3::Y),
        ] {
            assert!(corner(&keys, frame).abs_diff_eq(place, 1e-6), "{frame}");
        }
        let other = Mesh::cube().into();
        assert!(VertexKeys::new(vec![(0.0, moved(Vec3::ZERO).into()), (1.0, other)]).is_none());
        assert!(VertexKeys::new(vec![]).is_none());
    }

    #[test]
    fn velocities_are_per_second() {
        let mesh = moved(Vec3::ZERO);
        let velocities = vec![Vec3::new(24.0, 0.0, -12.0); mesh.positions.len()];
        let moving = VertexVelocities { geometry: mesh.into(), velocities, seconds: 0.5 };
        assert!(corner(&moving, 12.0).abs_diff_eq(Vec3::ZERO, 1e-6));
        assert!(corner(&moving, 13.0).abs_diff_eq(Vec3::new(1.0, 0.0, -0.5), 1e-5));
    }
}
