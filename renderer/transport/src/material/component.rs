//! Components of a closure tree: parameter reading and the operations emit, pass, scatter, layer, coat.

use arrayvec::ArrayVec;
use glam::Vec3;
use shading::{ClosureRef, Params};

use super::label::label_hash;
use super::scattering::{Lobes, Scattering};
use super::shading_result::ShadingResult;
use crate::bsdf::fresnel::ior_from_f0;
use crate::bsdf::{Dielectric, Lobe, Microfacets};
use renderer_base::color::Rgb;
use renderer_base::math::{pow, safe_sqrt, sqr};
use renderer_geometry::Interaction;

/// Inline capacity of the visiting stack; only a tree summed up in a loop needs heap memory.
const STACK: usize = 24;

/// Accumulator for the components of a closure tree at a point.
// Passed by reference throughout: lobes are large, and moving them costs more than running a simple shader.
pub(super) struct Flattener<'p> {
    pub(super) point: &'p Interaction,
    pub(super) surface: &'p mut ShadingResult,
    /// Lobes of a tree that has more than one; a single lobe is written to the BSDF directly.
    pub(super) lobes: Lobes,
    /// True once the tree may have more than one lobe.
    pub(super) several: bool,
    /// True if weights depend on the view direction.
    pub(super) is_view_dependent: bool,
    /// Sum of weight × albedo of all lobes so far; maintained only inside the top of a layer.
    pub(super) reflected: Rgb,
    pub(super) open_tops: u32,
    /// True if the lobes that follow have a soft terminator.
    pub(super) soft: bool,
    /// Hash of the label of the lobes that follow; 0 for none.
    pub(super) label: u32,
    pub(super) interfaces: Interfaces,
}

/// Kinds of interfaces of a tree. Inside a solid, a closure that only reflects shows total reflection; on an opaque
/// surface it is a thin coat with equal sides.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Interfaces {
    /// True if an interface only reflects.
    pub(super) reflect: bool,
    /// True if an interface refracts.
    pub(super) refract: bool,
    /// True if interfaces that only reflect bound a solid.
    pub(super) are_solid: bool,
}

/// Component of a closure tree being interpreted: parameter reader (in the order of
/// [`ClosureSignature::layout`](shading::ClosureSignature::layout)) and operations.
pub(super) struct Component<'f, 'p, 't> {
    pub(super) flattener: &'f mut Flattener<'p>,
    pub(super) stack: &'f mut Stack<'t>,
    pub(super) weight: &'f mut Rgb,
    pub(super) params: Params<'t>,
    pub(super) offset: usize,
}

/// Dielectric layer that reflects at its top and tints transmitted light.
pub(super) struct Coat {
    /// Normal of any length; zero for the surface's shading normal.
    pub(super) normal: Vec3,
    /// Index of refraction.
    pub(super) ior: f32,
    /// Roughness of the top.
    pub(super) microfacets: Microfacets,
    /// Transmittance at normal incidence, in and out.
    pub(super) tint: Rgb,
}

/// Entry of the visiting stack.
#[derive(Clone, Copy)]
pub(super) enum StackEntry<'t> {
    Visit(ClosureRef<'t>, Rgb),
    /// Base of a layer whose top has been visited; `before` is the reflected albedo before the top.
    Base {
        base: Option<ClosureRef<'t>>,
        weight: Rgb,
        before: Rgb,
    },
    /// End of a softened subtree, or of a part of it; restores the flag.
    Soften(bool),
    /// End of a labelled subtree, or of a part of it; restores the label.
    Label(u32),
}

/// Stack that allocates only when it is deep.
pub(super) struct Stack<'t> {
    near: ArrayVec<StackEntry<'t>, STACK>,
    far: Vec<StackEntry<'t>>,
}

impl<'t> Stack<'t> {
    #[inline]
    pub(super) fn new() -> Stack<'t> {
        Stack { near: ArrayVec::new_const(), far: vec![] }
    }

    #[inline]
    pub(super) fn push(&mut self, task: StackEntry<'t>) {
        if let Err(full) = self.near.try_push(task) {
            self.far.push(full.element());
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<StackEntry<'t>> {
        if self.far.is_empty() { self.near.pop() } else { self.far.pop() }
    }
}

