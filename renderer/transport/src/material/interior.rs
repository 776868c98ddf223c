//! Interior of a material: medium, index of refraction, and priority behind its surfaces.
//!
//! The medium consists of the closures of a shader that describe media. They depend on the position but not on the hit,
//! so that light finds the same medium from every side.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrayvec::ArrayVec;
use shading::codegen::Statistics;
use shading::hir::Const;
use shading::{ClosureNode, ClosureRef, ClosureTree, Params, ShaderGlobals, ShaderInstance, ShadingContext};

use super::cached_shading::RUNS;
use super::closure_effects::{Refraction, flags, refraction};
use super::closures::{ClosureKind, kind};
use crate::medium::{Coefficients, Phase};
use renderer_base::color::Rgb;
use renderer_base::math::ln;
use renderer_scene::{Nesting, Priority};

/// Interior of a material.
#[derive(Clone, Debug)]
pub struct Interior {
    /// The medium.
    pub medium: Medium,
    /// Index of refraction; `None` if the surface does not refract or the index is not constant.
    pub ior: Option<f32>,
    /// True if the surface refracts light: the interior then replaces the surrounding medium.
    pub refracts: bool,
    /// Priority where bodies overlap; the higher one wins.
    pub priority: Priority,
    /// True if the scene sets the priority; the material then has an interior even without a medium.
    pub has_priority: bool,
    /// Reference of the index of refraction: see [`Nesting`].
    pub nesting: Nesting,
}

/// Medium, as far as it is known before rendering.
#[derive(Clone, Debug)]
pub enum Medium {
    /// No medium.
    Clear,
    /// Homogeneous medium.
    Homogeneous(Coefficients),
    /// Heterogeneous medium, whose shader runs at each point.
    Varying(Arc<ShaderInstance>),
}

impl Interior {
    /// Interior of surfaces with the shader `surface`; `inside` is the shader of the medium.
    pub(super) fn new(
        surface: &Statistics,
        inside: Option<Arc<ShaderInstance>>,
        priority: Option<Priority>,
        nesting: Nesting,
        context: &mut ShadingContext,
    ) -> Interior {
        let constants = inside.as_ref().and_then(|shader| medium_constants(shader.statistics()));
        let medium = inside.map_or(Medium::Clear, |shader| Medium::new(shader, context));
        let mut interior = Interior {
            medium,
            ior: None,
            refracts: false,
            has_priority: priority.is_some(),
            priority: priority.or(constants.map(|(_, priority)| priority)).unwrap_or_default(),
            nesting,
        };
        let known = surface.closures.iter().filter_map(|&id| refraction(id, surface));
        for refraction in known {
            interior.refracts |= !refraction.is_straight();
            if let Refraction::Index(ior) = refraction {
                interior.ior = Some(interior.ior.map_or(ior, |known| known.max(ior)));
            }
        }
        interior.ior = interior.ior.or(constants.map(|(ior, _)| ior));
        interior
    }

    /// Returns whether the interior may affect light.
    pub fn may_matter(&self) -> bool {
        let refracts = self.refracts && self.nesting == Nesting::Absolute;
        !matches!(self.medium, Medium::Clear) || self.has_priority || refracts
    }

    /// Adds everything that affects light, except textures, to a hash.
    pub(super) fn hash_behaviour(&self, hasher: &mut impl Hasher) {
        match &self.medium {
            Medium::Clear => 0u64.hash(hasher),
            Medium::Homogeneous(medium) => medium.hash(hasher),
            Medium::Varying(shader) => shader.statistics().fingerprint.hash(hasher),
        }
        self.ior.map(f32::to_bits).hash(hasher);
        (self.refracts, self.priority, self.has_priority, self.nesting).hash(hasher);
    }
}

/// Index of refraction and priority of a `medium_vdf` closure, if they are constant.
pub(super) fn medium_constants(statistics: &Statistics) -> Option<(f32, Priority)> {
    let mut found =
        statistics
            .closure_constants
            .iter()
            .filter_map(|(&id, constants)| match (kind(id), &constants[..]) {
                (ClosureKind::MediumVdf, [.., Some(Const::Float(ior)), Some(Const::Int(priority))]) => {
                    Some((*ior, Priority(*priority)))
                }
                _ => None,
            });
    found.next()
}

