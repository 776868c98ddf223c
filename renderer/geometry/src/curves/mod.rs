//! Curves: strands of hair, fur, grass and thread as tubes or ribbons along splines; valid by construction.
//!
//! - A strand is a chain of segments, each a cubic of position and radius.
//! - A segment is traced in pieces, which have tighter bounding boxes: the primitives of the shape.
//! - A tube is the envelope of the spheres about the points of its curve, so that it is closed: segments join without
//!   gaps, and strands end in hemispheres.
//! - A ribbon faces the ray that hits it, or the normals of its control points.
//!
//! Intersections are computed in double precision without the instruction sets on which Embree's own curves depend.

mod basis;
mod cubic;
mod error;
mod facing_ribbon;
mod oriented_ribbon;
mod patch;
mod piece;
mod query;
mod ray_frame;
mod root;
mod tube;

use std::iter;
use std::sync::Arc;

use glam::{Affine3A, DVec4, Vec3, Vec3Swizzles, Vec4};

use super::strand_motion::{StrandMotion, blended};
use super::{AttributeDomain, MeshAttribute};
pub use basis::CurveBasis;
use cubic::Cubic;
pub use error::CurvesError;
pub(super) use query::CurveHit;
pub(super) use ray_frame::RayFrame;
use renderer_base::math::Bounds;

/// Largest coordinate and radius `[m]`.
pub(super) const MAX_COORDINATE: f32 = 1e15;

/// Largest number of primitives.
const MAX_PRIMITIVES: usize = u32::MAX as usize - 1;

/// Cross section of curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CurveStyle {
    /// Round tube with closed ends.
    Round,
    /// Ribbon that faces the ray.
    Ribbon,
    /// Ribbon across the normals of the control points.
    Flat,
}

/// Description of curves, object space.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveSet {
    /// Basis of all strands.
    pub basis: CurveBasis,
    /// Cross section of all strands.
    pub style: CurveStyle,
    /// Number of control points of each strand.
    pub strands: Vec<u32>,
    /// Position and radius of each control point, strand by strand `[m]`.
    pub vertices: Vec<Vec4>,
    /// Normal at each control point of [`CurveStyle::Flat`]; empty for other styles.
    pub normals: Vec<Vec3>,
    /// Values by name: by control point, or by strand as [`AttributeDomain::Face`].
    pub attributes: Vec<MeshAttribute>,
}

/// Curves in object space.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    set: CurveSet,
    /// First control point of each segment.
    segments: Vec<u32>,
    /// First segment of each strand, then the number of segments.
    first_segments: Vec<u32>,
    /// Pieces of each segment.
    pieces: u32,
    /// Bounds over the shutter interval.
    bounds: Bounds,
    /// Motion of the control points, if they move; `set` has them as they are when the shutter opens.
    motion: Option<StrandMotion>,
}

/// Place on a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePlace {
    /// Index of the strand.
    pub strand: u32,
    /// First control point of the segment.
    pub first: u32,
    /// Weights of the control points from `first` on.
    pub weights: [f32; 4],
    /// Derivatives of the weights by the parameter of the strand.
    pub slopes: [f32; 4],
}

