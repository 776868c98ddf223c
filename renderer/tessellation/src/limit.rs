//! Limit surfaces, evaluated by patches of OpenSubdiv.

use std::fmt;

use glam::{Vec2, Vec3};
use opensubdiv_rs::far::{
    AdaptiveOptions, FVarChannelDescriptor, PatchBasis, PatchMap, PatchTable, PatchTableFactory,
    PatchTableOptions, PrimvarRefiner, TopologyDescriptor, TopologyRefiner, TopologyRefinerFactory,
};
use opensubdiv_rs::sdc::{FVarLinearInterpolation, Options, SchemeType, VtxBoundaryInterpolation};

use crate::attributes::AttributeBasis;
use crate::borders::INFINITELY_SHARP;
use crate::cage::Cage;
use crate::patch::Patch;
use crate::point::Point;
use crate::regular::RegularPatches;
use crate::{Boundary, Scheme, Subdivision, TessellationError, UvInterpolation};

/// Refinements around points where patches are not regular. There, an approximation replaces the limit: its error is at most 1e-2
/// of an edge of the cage, and less than 1e-5 farther than a thirtieth of an edge from the point.
const ISOLATION: usize = 5;

/// Refined topology of a cage, and the patches of its limit surface.
pub(crate) struct LimitSurface {
    refiner: TopologyRefiner,
    patches: PatchTable,
    /// The regular patches, and those of the attributes.
    regular: RegularPatches,
    regular_attributes: Option<RegularPatches>,
    is_triangular: bool,
    /// True if attributes have patches of their own; otherwise they are linear in each face.
    has_attributes: bool,
}

impl fmt::Debug for LimitSurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LimitSurface of {} patches", self.patches.num_patches())
    }
}

impl LimitSurface {
    /// The limit surface of a cage; `channel` has the vertex with the values of each corner, and the number of vertices.
    pub(crate) fn new(
        cage: &Cage,
        channel: (&[u32], usize),
        subdivision: &Subdivision,
    ) -> Result<LimitSurface, TessellationError> {
        let sizes: Vec<usize> = (0..cage.face_count() as u32).map(|face| cage.face(face).len()).collect();
        let (edges, sharpness): (Vec<[u32; 2]>, Vec<f32>) = cage.creases.iter().copied().unzip();
        let (corners, corner_sharpness): (Vec<u32>, Vec<f32>) = cage.corners.iter().copied().unzip();
        let holes: Vec<u32> = (0..cage.face_count() as u32)
            .filter(|&face| cage.holes[face as usize])
            .collect();
        let channels = [FVarChannelDescriptor::new(channel.1, channel.0)];
        let has_attributes = subdivision.uvs != UvInterpolation::Linear;
        let mut descriptor = TopologyDescriptor::new(cage.vertex_of_point.len(), &sizes, &cage.points)
            .with_creases(&edges, &sharpness)
            .with_corners(&corners, &corner_sharpness)
            .with_holes(&holes);
        if has_attributes {
            descriptor = descriptor.with_fvar_channels(&channels);
        }
        let options = Options::new()
            .with_vtx_boundary_interpolation(match subdivision.boundary {
                Boundary::Rounded => VtxBoundaryInterpolation::EdgeOnly,
                Boundary::Corners => VtxBoundaryInterpolation::EdgeAndCorner,
            })
            .with_fvar_linear_interpolation(match subdivision.uvs {
                UvInterpolation::Linear => FVarLinearInterpolation::All,
                UvInterpolation::Boundaries => FVarLinearInterpolation::Boundaries,
                UvInterpolation::Corners => FVarLinearInterpolation::CornersPlus1,
                UvInterpolation::Smooth => FVarLinearInterpolation::None,
            });
        let is_triangular = subdivision.scheme == Scheme::Loop;
        let scheme = if is_triangular { SchemeType::Loop } else { SchemeType::Catmark };
        let unsupported =
            |error: opensubdiv_rs::vtr::TopologyError| TessellationError::Topology(error.to_string());
        let mut refiner = TopologyRefinerFactory::create(descriptor, scheme, options).map_err(unsupported)?;
        // Creases that end must be refined until they are smooth.
        let finite = sharpness
            .iter()
            .chain(&corner_sharpness)
            .filter(|&&sharpness| sharpness < INFINITELY_SHARP);
        let deepest = finite.fold(0.0f32, |a, &b| a.max(b)).ceil() as usize;
        let isolation = AdaptiveOptions::new(ISOLATION.max(deepest + 1))
            .with_single_crease_patch(!is_triangular)
            .with_consider_fvar_channels(has_attributes);
        refiner.refine_adaptive(isolation);
        let options = PatchTableOptions::new()
            .with_fvar_tables(has_attributes)
            .with_fvar_legacy_linear_patches(false);
        let patches = PatchTableFactory::create_with_options(&refiner, &options).map_err(unsupported)?;
        Ok(LimitSurface {
            regular: RegularPatches::of_points(&patches),
            regular_attributes: has_attributes.then(|| RegularPatches::of_channel(&patches, 0)),
            refiner,
            patches,
            is_triangular,
            has_attributes,
        })
    }