impl Flattener<'_> {
    /// Adds a lobe.
    #[inline]
    fn push(&mut self, mut new: Scattering) {
        // For shadow rays, see `Refraction::may_be_straight`: they assume a vacuum outside.
        if new.solid && new.lobe.is_straight() && self.surface.outside == 1.0 {
            self.pass_through(&mut new);
        }
        new.soft = self.soft;
        if new.label == 0 {
            new.label = self.label;
        }
        if new.lobe.refracts() {
            self.interfaces.refract = true;
        } else if new.solid {
            self.interfaces.reflect = true;
            new.solid = self.interfaces.are_solid;
        }
        if !self.several {
            new.put_on(self.point, self.surface);
            return;
        }
        if new.weight.is_black() {
            return;
        }
        if self.open_tops > 0 {
            let scattered = new.weight * new.albedo_bound(self.point, &self.surface.bsdf);
            // A negative lobe must not brighten the base.
            self.reflected += scattered.map(|v| v.max(0.0));
        }
        self.lobes.add(new, self.point);
    }
}

impl Flattener<'_> {
    /// Lets light pass straight through an interface that does not bend it, whose lobe then only reflects.
    #[inline(never)]
    fn pass_through(&mut self, interface: &mut Scattering) {
        let cos = interface.frame(self.point).n.dot(self.point.wo).abs();
        let (passed, rest) = interface.lobe.straight(cos);
        if self.open_tops == 0 {
            self.surface.transparency += interface.weight * passed;
        }
        match rest {
            Some(lobe) => {
                self.is_view_dependent = true;
                interface.lobe = lobe;
            }
            None => interface.weight = Rgb::BLACK,
        }
    }
}

impl<'t> Component<'_, '_, 't> {
    /// Skips parameters; returns their offset.
    #[inline(always)]
    pub(super) fn skip(&mut self, bytes: usize) -> usize {
        self.offset += bytes;
        self.offset - bytes
    }

    #[inline(always)]
    fn pointer(&mut self) -> usize {
        self.offset = self.offset.next_multiple_of(8);
        self.skip(8)
    }

    #[inline(always)]
    pub(super) fn int(&mut self) -> i32 {
        let offset = self.skip(4);
        self.params.int(offset)
    }

    #[inline(always)]
    pub(super) fn float(&mut self) -> f32 {
        let offset = self.skip(4);
        self.params.float(offset)
    }

    #[inline(always)]
    pub(super) fn triple(&mut self) -> Vec3 {
        let offset = self.skip(12);
        Vec3::from_array(self.params.triple(offset))
    }

    #[inline(always)]
    pub(super) fn color(&mut self) -> Rgb {
        let offset = self.skip(12);
        Rgb::from(self.params.triple(offset))
    }

    /// Reads an index of refraction; returns it relative to the exterior one.
    #[inline(always)]
    pub(super) fn relative_index(&mut self) -> f32 {
        self.float() / self.flattener.surface.outside
    }

    /// Converts the reflectance `f0` against a vacuum to the reflectance against the exterior medium.
    pub(super) fn relative_reflectance(&self, f0: Rgb) -> Rgb {
        let outside = self.flattener.surface.outside;
        if outside == 1.0 {
            return f0;
        }
        f0.map(|f0| {
            let ior = ior_from_f0(f0) / outside;
            sqr((ior - 1.0) / (ior + 1.0))
        })
    }