impl CurveSet {
    /// Adds a control point before and after each strand, so that a B-spline or Catmull–Rom spline begins and ends at the
    /// given points. Does nothing to other bases.
    #[must_use]
    pub fn pinned(self) -> CurveSet {
        if self.basis.is_interpolating() {
            return self;
        }
        let mut order: Vec<[u32; 2]> = vec![];
        let mut first = 0;
        for &count in &self.strands {
            let last = (first + count).saturating_sub(1);
            let own = first..first + count;
            if count > 0 {
                order.push([first, (first + 1).min(last)]);
                order.extend(own.map(|index| [index; 2]));
                order.push([last, last.saturating_sub(1).max(first)]);
            }
            first += count;
        }
        // A phantom point continues the line from its second to its first point.
        let vertex = |index: u32| self.vertices.get(index as usize).copied().unwrap_or_default();
        let extended = |&[end, next]: &[u32; 2]| {
            let [end, next] = [vertex(end), vertex(next)];
            (end * 2.0 - next).truncate().extend((end.w * 2.0 - next.w).max(0.0))
        };
        let repeated = |attribute: &MeshAttribute| MeshAttribute {
            values: match attribute.domain {
                AttributeDomain::Face => attribute.values.clone(),
                AttributeDomain::Vertex => {
                    let of = |&[end, _]: &[u32; 2]| {
                        let from = end as usize * attribute.width;
                        attribute.values.get(from..from + attribute.width).unwrap_or_default()
                    };
                    order.iter().flat_map(of).copied().collect()
                }
            },
            ..attribute.clone()
        };
        CurveSet {
            vertices: order.iter().map(extended).collect(),
            normals: match self.normals.is_empty() {
                true => vec![],
                false => order
                    .iter()
                    .filter_map(|[end, _]| self.normals.get(*end as usize).copied())
                    .collect(),
            },
            attributes: self.attributes.iter().map(repeated).collect(),
            strands: self
                .strands
                .iter()
                .map(|&count| if count > 0 { count + 2 } else { 0 })
                .collect(),
            ..self
        }
    }

    fn check(&self) -> Result<(), CurvesError> {
        if self.strands.is_empty() {
            return Err(CurvesError::Empty("curves"));
        }
        let is_wrong = |&count: &u32| self.basis.segments(count as usize).is_none();
        if let Some(strand) = self.strands.iter().position(is_wrong) {
            return Err(CurvesError::Points {
                strand,
                found: self.strands[strand] as usize,
                basis: match self.basis {
                    CurveBasis::Linear => "a line has at least 2",
                    CurveBasis::Bezier => "a Bézier curve has 4, 7, 10 or more in steps of 3",
                    CurveBasis::BSpline | CurveBasis::CatmullRom => {
                        "a spline has at least 4, phantom points included"
                    }
                },
            });
        }
        let expected: usize = self.strands.iter().map(|&count| count as usize).sum();
        if expected != self.vertices.len() {
            return Err(CurvesError::Count { expected, found: self.vertices.len() });
        }
        check_vertices(&self.vertices)?;
        let is_normal = |n: &&Vec3| n.is_finite() && n.length_squared() > f32::MIN_POSITIVE;
        let normals = self.normals.iter().filter(is_normal).count();
        let needed = if self.style == CurveStyle::Flat { expected } else { 0 };
        if normals != self.normals.len() || normals != needed {
            return Err(CurvesError::Normals { expected: needed, found: normals });
        }
        for attribute in &self.attributes {
            if !attribute.is_valid(attribute.count(expected, self.strands.len())) {
                return Err(CurvesError::Attribute(attribute.name.clone()));
            }
        }
        Ok(())
    }
}

/// Checks positions and radii.
pub(super) fn check_vertices(vertices: &[Vec4]) -> Result<(), CurvesError> {
    for (vertex, p) in vertices.iter().enumerate() {
        // NaN fails these comparisons.
        if !p.truncate().abs().cmple(Vec3::splat(MAX_COORDINATE)).all() {
            return Err(CurvesError::Position(vertex));
        }
        if !(0.0..=MAX_COORDINATE).contains(&p.w) {
            return Err(CurvesError::Radius { vertex, radius: p.w });
        }
    }
    Ok(())
}

