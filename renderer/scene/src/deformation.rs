//! Deformation: meshes whose vertices move, as by skins and morph targets.

use std::fmt;
use std::sync::Arc;

use crate::{SceneTime, Shutter};
use renderer_geometry::{Mesh, VertexMotion};

/// Mesh over time; its triangles are constant.
pub trait Deformation: fmt::Debug + Send + Sync {
    /// The mesh at a time; `None` if it cannot be computed.
    fn at(&self, time: SceneTime) -> Option<Mesh>;
}

/// Samples a deformation at uniform times of the shutter interval, between which linear interpolation is accurate. Returns
/// the mesh when the shutter opens, and its motion if it moves; `None` if a mesh cannot be computed.
pub(super) fn sampled(
    deformation: &dyn Deformation,
    shutter: &Shutter,
) -> Option<(Mesh, Option<Arc<VertexMotion>>)> {
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
        let middles: Vec<Mesh> = middles.collect::<Option<_>>()?;
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
    let motion = VertexMotion::new(&keys).ok()?;
    Some((keys.swap_remove(0), motion.map(Arc::new)))
}

/// Returns whether the vertices of a mesh are in the middle of those of two others, within a small part of its extent.
fn is_between(ends: &[Mesh], middle: &Mesh) -> bool {
    const TOLERANCE: f32 = 2e-4;
    let allowed = TOLERANCE * middle.bounds().radius();
    let [a, b] = [&ends[0].positions, &ends[1].positions];
    let pairs = a.iter().zip(b).zip(&middle.positions);
    a.len() == middle.positions.len()
        && pairs.into_iter().all(|((&a, &b), p)| ((a + b) * 0.5).distance(*p) <= allowed)
}