    pub(super) fn text(&mut self) -> &'t str {
        let offset = self.pointer();
        self.params.string(offset)
    }

    pub(super) fn closure(&mut self) -> Option<ClosureRef<'t>> {
        let offset = self.pointer();
        self.params.closure(offset)
    }

    /// Adds emission.
    #[inline(always)]
    pub(super) fn emit(&mut self, radiance: Rgb) -> Option<ClosureRef<'t>> {
        self.flattener.surface.emission += *self.weight * radiance;
        None
    }

    /// Adds straight transmission; in the top of a layer, it reveals the base.
    pub(super) fn pass(&mut self) -> Option<ClosureRef<'t>> {
        if self.flattener.open_tops == 0 {
            self.flattener.surface.transparency += *self.weight;
        }
        None
    }

    /// Adds holdout: a fraction of the surface that is transparent in the alpha of the picture. In the top of a layer,
    /// it hides the base.
    pub(super) fn hold_out(&mut self) -> Option<ClosureRef<'t>> {
        let share = self.weight.map(|v| v.max(0.0));
        if self.flattener.open_tops > 0 {
            self.flattener.reflected += share;
        }
        self.flattener.surface.holdout += share;
        None
    }

    /// Adds a lobe.
    #[inline(always)]
    pub(super) fn scatter(&mut self, mut scattering: Scattering) -> Option<ClosureRef<'t>> {
        scattering.weight *= *self.weight;
        self.flattener.push(scattering);
        None
    }

    /// Visits two closures in sequence.
    pub(super) fn both(
        &mut self,
        first: Option<ClosureRef<'t>>,
        second: ClosureRef<'t>,
    ) -> Option<ClosureRef<'t>> {
        self.stack.push(StackEntry::Visit(second, *self.weight));
        first
    }

    /// Layers `top` over `base`.
    pub(super) fn layer(
        &mut self,
        top: Option<ClosureRef<'t>>,
        base: Option<ClosureRef<'t>>,
    ) -> Option<ClosureRef<'t>> {
        self.flattener.several = true;
        self.flattener.is_view_dependent = true;
        self.flattener.open_tops += 1;
        self.stack
            .push(StackEntry::Base { base, weight: *self.weight, before: self.flattener.reflected });
        top
    }

    /// Gives the lobes of `base` a soft terminator.
    pub(super) fn soften(&mut self, base: Option<ClosureRef<'t>>) -> Option<ClosureRef<'t>> {
        self.stack.push(StackEntry::Soften(self.flattener.soft));
        self.flattener.soft = true;
        base
    }

    /// Labels the lobes of `base`.
    pub(super) fn label(&mut self, label: &str, base: Option<ClosureRef<'t>>) -> Option<ClosureRef<'t>> {
        self.stack.push(StackEntry::Label(self.flattener.label));
        self.flattener.label = label_hash(label);
        base
    }

    /// Layers a coat over `base`.
    // The base lies under the coat at every scale, and light that the coat reflects back to the base is neglected:
    // Weidlich & Wilkie 2007, "Arbitrarily Layered Micro-Facet Surfaces", section 3, with the directional albedo in
    // place of the Fresnel term.
    pub(super) fn coat(&mut self, base: Option<ClosureRef<'t>>, coat: &Coat) -> Option<ClosureRef<'t>> {
        let lobe = Lobe::Dielectric(Dielectric::reflection_only(coat.ior, coat.microfacets));
        let scattering = Scattering {
            weight: *self.weight,
            normal: coat.normal,
            tangent: Vec3::ZERO,
            solid: false,
            soft: false,
            label: 0,
            lobe,
        };
        let point = self.flattener.point;
        let reflected = scattering.albedo_bound(point, &self.flattener.surface.bsdf);
        let cos = scattering.frame(point).n.dot(point.wo);
        self.flattener.several = true;
        self.flattener.is_view_dependent = true;
        self.flattener.push(scattering);
        // Beer-Lambert: oblique light has a longer path through the coat.
        let cos = safe_sqrt(1.0 - (1.0 - sqr(cos)) / sqr(coat.ior.max(1.0)));
        let path_length = 1.0 / cos.max(1e-3);
        let tint = if coat.tint == Rgb::WHITE {
            coat.tint
        } else {
            coat.tint.map(|t| pow(t.max(0.0), path_length))
        };
        *self.weight *= (Rgb::WHITE - reflected).map(|v| v.max(0.0)) * tint;
        base
    }
}
