//! Placement: the transform from object space to world space over the shutter interval.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use glam::{Affine3A, DAffine3, DMat3, DVec3, Mat3A, Vec3, Vec3A, Vec3Swizzles};

use renderer_base::math::{Bounds, ROUNDING, determinant, in_double, in_single, inverse};

/// Time of queries without a ray: the opening of the shutter.
pub const SHUTTER_OPEN: f32 = 0.0;

/// Maximum number of keys of a moving placement: Embree's maximum number of time steps.
pub const MAX_PLACEMENT_KEYS: usize = 129;

/// Object-to-world transform over the shutter interval.
///
/// A moving placement has matrices at uniform times, which are interpolated linearly, as Embree does with the transforms
/// of instances: points move along straight lines between keys, so that the union of the bounds at the keys is a bound.
#[derive(Clone, Debug)]
pub struct Placement {
    /// Transform when the shutter opens.
    open: Transform,
    /// Matrices at uniform times, the first when the shutter opens; `None` if the transform is constant.
    keys: Option<Arc<[Affine3A]>>,
}

impl From<Affine3A> for Placement {
    /// A constant placement. `world_from_object` must be invertible
    /// ([`is_invertible`](renderer_base::math::is_invertible)); a singular one causes no failure, but has no surface.
    fn from(world_from_object: Affine3A) -> Placement {
        Placement { open: Transform::new(world_from_object), keys: None }
    }
}

impl Placement {
    /// A placement with matrices at uniform times of the shutter interval, both ends included; constant if all are equal.
    ///
    /// # Panics
    /// If there is no matrix, or more than [`MAX_PLACEMENT_KEYS`].
    pub fn moving(keys: &[Affine3A]) -> Placement {
        assert!(keys.len() <= MAX_PLACEMENT_KEYS, "Embree has a maximum number of time steps");
        let is_constant = keys.iter().all(|key| *key == keys[0]);
        Placement { keys: (!is_constant).then(|| keys.into()), ..keys[0].into() }
    }

    /// Returns whether the transform changes while the shutter is open.
    #[inline]
    pub fn is_moving(&self) -> bool {
        self.keys.is_some()
    }

    /// Transform when the shutter opens.
    #[inline]
    pub fn open(&self) -> &Transform {
        &self.open
    }

    /// Transform at a time in `[0,1]` of the shutter interval.
    #[inline(always)]
    pub fn at(&self, time: f32) -> PlacementAt<'_> {
        match &self.keys {
            None => PlacementAt::Constant(&self.open),
            Some(keys) => PlacementAt::Moving(interpolated(keys, time)),
        }
    }

    /// Object-to-world matrices at uniform times of the shutter interval; one if the placement is constant.
    pub fn keys(&self) -> &[Affine3A] {
        match &self.keys {
            None => std::slice::from_ref(&self.open.world_from_object),
            Some(keys) => keys,
        }
    }

    /// World-space bounds over the shutter interval; `at` returns the bounds under one transform.
    pub fn bounds(&self, at: impl Fn(&Transform) -> Bounds) -> Bounds {
        match &self.keys {
            None => at(&self.open),
            Some(keys) => (keys.iter())
                .map(|key| at(&Transform::new(*key)))
                .fold(Bounds::EMPTY, Bounds::union),
        }
    }

    /// The placement with changed object-to-world matrices.
    #[must_use]
    pub fn map(&self, change: impl Fn(&Affine3A) -> Affine3A) -> Placement {
        Placement::moving(&self.keys().iter().map(change).collect::<Vec<_>>())
    }

    /// Returns whether the entries of both matrices differ by at most `tolerance` at all times.
    pub fn is_near(&self, other: &Placement, tolerance: f32) -> bool {
        let is_near = |(a, b): (&Affine3A, &Affine3A)| {
            let pairs = a.to_cols_array().into_iter().zip(b.to_cols_array());
            pairs.into_iter().all(|(a, b)| (a - b).abs() <= tolerance)
        };
        let (a, b) = (self.keys(), other.keys());
        a.len() == b.len() && a.iter().zip(b).all(is_near)
    }

    /// Adds the bits of the matrices to a hash.
    pub fn hash_bits(&self, hasher: &mut impl Hasher) {
        for x in self.keys().iter().flat_map(Affine3A::to_cols_array) {
            x.to_bits().hash(hasher);
        }
    }
}

