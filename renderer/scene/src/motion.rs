//! Motion: transforms over time by keys, and the shutter interval over which they are sampled.
//!
//! A motion is a product of transforms. Keys are interpolated by scale, rotation (shortest spherical path) and
//! translation, not by matrices.

use std::sync::Arc;

use glam::{Affine3A, DAffine3, DQuat, DVec3};

use crate::frame_time::FrameTime;
use crate::track::{Track, slerp};
use renderer_base::math::in_single;
use renderer_geometry::MAX_PLACEMENT_KEYS;

/// Time of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneTime {
    /// Number of frames since frame 0.
    pub frames: f64,
    /// Seconds since frame 0.
    pub seconds: f64,
}

/// A frame and the interval in which the shutter is open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shutter {
    /// The frame; it may be between two frames.
    pub frame: f64,
    /// Opening of the shutter, relative to the frame [frames].
    pub open: f64,
    /// Closing of the shutter, relative to the frame [frames]; at least `open`.
    pub close: f64,
    /// Frames per second, positive.
    pub fps: f64,
}

impl Default for Shutter {
    fn default() -> Shutter {
        Shutter { frame: 0.0, open: 0.0, close: 0.5, fps: 24.0 }
    }
}

impl Shutter {
    /// Time at a fraction of the interval in `[0,1]`.
    pub fn at(&self, fraction: f64) -> SceneTime {
        let frames = self.frame + self.open + (self.close - self.open) * fraction;
        SceneTime { frames, seconds: frames / self.fps }
    }

    /// Goes to a time, if there is one.
    pub fn set_time(&mut self, time: Option<FrameTime>) {
        if let Some(time) = time {
            self.frame = time.frame(self.fps);
        }
    }

    /// An infinitely short exposure at the frame itself.
    #[must_use]
    pub fn instant(self) -> Shutter {
        Shutter { open: 0.0, close: 0.0, ..self }
    }
}

/// Transform at a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransformKey {
    /// Time [frames].
    pub time: f64,
    matrix: DAffine3,
    scale: DVec3,
    rotation: DQuat,
    translation: DVec3,
}

impl TransformKey {
    /// A key at a time [frames]; `None` if the matrix shears, which keys cannot interpolate.
    pub fn new(time: f64, matrix: DAffine3) -> Option<TransformKey> {
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        let composed = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
        let error = (composed.matrix3 - matrix.matrix3).abs();
        let largest = scale.abs().max_element();
        let is_sound = [error.x_axis, error.y_axis, error.z_axis]
            .iter()
            .all(|axis| axis.max_element() <= 1e-6 * largest);
        is_sound.then_some(TransformKey { time, matrix, scale, rotation, translation })
    }

    /// Returns whether the transform changes handedness.
    pub fn is_mirrored(&self) -> bool {
        self.matrix.matrix3.determinant() < 0.0
    }

    fn between(&self, next: &TransformKey, time: f64) -> DAffine3 {
        if self.matrix == next.matrix {
            return self.matrix;
        }
        let fraction = (time - self.time) / (next.time - self.time);
        DAffine3::from_scale_rotation_translation(
            self.scale.lerp(next.scale, fraction),
            slerp(self.rotation, next.rotation, fraction),
            self.translation.lerp(next.translation, fraction),
        )
    }
}

/// Scale, rotation and translation of a node with animated channels [s].
#[derive(Clone, Debug)]
pub struct NodeTracks {
    /// Scale.
    pub scale: Track<DVec3>,
    /// Rotation.
    pub rotation: Track<DQuat>,
    /// Translation [m].
    pub translation: Track<DVec3>,
}

/// Factor of a motion.
#[derive(Clone, Debug)]
enum Factor {
    Constant(DAffine3),
    /// Keys in ascending order of time; at least one.
    Keys(Arc<[TransformKey]>),
    Node(Arc<NodeTracks>),
}

/// Transform over time.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Factors of a product; the last one is applied first.
    factors: Vec<Factor>,
}

impl Motion {
    /// Motion by keys in ascending order of time. The transform is constant before the first key and after the last one.
    ///
    /// # Panics
    /// If there is no key.
    pub fn keys(keys: Vec<TransformKey>) -> Motion {
        assert!(!keys.is_empty(), "a motion has a key");
        Motion { factors: vec![Factor::Keys(keys.into())] }
    }

    /// Motion of a node.
    pub fn node(tracks: Arc<NodeTracks>) -> Motion {
        Motion { factors: vec![Factor::Node(tracks)] }
    }

    /// A constant transform.
    pub fn constant(matrix: DAffine3) -> Motion {
        Motion { factors: vec![Factor::Constant(matrix)] }
    }

    /// The product with a motion that is applied first.
    #[must_use]
    pub fn then_of(mut self, first: &Motion) -> Motion {
        for factor in &first.factors {
            match (self.factors.last_mut(), factor) {
                (Some(Factor::Constant(last)), Factor::Constant(matrix)) => *last *= *matrix,
                _ => self.factors.push(factor.clone()),
            }
        }
        self
    }

    /// Returns whether no factor has keys.
    pub fn is_constant(&self) -> bool {
        self.factors.iter().all(|factor| matches!(factor, Factor::Constant(_)))
    }