    /// Values at the points of all refinements.
    pub(crate) fn refined(&self, points: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
        let levels = PrimvarRefiner::new(&self.refiner).interpolate_all(&points);
        points.into_iter().chain(levels.into_iter().flatten()).collect()
    }

    /// Values of an attribute at the vertices of all refinements; those of the mesh alone if it is linear.
    pub(crate) fn refined_attribute(&self, values: Vec<f32>) -> Vec<f32> {
        if !self.has_attributes {
            return values;
        }
        let levels = PrimvarRefiner::new(&self.refiner).interpolate_face_varying_all(0, &values);
        values.into_iter().chain(levels.into_iter().flatten()).collect()
    }

    pub(crate) fn point(&self, cage: &Cage, patch: Patch, controls: &[[f32; 3]], st: Vec2) -> Point {
        let place = self.place(cage, patch, st);
        let Some((index, uv)) = self.find(&place) else {
            return Point::default();
        };
        let Point { p, dpds: dpdu, dpdt: dpdv } = self.face_point(index, uv, controls);
        Point {
            p,
            dpds: dpdu * place.duvds.x + dpdv * place.duvds.y,
            dpdt: dpdu * place.duvdt.x + dpdv * place.duvdt.y,
        }
    }

    /// The point of a patch, with its derivatives along the parameters of the face.
    fn face_point(&self, index: usize, uv: Vec2, controls: &[[f32; 3]]) -> Point {
        let regular = self.regular.point((index, &self.patches.patch_param(index)), controls, uv);
        if let Some(point) = regular {
            return point;
        }
        let PatchBasis { indices, weights, du_weights, dv_weights } =
            self.patches.evaluate_basis(index, uv.x, uv.y);
        let sum = |weights: &[f32]| {
            let terms = indices.iter().zip(weights);
            terms
                .map(|(&index, &w)| Vec3::from_array(controls[index as usize]) * w)
                .sum::<Vec3>()
        };
        Point {
            p: sum(&weights),
            dpds: sum(&du_weights),
            dpdt: sum(&dv_weights),
        }
    }

    /// Weights of the refined values of attributes; `None` if they are linear.
    pub(crate) fn attribute_basis(&self, cage: &Cage, patch: Patch, st: Vec2) -> Option<AttributeBasis> {
        if !self.has_attributes {
            return None;
        }
        let (index, uv) = self.find(&self.place(cage, patch, st))?;
        let param = self.patches.patch_param(index);
        let regular = self.regular_attributes.as_ref();
        if let Some((indices, weights)) = regular.and_then(|regular| regular.weights((index, &param), uv)) {
            return Some(AttributeBasis { indices: indices.to_vec(), weights: weights.to_vec() });
        }
        let PatchBasis { indices, weights, .. } =
            self.patches.evaluate_basis_face_varying(index, uv.x, uv.y, 0);
        Some(AttributeBasis { indices, weights })
    }