/// Transform of a placement at one time.
#[derive(Clone, Debug)]
pub enum PlacementAt<'a> {
    /// The transform of a constant placement.
    Constant(&'a Transform),
    /// The interpolated transform of a moving placement.
    Moving(Transform),
}

impl Deref for PlacementAt<'_> {
    type Target = Transform;

    #[inline(always)]
    fn deref(&self) -> &Transform {
        match self {
            PlacementAt::Constant(transform) => transform,
            PlacementAt::Moving(transform) => transform,
        }
    }
}

/// Segment of a time among uniform keys, and the fraction of the segment, by the arithmetic of Embree.
pub(super) fn segment(time: f32, keys: usize) -> (usize, f32) {
    let segments = keys - 1;
    let place = time * segments as f32;
    let index = (place.max(0.0) as usize).min(segments - 1);
    (index, place - index as f32)
}

#[inline(never)]
fn interpolated(keys: &[Affine3A], time: f32) -> Transform {
    let (index, fraction) = segment(time, keys.len());
    let (a, b) = (&keys[index], &keys[index + 1]);
    let rest = 1.0 - fraction;
    let matrix = Affine3A {
        matrix3: a.matrix3 * rest + b.matrix3 * fraction,
        translation: a.translation * rest + b.translation * fraction,
    };
    Transform::new(matrix).interpolated()
}

/// Affine transform from object space to world space with its inverse; may mirror and shear.
#[derive(Clone, Debug)]
pub struct Transform {
    world_from_object: Affine3A,
    object_from_world: Affine3A,
    /// Magnitude of the operands of `object_from_world`, see [`inverse_magnitude`].
    object_from_world_magnitude: Affine3A,
    is_mirrored: bool,
    /// True for a matrix between keys, which Embree rounds differently.
    is_interpolated: bool,
}

impl Transform {
    fn new(world_from_object: Affine3A) -> Transform {
        Transform {
            world_from_object,
            // Inverting in double precision keeps both matrices consistent to the last digit.
            object_from_world: inverse(&world_from_object),
            object_from_world_magnitude: inverse_magnitude(&world_from_object),
            is_mirrored: determinant(&world_from_object.matrix3) < 0.0,
            is_interpolated: false,
        }
    }

    fn interpolated(self) -> Transform {
        Transform { is_interpolated: true, ..self }
    }

    /// The matrix.
    #[inline]
    pub fn world_from_object(&self) -> &Affine3A {
        &self.world_from_object
    }

    /// World-space position of the origin of object space `[m]`.
    #[inline]
    pub fn origin(&self) -> Vec3 {
        self.world_from_object.translation.into()
    }

    /// Returns whether the transform changes handedness.
    #[inline]
    pub fn is_mirrored(&self) -> bool {
        self.is_mirrored
    }

    /// Transforms a point from object space to world space.
    #[inline]
    pub fn point(&self, p: Vec3) -> Vec3 {
        self.world_from_object.transform_point3(p)
    }

    /// Transforms a vector from object space to world space.
    #[inline]
    pub fn vector(&self, v: Vec3) -> Vec3 {
        self.world_from_object.transform_vector3(v)
    }

    /// Transforms a normal from object space to world space, by the inverse transpose. The result is not normalized and
    /// points outward if `n` does, also under mirroring.
    #[inline]
    pub fn normal(&self, n: Vec3) -> Vec3 {
        self.normal_matrix() * n
    }

    /// Inverse transpose of the linear part, which transforms normals.
    #[inline]
    pub fn normal_matrix(&self) -> Mat3A {
        self.object_from_world.matrix3.transpose()
    }

    /// Transforms a point from world space to object space.
    #[inline]
    pub fn inverse_point(&self, p: Vec3) -> Vec3 {
        self.object_from_world.transform_point3(p)
    }

    /// Transforms a vector from world space to object space.
    #[inline]
    pub fn inverse_vector(&self, v: Vec3) -> Vec3 {
        self.object_from_world.transform_vector3(v)
    }

    /// Bounds of a transformed box.
    pub fn bounds(&self, object: &Bounds) -> Bounds {
        object.transformed(&self.world_from_object)
    }