    /// Transform at a time.
    pub fn at(&self, time: SceneTime) -> DAffine3 {
        let matrices = self.factors.iter().map(|factor| factor.at(time));
        matrices
            .reduce(|product, matrix| product * matrix)
            .unwrap_or(DAffine3::IDENTITY)
    }

    /// Matrices at uniform times of the shutter interval, both ends included, between which linear interpolation is
    /// accurate; one if the transform is constant.
    pub fn sampled(&self, shutter: &Shutter) -> Vec<Affine3A> {
        const FINEST: usize = MAX_PLACEMENT_KEYS - 1;
        let at = |step: usize| in_single(&self.at(shutter.at(step as f64 / FINEST as f64)));
        let all: Vec<Affine3A> = (0..=FINEST).map(at).collect();
        if all.iter().all(|matrix| *matrix == all[0]) {
            return vec![all[0]];
        }
        let mut stride = FINEST;
        while stride > 1 && !is_linear(&all, stride) {
            stride /= 2;
        }
        all.into_iter().step_by(stride).collect()
    }
}

/// Returns whether each matrix is near the linear interpolation of those at multiples of `stride`.
fn is_linear(all: &[Affine3A], stride: usize) -> bool {
    /// Maximum error, relative to the extent of the object and to the length of its path.
    const TOLERANCE: f32 = 1e-4;
    let path = all.windows(2).map(|pair| (pair[1].translation - pair[0].translation).length());
    let path: f32 = path.sum();
    all.chunks(stride).zip(all.iter().step_by(stride).skip(1)).all(|(chunk, end)| {
        chunk.iter().enumerate().all(|(step, exact)| {
            let fraction = step as f32 / stride as f32;
            let between = chunk[0].matrix3 * (1.0 - fraction) + end.matrix3 * fraction;
            let moved = chunk[0].translation.lerp(end.translation, fraction) - exact.translation;
            let size = exact
                .matrix3
                .x_axis
                .length()
                .max(exact.matrix3.y_axis.length())
                .max(exact.matrix3.z_axis.length());
            let turned = (between - exact.matrix3).abs();
            let turned = turned.x_axis.max(turned.y_axis).max(turned.z_axis).max_element();
            turned <= TOLERANCE * size && moved.length() <= TOLERANCE * path.max(size)
        })
    })
}

impl Factor {
    fn at(&self, time: SceneTime) -> DAffine3 {
        match self {
            Factor::Constant(matrix) => *matrix,
            Factor::Keys(keys) => {
                let next = keys.partition_point(|key| key.time <= time.frames);
                match (next.checked_sub(1), keys.get(next)) {
                    (Some(last), Some(next)) => keys[last].between(next, time.frames),
                    (Some(last), None) => keys[last].matrix,
                    (None, _) => keys[0].matrix,
                }
            }
            Factor::Node(tracks) => DAffine3::from_scale_rotation_translation(
                invertible(tracks.scale.at(time.seconds)),
                unit(tracks.rotation.at(time.seconds)),
                tracks.translation.at(time.seconds),
            ),
        }
    }
}

/// Scale without zeros, which hide objects for a part of an animation: placements are inverted.
fn invertible(scale: DVec3) -> DVec3 {
    /// A millionth of a unit is invisible, and its inverse is exact enough in single precision.
    const MIN_SCALE: f64 = 1e-6;
    DVec3::from_array(
        scale
            .to_array()
            .map(|s| if s.abs() < MIN_SCALE { MIN_SCALE.copysign(s) } else { s }),
    )
}

fn unit(q: DQuat) -> DQuat {
    if q.length_squared() > 0.0 { q.normalize() } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time: f64, degrees: f64, x: f64) -> TransformKey {
        let rotation = DQuat::from_rotation_y(degrees.to_radians());
        let matrix = DAffine3::from_scale_rotation_translation(DVec3::ONE, rotation, DVec3::new(x, 0.0, 0.0));
        TransformKey::new(time, matrix).expect("the matrix does not shear")
    }

    #[test]
    fn rotations_take_the_short_way_and_need_many_keys() {
        let motion = Motion::keys(vec![key(0.0, 0.0, 0.0), key(1.0, 170.0, 2.0)]);
        let shutter = Shutter { close: 1.0, ..Shutter::default() };
        let middle = motion.at(shutter.at(0.5));
        assert!(
            (middle.transform_vector3(DVec3::Z).angle_between(DVec3::Z) - 85f64.to_radians()).abs() < 1e-6
        );
        assert!((middle.translation.x - 1.0).abs() < 1e-12);
        assert_eq!(motion.sampled(&shutter).len(), 129);
        let straight = Motion::keys(vec![key(0.0, 30.0, 0.0), key(1.0, 30.0, 2.0)]);
        assert_eq!(straight.sampled(&shutter).len(), 2);
    }

    #[test]
    fn equal_keys_are_constant() {
        let key = |time| key(time, 33.0, 0.1);
        let motion = Motion::keys(vec![key(0.0), key(10.0)]);
        let shutter = Shutter { frame: 3.0, ..Shutter::default() };
        assert_eq!(motion.sampled(&shutter), [in_single(&key(0.0).matrix)]);
    }

    #[test]
    fn shear_has_no_keys() {
        let shear = DAffine3::from_cols(DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z, DVec3::ZERO);
        assert!(TransformKey::new(0.0, shear).is_none());
    }
}