impl Curves {
    /// Checks the description and prepares it for ray queries.
    ///
    /// # Errors
    /// The first error found.
    pub fn new(set: CurveSet) -> Result<Curves, CurvesError> {
        set.check()?;
        let (basis, mut first) = (set.basis, 0u32);
        let (mut segments, mut first_segments) = (vec![], vec![]);
        for &count in &set.strands {
            first_segments.push(segments.len() as u32);
            let own = basis.segments(count as usize).unwrap_or(0) as u32;
            segments.extend((0..own).map(|segment| first + segment * basis.step() as u32));
            first += count;
        }
        first_segments.push(segments.len() as u32);
        let most = MAX_PRIMITIVES / MAX_PIECES as usize;
        if segments.len() > most {
            return Err(CurvesError::TooLarge { what: "segments", found: segments.len(), most });
        }
        segments.shrink_to_fit();
        let mut curves = Curves {
            set,
            segments,
            first_segments,
            pieces: 1,
            bounds: Bounds::EMPTY,
            motion: None,
        };
        curves.pieces = curves.good_pieces();
        let all = (0..curves.segments.len()).map(|segment| curves.segment_bounds(segment));
        curves.bounds = all.fold(Bounds::EMPTY, Bounds::union);
        Ok(curves)
    }

    /// Curves whose control points move, by keys at uniform times of the shutter interval; the rest is that of the first
    /// key. `None` if the keys are not alike, or there is none.
    ///
    /// # Panics
    /// If there are more keys than [`MAX_PLACEMENT_KEYS`](crate::MAX_PLACEMENT_KEYS).
    pub fn moving(keys: &[Arc<Curves>]) -> Option<Curves> {
        let first = keys.first()?;
        if !keys.iter().all(|key| key.is_alike(first)) {
            return None;
        }
        let motion = StrandMotion::new(keys.iter().map(|key| key.key()));
        let bounds = keys.iter().fold(Bounds::EMPTY, |bounds, key| bounds.union(key.bounds));
        Some(Curves { motion, bounds, ..Curves::clone(first) })
    }

    /// Returns whether other curves have the same strands, basis and style.
    pub fn is_alike(&self, other: &Curves) -> bool {
        let kind = |curves: &Curves| (curves.set.basis, curves.set.style);
        kind(self) == kind(other) && self.set.strands == other.set.strands
    }

    /// Curves between these and others that are alike.
    ///
    /// # Errors
    /// If a control point or a normal between them is invalid.
    pub fn blended(&self, other: &Curves, part: f32) -> Result<Curves, CurvesError> {
        let (vertices, normals) = blended([self.key(), other.key()], part);
        Curves::new(CurveSet { vertices, normals, ..self.set.clone() })
    }

    /// Motion of the control points, if they move.
    #[inline]
    pub fn motion(&self) -> Option<&StrandMotion> {
        self.motion.as_ref()
    }

    fn key(&self) -> (&[Vec4], &[Vec3]) {
        (&self.set.vertices, &self.set.normals)
    }

    /// The description.
    pub fn set(&self) -> &CurveSet {
        &self.set
    }

    /// Number of strands.
    pub fn strand_count(&self) -> usize {
        self.set.strands.len()
    }

    /// Number of segments of all strands.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Number of primitives: pieces of segments.
    pub fn primitive_count(&self) -> u32 {
        self.segments.len() as u32 * self.pieces
    }

    /// Bounding box `[m]`.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Memory in use [bytes].
    pub fn memory(&self) -> usize {
        let CurveSet { strands, vertices, normals, attributes, .. } = &self.set;
        let attributes: usize = attributes.iter().map(|attribute| size_of_val(&*attribute.values)).sum();
        size_of_val(&**strands)
            + size_of_val(&**vertices)
            + size_of_val(&**normals)
            + size_of_val(&*self.segments)
            + size_of_val(&*self.first_segments)
            + attributes
            + self.motion.as_ref().map_or(0, StrandMotion::memory)
    }

    /// Strand of a primitive.
    pub fn strand_of(&self, primitive: u32) -> u32 {
        let segment = primitive / self.pieces;
        (self.first_segments.partition_point(|&first| first <= segment) - 1) as u32
    }

    /// Place at the parameter `u` of the strand of a primitive, in the segment of the primitive.
    pub fn place(&self, primitive: u32, u: f32) -> CurvePlace {
        let (strand, index, count) = self.segment_in_strand(primitive);
        let s = f64::from(u) * count - index;
        let [weights, slopes] = self.set.basis.weights(s.clamp(0.0, 1.0));
        CurvePlace {
            strand,
            first: self.segments[(primitive / self.pieces) as usize],
            weights: weights.map(|weight| weight as f32),
            slopes: slopes.map(|slope| (slope * count) as f32),
        }
    }

