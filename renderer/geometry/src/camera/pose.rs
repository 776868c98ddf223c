//! Pose: an orthonormal, possibly mirroring frame, over the shutter interval; `look_at`.

use std::fmt;
use std::sync::Arc;

use glam::{Affine3A, Mat3A, Vec3, Vec3A};

use super::error::CameraError;
use crate::placement::segment;
use renderer_base::math::cross;

/// Returns the matrix `world_from_camera` of a camera at `from` that looks at `to`, with `up` upwards in the image.
///
/// # Errors
/// When `to` is `from`, or `up` is zero or along the viewing direction.
pub fn look_at(from: Vec3, to: Vec3, up: Vec3) -> Result<Affine3A, CameraError> {
    let forward = (to - from).try_normalize().ok_or(CameraError::NoDirection)?;
    let up = up.try_normalize().ok_or(CameraError::NoUp)?;
    let side = forward.cross(up);
    if side.length_squared() < 1e-10 {
        return Err(CameraError::NoUp);
    }
    let x = side.normalize();
    let matrix = Mat3A::from_cols(x.into(), x.cross(forward).into(), (-forward).into());
    Ok(Affine3A { matrix3: matrix, translation: from.into() })
}

/// An orthonormal `world_from_camera`, possibly mirroring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose(Affine3A);

/// Poses over the shutter interval.
#[derive(Clone)]
pub struct PoseMotion {
    open: Pose,
    /// Poses at uniform times, both ends included; `None` if the pose is constant.
    keys: Option<Arc<[Pose]>>,
}

impl PoseMotion {
    /// Poses by matrices at uniform times of the shutter interval, both ends included; constant if all are equal.
    ///
    /// # Errors
    /// If a matrix is singular.
    pub fn new(keys: &[Affine3A]) -> Result<PoseMotion, CameraError> {
        let keys: Vec<Pose> = keys.iter().map(Pose::new).collect::<Result<_, _>>()?;
        let open = *keys.first().ok_or(CameraError::Singular)?;
        let is_constant = keys.iter().all(|key| *key == open);
        Ok(PoseMotion { open, keys: (!is_constant).then(|| keys.into()) })
    }

    /// Returns whether the pose changes.
    pub fn is_moving(&self) -> bool {
        self.keys.is_some()
    }

    /// Pose when the shutter opens.
    pub fn open(&self) -> &Pose {
        &self.open
    }

    /// Pose at a time in `[0,1]` of the shutter interval.
    #[inline]
    pub fn at(&self, time: f32) -> Pose {
        match &self.keys {
            None => self.open,
            Some(keys) => interpolated(keys, time),
        }
    }

    /// Poses at uniform times; one if the pose is constant.
    pub fn keys(&self) -> &[Pose] {
        self.keys.as_deref().unwrap_or(std::slice::from_ref(&self.open))
    }
}

impl fmt::Debug for PoseMotion {
    /// Writes a constant pose as [`Pose`] does: parts compare hashes of this text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.keys {
            None => self.open.fmt(f),
            Some(keys) => keys.fmt(f),
        }
    }
}

#[inline(never)]
fn interpolated(keys: &[Pose], time: f32) -> Pose {
    let (index, fraction) = segment(time, keys.len());
    let (Pose(a), Pose(b)) = (&keys[index], &keys[index + 1]);
    let rest = 1.0 - fraction;
    let between = Affine3A {
        matrix3: a.matrix3 * rest + b.matrix3 * fraction,
        translation: a.translation * rest + b.translation * fraction,
    };
    // Keys are so close that no pose between two of them is singular.
    Pose::new(&between).unwrap_or(keys[index])
}

impl Pose {
    /// Removes scale and shear: keeps the viewing axis and orthogonalizes up and right.
    pub fn new(world_from_camera: &Affine3A) -> Result<Pose, CameraError> {
        let Affine3A { matrix3, translation } = *world_from_camera;
        if !world_from_camera.is_finite() {
            return Err(CameraError::Singular);
        }
        let unit = |v: Vec3A| v.try_normalize().ok_or(CameraError::Singular);
        let (x, y, z) = (unit(matrix3.x_axis)?, unit(matrix3.y_axis)?, unit(matrix3.z_axis)?);
        let volume = cross(y, z).dot(x);
        if volume.abs() < 1e-6 {
            return Err(CameraError::Singular);
        }
        let y = unit(y - z * z.dot(y))?;
        let x = cross(y, z) * volume.signum();
        Ok(Pose(Affine3A { matrix3: Mat3A::from_cols(x, y, z), translation }))
    }

    /// Transforms a point from camera space to world space.
    pub fn point(&self, p: Vec3) -> Vec3 {
        self.0.transform_point3(p)
    }

    /// Transforms a vector from camera space to world space.
    pub fn vector(&self, v: Vec3) -> Vec3 {
        self.0.transform_vector3(v)
    }

    /// Transforms a point from world space to camera space; the transpose is the inverse.
    pub fn local_point(&self, p: Vec3) -> Vec3 {
        (self.0.matrix3.transpose() * (Vec3A::from(p) - self.0.translation)).into()
    }

    /// Transforms a vector from world space to camera space.
    pub fn local_vector(&self, v: Vec3) -> Vec3 {
        (self.0.matrix3.transpose() * Vec3A::from(v)).into()
    }

    /// Position of the camera in world space.
    pub fn position(&self) -> Vec3 {
        self.0.translation.into()
    }

    /// The matrix `world_from_camera`.
    pub fn matrix(&self) -> Affine3A {
        self.0
    }
}