    fn find(&self, place: &ParameterPlace) -> Option<(usize, Vec2)> {
        let index = PatchMap::new(&self.patches).find_patch(place.face, place.uv.x, place.uv.y)?;
        Some((index, place.uv))
    }

    /// The place of a patch's coordinates on the faces of OpenSubdiv.
    fn place(&self, cage: &Cage, patch: Patch, st: Vec2) -> ParameterPlace {
        let first = self.patches.ptex_indices().face_id(patch.face as usize) as usize;
        let corner = patch.corner - cage.face(patch.face).start;
        if !self.is_triangular {
            let part = if patch.is_whole { 0 } else { corner as usize };
            return ParameterPlace { face: first + part, uv: st, duvds: Vec2::X, duvdt: Vec2::Y };
        }
        let corners = [Vec2::ZERO, Vec2::X, Vec2::Y];
        let around = |offset: u32| corners[(corner + offset) as usize % 3];
        let (own, next, last) = (around(0), around(1), around(2));
        let (right, center, left) = (own.midpoint(next), Vec2::splat(1.0 / 3.0), own.midpoint(last));
        let (bottom, top) = (own.lerp(right, st.x), left.lerp(center, st.x));
        ParameterPlace {
            face: first,
            uv: bottom.lerp(top, st.y).clamp(Vec2::ZERO, Vec2::ONE),
            duvds: (right - own).lerp(center - left, st.y),
            duvdt: (left - own).lerp(center - right, st.x),
        }
    }
}

/// Place on a face of OpenSubdiv, with the change of its parameters by the coordinates of a patch.
struct ParameterPlace {
    face: usize,
    uv: Vec2,
    duvds: Vec2,
    duvdt: Vec2,
}

#[cfg(test)]
mod tests {
    use super::*;
    use renderer_geometry::{Faces, Mesh};
    use std::sync::Arc;

    #[test]
    fn regular_patches_equal_those_of_the_crate() {
        const SIDE: u32 = 5;
        let bent = |i: u32| {
            let (x, y) = ((i % SIDE) as f32, (i / SIDE) as f32);
            Vec3::new(x + 0.2 * (y * 1.3).sin(), y + 0.1 * (x * 2.1).cos(), 0.3 * (x * y).sin())
        };
        let mut faces = Faces::default();
        let mut triangles = vec![];
        for cell in 0..(SIDE - 1) * (SIDE - 1) {
            let a = cell / (SIDE - 1) * SIDE + cell % (SIDE - 1);
            // Each face begins at another corner, so that patches are rotated.
            let mut corners = [a, a + 1, a + SIDE + 1, a + SIDE];
            corners.rotate_left(cell as usize % 4);
            faces.push(&corners);
            triangles.extend([[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]);
        }
        let positions: Vec<Vec3> = (0..SIDE * SIDE).map(bent).collect();
        let mesh = Mesh {
            positions,
            triangles,
            faces: Some(Arc::new(faces)),
            ..Mesh::default()
        };
        let subdivision = Subdivision { scheme: Scheme::CatmullClark, ..Subdivision::default() };
        let cage = Cage::new(&mesh, &subdivision).unwrap();
        let limit = LimitSurface::new(&cage, (&cage.vertices, mesh.positions.len()), &subdivision).unwrap();
        let controls = limit.refined(mesh.positions.iter().map(Vec3::to_array).collect());
        let mut compared = 0;
        for index in 0..limit.patches.num_patches() {
            let param = limit.patches.patch_param(index);
            let (u, v) = param.unnormalize(0.3, 0.8);
            let Some(point) = limit.regular.point((index, &param), &controls, Vec2::new(u, v)) else {
                continue;
            };
            let (p, du, dv) = limit.patches.evaluate(index, u, v, &controls);
            for (found, expected) in [(point.p, p), (point.dpds, du), (point.dpdt, dv)] {
                // Derivatives are differences over the patch.
                let tolerance = 1e-5 * (1 << param.depth) as f32;
                assert!(found.distance(Vec3::from_array(expected)) < tolerance, "{found} {expected:?}");
            }
            compared += 1;
        }
        assert!(compared >= 4, "{compared}");
    }
}
