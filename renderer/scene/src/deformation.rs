//! Deformation: meshes, curves and points whose vertices move, as by skins and morph targets.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use glam::Vec4;

use crate::{GeometryDesc, SceneTime, Shutter};
use renderer_geometry::{Curves, Points, VertexMotion};

/// Mesh, curves or points over time; only their vertices change.
pub trait Deformation: fmt::Debug + Send + Sync {
    /// The geometry at a time; `None` if it cannot be computed.
    fn at(&self, time: SceneTime) -> Option<GeometryDesc>;
}

/// Samples a deformation at uniform times of the shutter interval, between which linear interpolation is accurate. Returns
/// the geometry when the shutter opens, and the motion of a mesh if it moves; `None` if a geometry cannot be computed.
pub(super) fn sampled(
    deformation: &dyn Deformation,
    shutter: &Shutter,
) -> Option<(GeometryDesc, Option<Arc<VertexMotion>>)> {
    /// Maximum number of segments.
    const MAX_SEGMENTS: usize = 32;
    let at = |fraction: f64| deformation.at(shutter.at(fraction));
    let open = at(0.0)?;
    if shutter.open == shutter.close {
        return Some((open, None));
    }
    let mut keys = vec![open, at(0.5)?, at(1.0)?];
    loop {
        let segments = keys.len() - 1;
        let middles = (0..segments).map(|index| at((index as f64 + 0.5) / segments as f64));
        let middles: Vec<GeometryDesc> = middles.collect::<Option<_>>()?;
        let is_linear = keys.windows(2).zip(&middles).all(|(ends, middle)| is_between(ends, middle));
        if is_linear || segments >= MAX_SEGMENTS {
            break;
        }
        let mut all = Vec::with_capacity(2 * segments + 1);
        let mut middles = middles.into_iter();
        for key in keys {
            all.push(key);
            all.extend(middles.next());
        }
        keys = all;
    }
    moving(&keys)
}

/// The first of several keys, with its motion.
fn moving(keys: &[GeometryDesc]) -> Option<(GeometryDesc, Option<Arc<VertexMotion>>)> {
    if let Some(meshes) = all_of(keys, GeometryDesc::mesh) {
        let motion = VertexMotion::new(&meshes).ok()?;
        return Some((keys[0].clone(), motion.map(Arc::new)));
    }
    let geometry = match &keys[0] {
        GeometryDesc::Curves(_) => Curves::moving(&all_of(keys, GeometryDesc::curves)?)?.into(),
        GeometryDesc::Points(_) => Points::moving(&all_of(keys, GeometryDesc::points)?)?.into(),
        _ => return None,
    };
    Some((geometry, None))
}

/// A part that all keys have.
fn all_of<T>(keys: &[GeometryDesc], part: fn(&GeometryDesc) -> Option<&Arc<T>>) -> Option<Vec<Arc<T>>> {
    keys.iter().map(|key| part(key).cloned()).collect()
}

/// Returns whether the vertices of a geometry are in the middle of those of two others, within small parts of its extent
/// and of their radii.
fn is_between(ends: &[GeometryDesc], middle: &GeometryDesc) -> bool {
    const TOLERANCE: f32 = 2e-4;
    const RADIUS_TOLERANCE: f32 = 1e-2;
    let allowed = TOLERANCE * middle.build().0.bounds().radius();
    let [a, b, middle] = [&ends[0], &ends[1], middle].map(vertices);
    let is_near = |((&a, &b), &v): ((&Vec4, &Vec4), &Vec4)| {
        let error = (a + b) * 0.5 - v;
        error.truncate().length() <= allowed && error.w.abs() <= RADIUS_TOLERANCE * v.w
    };
    a.len() == middle.len() && a.iter().zip(&*b).zip(&*middle).all(is_near)
}

/// Positions and radii of the vertices; those of a mesh have none.
fn vertices(geometry: &GeometryDesc) -> Cow<'_, [Vec4]> {
    match geometry {
        GeometryDesc::Mesh(mesh) => mesh.positions.iter().map(|p| p.extend(0.0)).collect(),
        GeometryDesc::Curves(curves) => Cow::Borrowed(&curves.set().vertices),
        GeometryDesc::Points(points) => Cow::Borrowed(points.vertices()),
        _ => Cow::Borrowed(&[]),
    }
}
