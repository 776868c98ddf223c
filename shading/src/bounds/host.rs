//! Inputs of an evaluation: a box of shading points, and the services of the host for it.

use shading_compiler::builtins::Global;
use shading_compiler::hir::{Const, RayKind};

use super::integer::IntRange;
use super::range::Range;
use crate::runtime::ShaderGlobals;

/// A set of shading points: a range for each component of the globals.
#[derive(Clone, Debug)]
pub struct ShadingBox {
    /// Ranges of the globals in the order of [`Global::ALL`]; a float uses the first.
    globals: [[Range; 3]; Global::ALL.len()],
    /// Ranges of `P` in a named space, for the points of the box only: tighter than the transformed `P`.
    pub(super) local: Option<(String, [Range; 3])>,
    /// True if the derivatives of the globals are zero.
    pub(super) is_without_derivatives: bool,
    /// The point, if it is the only one.
    pub(super) point: Option<ShaderGlobals>,
    /// Kind of the ray, if it is known.
    pub(super) ray_kind: Option<RayKind>,
    /// Value of `backfacing()`.
    pub(super) backfacing: IntRange,
    /// Value of `surfacearea()`.
    pub(super) surface_area: Range,
}

impl ShadingBox {
    /// Returns the set of all shading points.
    pub fn unknown() -> ShadingBox {
        ShadingBox {
            globals: [[Range::UNKNOWN; 3]; Global::ALL.len()],
            local: None,
            is_without_derivatives: false,
            point: None,
            ray_kind: None,
            backfacing: IntRange::UNKNOWN,
            surface_area: Range::UNKNOWN,
        }
    }

    /// Returns the set with one shading point.
    pub fn point(globals: &ShaderGlobals) -> ShadingBox {
        let values = Global::ALL.map(|global| match globals.value(global) {
            Const::Triple(x) => x.map(Range::point),
            Const::Float(x) => [Range::point(x); 3],
            _ => [Range::UNKNOWN; 3],
        });
        ShadingBox {
            globals: values,
            point: Some(*globals),
            ray_kind: Some(globals.ray_kind),
            backfacing: IntRange::point(globals.backfacing),
            surface_area: Range::point(globals.surface_area),
            ..ShadingBox::unknown()
        }
    }

    /// Sets the ranges of a global; a float uses the first. Derivatives become unknown.
    #[must_use]
    pub fn with(mut self, global: Global, ranges: [Range; 3]) -> ShadingBox {
        self.globals[global as usize] = ranges;
        self.point = None;
        self
    }

    /// Sets the ranges of `P` in a space; they must contain the results of `transform(space, P)` at all points.
    #[must_use]
    pub fn with_local(mut self, space: &str, ranges: [Range; 3]) -> ShadingBox {
        self.local = Some((space.to_owned(), ranges));
        self
    }

    /// Declares that the derivatives of the globals are zero.
    #[must_use]
    pub fn without_derivatives(mut self) -> ShadingBox {
        self.is_without_derivatives = true;
        self
    }

    /// Returns the ranges of a global.
    pub fn ranges(&self, global: Global) -> [Range; 3] {
        self.globals[global as usize]
    }
}

/// Services of the embedder for bounds. A default method knows nothing, which is safe.
pub trait BoundsHost {
    /// Bounds of the matrix from one space to another; never called with equal names.
    fn matrix(&self, from: &str, to: &str) -> Option<[Range; 16]> {
        let _ = (from, to);
        None
    }

    /// Bounds of up to four floats of an attribute; `Some(None)` if it does not exist.
    fn attribute(&self, object: &str, name: &str) -> Option<Option<[Range; 4]>> {
        let _ = (object, name);
        None
    }
}

/// A host that knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnknownHost;

impl BoundsHost for UnknownHost {}

/// Inputs of an evaluation.
#[derive(Clone, Copy)]
pub struct BoundsOptions<'a> {
    /// The shading points.
    pub shading_box: &'a ShadingBox,
    /// Services of the host.
    pub host: &'a dyn BoundsHost,
    /// Fuel of a run ([`shading_compiler::hir::fuel`]).
    pub fuel: u32,
    /// Maximum number of statements that are evaluated one by one; later loops are extrapolated at once.
    pub budget: u32,
}

impl<'a> BoundsOptions<'a> {
    /// Default of [`BoundsOptions::budget`].
    const BUDGET: u32 = 1 << 14;

    /// Creates options with a box only.
    pub fn new(shading_box: &'a ShadingBox) -> BoundsOptions<'a> {
        BoundsOptions {
            shading_box,
            host: &UnknownHost,
            fuel: shading_compiler::eval::DEFAULT_FUEL,
            budget: BoundsOptions::BUDGET,
        }
    }
}