    /// The inverse in single precision.
    #[inline]
    pub(super) fn object_from_world(&self) -> &Affine3A {
        &self.object_from_world
    }

    /// The inverse in double precision, which ray queries of analytic surfaces use: rounding to single precision would
    /// move distant surfaces by more than the rounding of their points.
    pub fn exact_object_from_world(&self) -> DAffine3 {
        in_double(&self.world_from_object).inverse()
    }

    /// Scale factor of a similarity transform; `None` for other transforms.
    pub fn uniform_scale(&self) -> Option<f32> {
        similarity_scale(self.world_from_object.matrix3)
    }

    /// Factor between areas in object space and in world space, for the world-space unit normal `n`.
    pub(super) fn area_stretch(&self, n: Vec3) -> f32 {
        let matrix = self.world_from_object.matrix3;
        determinant(&matrix).abs() / (matrix.transpose() * n).length()
    }

    /// Magnitude, by axis, of the operands of world-space points within `extent` of the origin of object space.
    #[inline]
    pub fn magnitude(&self, extent: Vec3) -> Vec3A {
        self.world_from_object.matrix3.abs() * Vec3A::from(extent) + self.world_from_object.translation.abs()
    }

    /// Bounds the rounding error of points within `extent` of the origin of object space when transformed to world space
    /// and, as part of a ray, back.
    #[inline]
    pub(super) fn transformed_extent(&self, extent: Vec3) -> TransformedExtent {
        let world = self.magnitude(extent);
        let back = &self.object_from_world_magnitude;
        // Five roundings: four of the transform, one of the point that is moved off the surface. Interpolation adds three
        // in Embree and three here.
        let roundings = if self.is_interpolated { 11.0 } else { 5.0 };
        TransformedExtent {
            object: extent + Vec3::from(back.matrix3 * world + back.translation),
            world: Vec3::from(world) * (roundings / 16.0 * ROUNDING),
        }
    }
}

/// Bounds on the rounding error of transformed points.
pub(super) struct TransformedExtent {
    /// Magnitude of the intermediate values in object space, by axis.
    pub(super) object: Vec3,
    /// Bound on the error of the points in world space, by axis.
    pub(super) world: Vec3,
}

/// Scale factor of a matrix that preserves angles within rounding; `None` for other matrices.
pub(super) fn similarity_scale(m: Mat3A) -> Option<f32> {
    let scale = m.x_axis.length_squared();
    let lengths = [m.y_axis, m.z_axis].map(|axis| axis.length_squared() - scale);
    let products = [(m.x_axis, m.y_axis), (m.y_axis, m.z_axis), (m.z_axis, m.x_axis)].map(|(a, b)| a.dot(b));
    let close = |error: &f32| error.abs() <= 1e-5 * scale;
    lengths.iter().chain(&products).all(close).then(|| scale.sqrt())
}

/// Magnitude of the operands of the inverse of a transform in single precision: [`ROUNDING`] times the transformed
/// magnitude of a point bounds the error of the point in object space. Embree computes the inverse as adjoint over
/// determinant.
fn inverse_magnitude(world_from_object: &Affine3A) -> Affine3A {
    let transform = in_double(world_from_object);
    let inverse = transform.inverse();
    let (linear, translation) = (inverse.matrix3.abs(), inverse.translation.abs());
    // Cross product and determinant with a plus for each minus.
    let [x, y, z] = [
        transform.matrix3.x_axis.abs(),
        transform.matrix3.y_axis.abs(),
        transform.matrix3.z_axis.abs(),
    ];
    let cross = |a: DVec3, b: DVec3| a.yzx() * b.zxy() + a.zxy() * b.yzx();
    let adjoint = DMat3::from_cols(cross(y, z), cross(z, x), cross(x, y)).transpose();
    let per_determinant = transform.matrix3.determinant().abs().recip();
    let determinant = x.dot(cross(y, z)) * per_determinant;
    // Roundings: two in the adjoint, four in the determinant, two in the division, three as a point is transformed.
    let share = 1.0 / 16.0;
    let linear = adjoint * (2.0 * per_determinant * share) + linear * ((5.0 + 4.0 * determinant) * share);
    let translation = linear * transform.translation.abs() + translation * (3.0 * share);
    in_single(&DAffine3 { matrix3: linear, translation })
}