    /// Position and radius of a place at a time of the shutter interval.
    pub fn vertex_at(&self, place: &CurvePlace, time: f32) -> Vec4 {
        let points = (place.first as usize..self.set.vertices.len()).zip(place.weights);
        points.map(|(index, weight)| self.control_point(index, time) * weight).sum()
    }

    #[inline]
    fn control_point(&self, index: usize, time: f32) -> Vec4 {
        match &self.motion {
            None => self.set.vertices[index],
            Some(motion) => motion.vertex(index, time),
        }
    }

    /// Length of the polygon of a strand's control points at a time of the shutter interval `[m]`.
    pub fn strand_length(&self, strand: u32, time: f32) -> f32 {
        let [first, end] = [0, 1].map(|next| self.first_segments[strand as usize + next]);
        let segment = |segment: u32| {
            let cubic = self.cubic_at(segment, time, DVec4::from);
            cubic.0[0].truncate().distance(cubic.0[3].truncate())
        };
        (first..end).map(segment).sum::<f64>() as f32
    }

    /// Parameter of the strand at a parameter of a segment, and the number of segments of the strand.
    pub(super) fn strand_parameter(&self, primitive: u32, s: f64) -> (f32, f64) {
        let (_, index, count) = self.segment_in_strand(primitive);
        (((index + s) / count) as f32, count)
    }

    /// Parameter of the segment of a primitive at a parameter of its strand.
    pub(super) fn segment_parameter(&self, primitive: u32, u: f32) -> f64 {
        let (_, index, count) = self.segment_in_strand(primitive);
        (f64::from(u) * count - index).clamp(0.0, 1.0)
    }

    /// Strand of a primitive, the index of its segment in the strand, and the number of segments of the strand.
    fn segment_in_strand(&self, primitive: u32) -> (u32, f64, f64) {
        let (segment, strand) = (primitive / self.pieces, self.strand_of(primitive));
        let [first, end] = [0, 1].map(|next| self.first_segments[strand as usize + next]);
        (strand, f64::from(segment - first), f64::from(end - first))
    }

    /// The cubic of a segment in the frame of a ray, at its time.
    #[inline]
    fn cubic_in(&self, frame: &RayFrame, segment: u32) -> Cubic {
        self.cubic_at(segment, frame.time, |vertex| frame.vertex(vertex))
    }

    /// The cubic of a segment at a time of the shutter interval; `point` transforms the control points.
    #[inline]
    fn cubic_at(&self, segment: u32, time: f32, point: impl Fn(Vec4) -> DVec4) -> Cubic {
        match &self.motion {
            None => self.cubic_of(&self.set.vertices, segment, point),
            Some(motion) => {
                let first = self.segments[segment as usize] as usize;
                let last = self.set.basis.segment_points() - 1;
                let points = [0, 1, 2, 3].map(|index: usize| motion.vertex(first + index.min(last), time));
                self.set.basis.cubic(points.map(point))
            }
        }
    }

    /// The cubic of a segment with these control points of all curves; `point` transforms them.
    #[inline]
    fn cubic_of(&self, vertices: &[Vec4], segment: u32, point: impl Fn(Vec4) -> DVec4) -> Cubic {
        let first = self.segments[segment as usize] as usize;
        let points = match self.set.basis {
            CurveBasis::Linear => {
                let [a, b] = [vertices[first], vertices[first + 1]].map(point);
                [a, b, b, b]
            }
            _ => {
                let four = &vertices[first..first + 4];
                [four[0], four[1], four[2], four[3]].map(point)
            }
        };
        self.set.basis.cubic(points)
    }

