//! Interiors: what is behind a surface, as its material says: a medium, an index of refraction, a priority.
//!
//! The medium is made of those closures of a shader that describe media. They depend on where in space a point is, not on
//! where a ray has met the surface, so that light finds the same medium from whichever side it comes.

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

/// What is behind the surfaces of a material.
#[derive(Clone, Debug)]
pub struct Interior {
    /// The medium.
    pub medium: Medium,
    /// Index of refraction; `None` if the surface refracts nothing, or by an index that is not known.
    pub ior: Option<f32>,
    /// True if the surface refracts light: what surrounds it is not inside.
    pub refracts: bool,
    /// Which of several bodies is where they overlap; the higher one.
    pub priority: Priority,
    /// True if the scene gives the priority: then something is inside, if only nothing.
    pub has_priority: bool,
    /// True if what is outside is known to the material alone: see [`Nesting`].
    pub nesting: Nesting,
}

/// A medium, as far as it is known before rays find it.
#[derive(Clone, Debug)]
pub enum Medium {
    /// None.
    Clear,
    /// The same everywhere.
    Homogeneous(Coefficients),
    /// Computed at each point.
    Varying(Arc<ShaderInstance>),
}

impl Interior {
    /// The interior of surfaces of the shader `surface`, whose medium `inside` computes.
    pub(super) fn new(
        surface: &Statistics,
        inside: Option<Arc<ShaderInstance>>,
        priority: Option<Priority>,
        nesting: Nesting,
        context: &mut ShadingContext,
    ) -> Interior {
        let told = inside.as_ref().and_then(|shader| told(shader.statistics()));
        let medium = inside.map_or(Medium::Clear, |shader| Medium::new(shader, context));
        let mut interior = Interior {
            medium,
            ior: None,
            refracts: false,
            has_priority: priority.is_some(),
            priority: priority
                .or(told.map(|(_, priority)| priority))
                .unwrap_or_default(),
            nesting,
        };
        let known = surface.closures.iter().filter_map(|&id| refraction(id, surface));
        for refraction in known {
            interior.refracts |= !refraction.is_straight();
            if let Refraction::Index(ior) = refraction {
                interior.ior = Some(interior.ior.map_or(ior, |known| known.max(ior)));
            }
        }
        interior.ior = interior.ior.or(told.map(|(ior, _)| ior));
        interior
    }

    /// Returns whether it may matter that something is inside.
    pub fn may_matter(&self) -> bool {
        let refracts = self.refracts && self.nesting == Nesting::Absolute;
        !matches!(self.medium, Medium::Clear) || self.has_priority || refracts
    }

    /// Adds all that light depends on, textures left out, to a hash.
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

/// The index of refraction and the priority that `medium_vdf` tells of, where they are the same everywhere.
pub(super) fn told(statistics: &Statistics) -> Option<(f32, Priority)> {
    let mut told = statistics
        .closure_constants
        .iter()
        .filter_map(|(&id, constants)| match (kind(id), &constants[..]) {
            (ClosureKind::MediumVdf, [.., Some(Const::Float(ior)), Some(Const::Int(priority))]) => {
                Some((*ior, Priority(*priority)))
            }
            _ => None,
        });
    told.next()
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
        // A shader that reports something has to run where it is seen.
        context.take_reports();
        match coefficients.is_clear() && !coefficients.is_faulty() {
            true => Medium::Clear,
            false => Medium::Homogeneous(coefficients),
        }
    }
}

/// Closures of a tree that wait to be visited; what does not fit is left out: a tree this deep was built in a loop.
type Waiting<'t> = ArrayVec<(ClosureRef<'t>, Rgb), 32>;

/// Sum of the media of a closure tree.
pub(super) fn coefficients(tree: ClosureTree<'_>) -> Coefficients {
    let mut sum = Coefficients::default();
    let mut waiting = Waiting::new();
    waiting.extend(tree.root().map(|root| (root, Rgb::WHITE)));
    while let Some((closure, weight)) = waiting.pop() {
        match closure.node() {
            ClosureNode::Mul {
                weight: factor,
                closure,
            } => {
                if let Some(closure) = closure {
                    let _ = waiting.try_push((closure, weight * Rgb::from(factor)));
                }
            }
            ClosureNode::Add { a, b } => {
                for closure in [b, a].into_iter().flatten() {
                    let _ = waiting.try_push((closure, weight));
                }
            }
            ClosureNode::Component {
                id,
                weight: factor,
                params,
            } => {
                let weight = weight * Rgb::from(factor);
                for closure in nested(kind(id), &params).into_iter().flatten() {
                    let _ = waiting.try_push((closure, weight));
                }
                add(&mut sum, kind(id), &params, weight);
            }
        }
    }
    sum
}

/// Closures that a closure modifies: as a medium, all of them count whole.
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
            // The share that it scatters back, of which Henyey-Greenstein's has (1 - g) / 2 to first order.
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
                let extinction = weight * color(16).map(|left| -ln(left) / depth);
                sum.absorb((Rgb::WHITE - albedo) * extinction);
                sum.scatter(albedo * extinction, Phase::henyey_greenstein(params.float(28)));
            }
        }
        _ => {}
    }
}