impl Medium {
    /// Returns whether it may emit light.
    pub fn may_emit(&self) -> bool {
        match self {
            Medium::Clear => false,
            Medium::Homogeneous(medium) => !medium.emission.is_black(),
            Medium::Varying(shader) => flags(shader.statistics()).emits,
        }
    }

    fn new(shader: Arc<ShaderInstance>, context: &mut ShadingContext) -> Medium {
        if !shader.statistics().is_uniform {
            return Medium::Varying(shader);
        }
        let coefficients = coefficients(shader.run(&ShaderGlobals::default(), context).expect(RUNS));
        // A shader that reports or prints runs at hits as well.
        context.take_reports();
        match coefficients.is_clear() && !coefficients.is_faulty() {
            true => Medium::Clear,
            false => Medium::Homogeneous(coefficients),
        }
    }
}

/// Stack of pending closures; a full stack drops further ones, since only a loop builds such a deep tree.
type Pending<'t> = ArrayVec<(ClosureRef<'t>, Rgb), 32>;

/// Sum of the media of a closure tree.
pub(super) fn coefficients(tree: ClosureTree<'_>) -> Coefficients {
    let mut sum = Coefficients::default();
    let mut pending = Pending::new();
    pending.extend(tree.root().map(|root| (root, Rgb::WHITE)));
    while let Some((closure, weight)) = pending.pop() {
        match closure.node() {
            ClosureNode::Mul { weight: factor, closure } => {
                if let Some(closure) = closure {
                    let _ = pending.try_push((closure, weight * Rgb::from(factor)));
                }
            }
            ClosureNode::Add { a, b } => {
                for closure in [b, a].into_iter().flatten() {
                    let _ = pending.try_push((closure, weight));
                }
            }
            ClosureNode::Component { id, weight: factor, params } => {
                let weight = weight * Rgb::from(factor);
                for closure in nested(kind(id), &params).into_iter().flatten() {
                    let _ = pending.try_push((closure, weight));
                }
                add(&mut sum, kind(id), &params, weight);
            }
        }
    }
    sum
}

/// Closures that a closure modifies; for media, each counts with its full weight.
fn nested<'t>(kind: ClosureKind, params: &Params<'t>) -> [Option<ClosureRef<'t>>; 2] {
    match kind {
        ClosureKind::Layer => [params.closure(8), params.closure(0)],
        ClosureKind::Coat | ClosureKind::CoatTsl | ClosureKind::SoftTerminator | ClosureKind::Labelled => {
            [params.closure(0), None]
        }
        _ => [None; 2],
    }
}

/// Adds the medium of a component. Parameters are in the order of
/// [`ClosureSignature::layout`](shading::ClosureSignature::layout).
fn add(sum: &mut Coefficients, kind: ClosureKind, params: &Params<'_>, weight: Rgb) {
    let color = |offset| Rgb::from(params.triple(offset));
    match kind {
        ClosureKind::Emission | ClosureKind::Background => sum.emit(weight),
        ClosureKind::UniformEdf => sum.emit(weight * color(0)),
        ClosureKind::Absorption => sum.absorb(weight),
        ClosureKind::HenyeyGreenstein => sum.scatter(weight, Phase::henyey_greenstein(params.float(0))),
        ClosureKind::Draine => sum.scatter(weight, Phase::draine(params.float(0), params.float(4))),
        ClosureKind::Rayleigh => sum.scatter(weight, Phase::Rayleigh),
        ClosureKind::FournierForand => {
            // Backscatter fraction; that of Henyey-Greenstein's function is (1 - g) / 2 to first order.
            sum.scatter(weight, Phase::henyey_greenstein(1.0 - 2.0 * params.float(0)));
        }
        ClosureKind::AnisotropicVdf => {
            let (albedo, extinction) = (color(0), weight * color(12));
            sum.absorb((Rgb::WHITE - albedo) * extinction);
            sum.scatter(albedo * extinction, Phase::henyey_greenstein(params.float(24)));
        }
        ClosureKind::MediumVdf => {
            let (albedo, depth) = (color(0), params.float(12));
            if depth > 0.0 {
                let extinction = weight * color(16).map(|transmittance| -ln(transmittance) / depth);
                sum.absorb((Rgb::WHITE - albedo) * extinction);
                sum.scatter(albedo * extinction, Phase::henyey_greenstein(params.float(28)));
            }
        }
        _ => {}
    }
}
