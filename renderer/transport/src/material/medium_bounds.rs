//! Upper bounds of a medium in a region, from its shader by interval arithmetic.

use shading::bounds::{
    self, Bound, BoundsHost, BoundsOptions, ClosureBound, ComponentBound, Range, ShadingBox,
};
use shading::builtins::Global;
use shading::{ShaderGlobals, ShaderHost, ShaderInstance};

use super::closures::{ClosureKind, kind};
use super::globals::globals;
use super::{HitRay, Host, Material};
use renderer_base::math::{Bounds, ln};
use renderer_geometry::Interaction;

/// Ratio of bounds to computed coefficients that covers the rounding of their sums.
const ROUNDING: f32 = 1.0 + 1e-5;

/// Error of transformed coordinates, relative to the magnitudes of the sum.
const TRANSFORM_ERROR: f32 = 16.0 * f32::EPSILON;

/// Maximum number of statements of an evaluation.
const MAX_STATEMENTS: u32 = 1 << 12;

/// A part of a medium.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MediumRegion {
    /// Bounds in rendering space.
    pub(crate) bounds: Bounds,
    /// Bounds in object space, if these are tighter.
    pub(crate) local: Option<Bounds>,
}

/// Bounds of the coefficients of a medium in a region.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MediumBounds {
    /// Largest extinction [1/m].
    pub(crate) extinction: f32,
    /// True if it may emit light.
    pub(crate) may_emit: bool,
    /// Number of evaluated statements.
    pub(crate) statements: u32,
}

impl Material {
    /// Bounds of the medium that `shader` computes in a region, for points like `it`; `None` if there are none.
    pub(crate) fn medium_bounds(
        &self,
        shader: &ShaderInstance,
        it: &Interaction,
        ray: HitRay,
        region: &MediumRegion,
        host: &Host,
    ) -> Option<MediumBounds> {
        let kind = self.ray_kind(ray.kind);
        let globals = globals(it, HitRay { kind, ..ray }, 0.0, None, self.space);
        let host = ConstantSpaces { host, globals: &globals };
        let world = [region.bounds.min, region.bounds.max].map(|p| self.space.world_point(it.shape, p));
        let world = Bounds::of_points(world).widened();
        let position = [0, 1, 2].map(|axis| Range::new(world.min[axis], world.max[axis]));
        let direction = [Range::new(-1.0, 1.0).widened(TRANSFORM_ERROR); 3];
        let mut shading_box = ShadingBox::point(&globals).with(Global::P, position);
        for global in [Global::I, Global::N, Global::Ng] {
            shading_box = shading_box.with(global, direction);
        }
        shading_box = shading_box.with(Global::Time, [Range::new(0.0, 1.0); 3]).without_derivatives();
        if let Some(local) = region.local.and_then(|local| host.object_ranges(&local, &world)) {
            shading_box = shading_box.with_local("object", local);
        }
        let options = BoundsOptions {
            host: &host,
            budget: MAX_STATEMENTS,
            ..BoundsOptions::new(&shading_box)
        };
        let found = bounds::evaluate(shader.hir()?, &options);
        let closure = found.outputs.iter().find_map(|(_, bound)| match bound {
            Bound::Closure(closure) => Some(closure),
            _ => None,
        });
        let mut sum = CoefficientBounds::default();
        sum.add(closure?, [1.0; 3])?;
        let extinction = sum.extinction.into_iter().fold(0.0, f32::max) * ROUNDING;
        let is_known = sum.extinction.iter().all(|x| x.is_finite());
        is_known.then_some(MediumBounds {
            extinction,
            may_emit: sum.may_emit,
            statements: found.statements,
        })
    }
}

/// Spaces of a shape. Placements are constant while the shutter is open.
struct ConstantSpaces<'a> {
    host: &'a Host,
    globals: &'a ShaderGlobals,
}

