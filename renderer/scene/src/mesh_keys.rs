//! Meshes whose vertices move by keys or by velocities.

use std::sync::Arc;

use glam::Vec3;

use crate::{Deformation, SceneTime};
use renderer_geometry::Mesh;

/// Meshes at times in frames; their vertices are interpolated linearly, and constant before the first and after the last.
#[derive(Debug)]
pub struct MeshKeys {
    keys: Vec<(f64, Arc<Mesh>)>,
}

impl MeshKeys {
    /// Keys in ascending order; `None` if there is none, or they differ in their triangles or numbers of vertices.
    pub fn new(keys: Vec<(f64, Arc<Mesh>)>) -> Option<MeshKeys> {
        let (_, first) = keys.first()?;
        let is_alike = |mesh: &Mesh| {
            mesh.triangles == first.triangles
                && mesh.positions.len() == first.positions.len()
                && mesh.normals.len() == first.normals.len()
        };
        keys.iter().all(|(_, mesh)| is_alike(mesh)).then_some(MeshKeys { keys })
    }
}

impl Deformation for MeshKeys {
    fn at(&self, time: SceneTime) -> Option<Mesh> {
        let next = self.keys.partition_point(|(frame, _)| *frame <= time.frames);
        let (from, a) = &self.keys[next.saturating_sub(1)];
        let (to, b) = self.keys.get(next).unwrap_or(&self.keys[self.keys.len() - 1]);
        let mut mesh = Mesh::clone(a);
        if next > 0 && to > from {
            let part = ((time.frames - from) / (to - from)) as f32;
            let blend = |list: &mut [Vec3], others: &[Vec3]| {
                list.iter_mut().zip(others).for_each(|(v, other)| *v = v.lerp(*other, part));
            };
            blend(&mut mesh.positions, &b.positions);
            blend(&mut mesh.normals, &b.normals);
            mesh.normals.iter_mut().for_each(|n| *n = n.normalize_or(Vec3::Z));
        }
        mesh.fit();
        Some(mesh)
    }
}

/// A mesh whose vertices have constant velocities.
#[derive(Debug)]
pub struct MeshVelocities {
    /// The mesh at the time of reference.
    pub mesh: Arc<Mesh>,
    /// Velocity of each vertex [m/s].
    pub velocities: Vec<Vec3>,
    /// Time of reference [s].
    pub seconds: f64,
}

impl Deformation for MeshVelocities {
    fn at(&self, time: SceneTime) -> Option<Mesh> {
        let elapsed = (time.seconds - self.seconds) as f32;
        let mut mesh = Mesh::clone(&self.mesh);
        let vertices = mesh.positions.iter_mut().zip(&self.velocities);
        vertices.for_each(|(p, velocity)| *p += *velocity * elapsed);
        mesh.fit();
        Some(mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(by: Vec3) -> Arc<Mesh> {
        let mut mesh = Mesh::rectangle();
        mesh.positions.iter_mut().for_each(|p| *p += by);
        Arc::new(mesh)
    }

    fn corner(deformation: &dyn Deformation, frames: f64) -> Vec3 {
        let time = SceneTime { frames, seconds: frames / 24.0 };
        deformation.at(time).unwrap().positions[0] - Mesh::rectangle().positions[0]
    }

    #[test]
    fn vertices_are_between_their_keys() {
        let keys = vec![(2.0, moved(Vec3::ZERO)), (4.0, moved(Vec3::X)), (5.0, moved(Vec3::Y))];
        let keys = MeshKeys::new(keys).unwrap();
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
        let other = Arc::new(Mesh::cube());
        assert!(MeshKeys::new(vec![(0.0, moved(Vec3::ZERO)), (1.0, other)]).is_none());
        assert!(MeshKeys::new(vec![]).is_none());
    }

    #[test]
    fn velocities_are_per_second() {
        let mesh = moved(Vec3::ZERO);
        let velocities = vec![Vec3::new(24.0, 0.0, -12.0); mesh.positions.len()];
        let moving = MeshVelocities { mesh, velocities, seconds: 0.5 };
        assert!(corner(&moving, 12.0).abs_diff_eq(Vec3::ZERO, 1e-6));
        assert!(corner(&moving, 13.0).abs_diff_eq(Vec3::new(1.0, 0.0, -0.5), 1e-5));
    }
}