    /// Interval of the segment's parameter of a primitive.
    #[inline]
    fn span(&self, primitive: u32) -> [f64; 2] {
        let (piece, scale) = (primitive % self.pieces, 1.0 / f64::from(self.pieces));
        [f64::from(piece) * scale, f64::from(piece + 1) * scale]
    }

    /// Control points at each key of the motion; one list if they are constant.
    pub(super) fn keys(&self) -> &[Vec<Vec4>] {
        match &self.motion {
            None => std::slice::from_ref(&self.set.vertices),
            Some(motion) => motion.vertices(),
        }
    }

    /// Bounding box of a primitive with the control points of a key, under a transform.
    pub(super) fn primitive_bounds(&self, primitive: u32, key: &[Vec4], to_world: &Affine3A) -> Bounds {
        let cubic = self.cubic_of(key, primitive / self.pieces, DVec4::from);
        let cubic = if self.pieces == 1 {
            cubic
        } else {
            cubic.part(self.span(primitive))
        };
        bounds_of(&cubic, to_world)
    }

    fn segment_bounds(&self, segment: usize) -> Bounds {
        let cubic = self.cubic_of(&self.set.vertices, segment as u32, DVec4::from);
        bounds_of(&cubic, &Affine3A::IDENTITY)
    }
}

/// Bounding box of a curve under a transform, enlarged by its rounding.
fn bounds_of(cubic: &Cubic, to_world: &Affine3A) -> Bounds {
    let matrix = to_world.matrix3;
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(Vec3::from);
    // The extent of a transformed sphere along an axis is the length of that row of the matrix.
    let extent = (x * x + y * y + z * z).map(f32::sqrt) * cubic.max_radius() as f32;
    let center = Bounds::of_points(cubic.0.iter().map(|p| to_world.transform_point3(p.truncate().as_vec3())));
    let magnitude = matrix.abs()
        * cubic
            .0
            .iter()
            .fold(Vec3::ZERO, |most, p| most.max(p.truncate().as_vec3().abs()))
        + Vec3::from(to_world.translation).abs();
    let margin = extent + (magnitude + extent) * (16.0 * f32::EPSILON) + f32::MIN_POSITIVE;
    Bounds { min: center.min - margin, max: center.max + margin }
}

/// Largest number of pieces of a segment.
const MAX_PIECES: u32 = 8;

impl Curves {
    /// Number of pieces of each segment: halves segments as long as that shrinks their boxes and there are few.
    fn good_pieces(&self) -> u32 {
        /// Number of primitives up to which pieces are worth their memory.
        const MANY: usize = 1 << 25;
        /// Largest ratio of the boxes' surfaces after and before halving.
        const GAIN: f32 = 0.7;
        const SAMPLES: usize = 1024;
        let step = self.segments.len().div_ceil(SAMPLES);
        let area = |pieces: u32| -> f32 {
            let scale = 1.0 / f64::from(pieces);
            let surface = |segment: usize| -> f32 {
                let cubic = self.cubic_of(&self.set.vertices, segment as u32, DVec4::from);
                let parts = (0..pieces).map(|k| cubic.part([f64::from(k) * scale, f64::from(k + 1) * scale]));
                parts
                    .map(|part| {
                        let bounds = bounds_of(&part, &Affine3A::IDENTITY);
                        let size = bounds.max - bounds.min;
                        size.dot(size.yzx())
                    })
                    .sum()
            };
            (0..self.segments.len()).step_by(step).map(surface).sum()
        };
        let doubled = iter::successors(Some(1), |pieces| Some(pieces * 2));
        let mut chosen = 1;
        let mut last = area(1);
        for pieces in doubled.skip(1).take_while(|&pieces| pieces <= MAX_PIECES) {
            let next = area(pieces);
            let fits = self.segments.len() * pieces as usize <= MANY;
            let shrinks = next < GAIN * last;
            if !(fits && shrinks) {
                break;
            }
            (chosen, last) = (pieces, next);
        }
        chosen
    }
}

#[cfg(test)]
mod tests;