impl ConstantSpaces<'_> {
    /// Ranges of the object-space positions that shaders compute from points of `local`, whose world-space bounds are
    /// `world`.
    fn object_ranges(&self, local: &Bounds, world: &Bounds) -> Option<[Range; 3]> {
        let matrix = self.host.matrix(self.globals, "world", "object")?;
        let largest = world.min.abs().max(world.max.abs());
        Some([0, 1, 2].map(|axis| {
            let part = |from: usize| largest[from] * matrix[4 * from + axis].abs();
            let magnitude = part(0) + part(1) + part(2) + matrix[12 + axis].abs();
            Range::new(local.min[axis], local.max[axis]).widened(magnitude * TRANSFORM_ERROR)
        }))
    }
}

impl BoundsHost for ConstantSpaces<'_> {
    fn matrix(&self, from: &str, to: &str) -> Option<[Range; 16]> {
        Some(self.host.matrix(self.globals, from, to)?.map(Range::point))
    }
}

/// Sum of the media of a closure.
#[derive(Default)]
struct CoefficientBounds {
    extinction: [f32; 3],
    may_emit: bool,
}

impl CoefficientBounds {
    /// Adds the media of a closure, whose weights are multiplied by at most `factor`; `None` if they have no bounds.
    fn add(&mut self, closure: &ClosureBound, factor: [f32; 3]) -> Option<()> {
        for component in closure.components()? {
            let inner = [0, 1, 2].map(|lane| factor[lane] * magnitude(component.weight[lane]));
            for bound in nested(kind(component.id), component) {
                let Bound::Closure(closure) = bound else { return None };
                self.add(closure, inner)?;
            }
            self.may_emit |= is_emission(kind(component.id));
            let extinction = extinction(kind(component.id), component)?;
            for (lane, sum) in self.extinction.iter_mut().enumerate() {
                *sum += factor[lane] * extinction[lane];
            }
        }
        Some(())
    }
}

/// Closures that a closure modifies: see [`coefficients`](super::interior::coefficients).
fn nested(kind: ClosureKind, component: &ComponentBound) -> &[Bound] {
    let count = match kind {
        ClosureKind::Layer => 2,
        ClosureKind::Coat | ClosureKind::CoatTsl | ClosureKind::SoftTerminator | ClosureKind::Labelled => 1,
        _ => 0,
    };
    &component.params[..count]
}

fn is_emission(kind: ClosureKind) -> bool {
    matches!(kind, ClosureKind::Emission | ClosureKind::Background | ClosureKind::UniformEdf)
}

/// Largest extinction of a component; `None` if it is unknown. Negative coefficients and NaN count as zero.
fn extinction(kind: ClosureKind, component: &ComponentBound) -> Option<[f32; 3]> {
    let weight = component.weight.map(|range| range.max.max(0.0));
    let magnitudes = component.weight.map(magnitude);
    Some(match kind {
        ClosureKind::Absorption
        | ClosureKind::HenyeyGreenstein
        | ClosureKind::Draine
        | ClosureKind::Rayleigh
        | ClosureKind::FournierForand => weight,
        ClosureKind::AnisotropicVdf => {
            let [Bound::Triple(albedo), Bound::Triple(extinction), ..] = &component.params[..] else {
                return None;
            };
            let of = |lane: usize| magnitudes[lane] * magnitude(extinction[lane]) * shares(albedo[lane]);
            [0, 1, 2].map(of)
        }
        ClosureKind::MediumVdf => {
            let [Bound::Triple(albedo), Bound::Float(depth), Bound::Triple(color), ..] =
                &component.params[..]
            else {
                return None;
            };
            if depth.max <= 0.0 {
                return Some([0.0; 3]);
            }
            let of = |lane: usize| {
                let logarithm = [color[lane].min, color[lane].max].map(|x| ln(x).abs());
                magnitudes[lane] * logarithm[0].max(logarithm[1]) / depth.min * shares(albedo[lane])
            };
            let is_known = depth.min > 0.0 && color.iter().all(|color| color.min > 0.0);
            is_known.then(|| [0, 1, 2].map(of))?
        }
        _ => [0.0; 3],
    })
}

/// Largest magnitude of the numbers of a range.
fn magnitude(range: Range) -> f32 {
    range.max.max(-range.min).max(0.0)
}

/// Largest sum of the magnitudes of an albedo and of the rest.
fn shares(albedo: Range) -> f32 {
    let outside = |x: f32| x.abs() + (1.0 - x).abs();
    outside(albedo.min).max(outside(albedo.max))
}
