//! Components of a closure tree: parameter reading and the operations emit, pass, scatter, layer, coat.

use arrayvec::ArrayVec;
use glam::Vec3;
use shading::{ClosureRef, Params};

use super::scattering::{Lobes, Scattering};
use super::surface::Surface;
use crate::bsdf::{Dielectric, Lobe, Microfacets};
use renderer_base::color::Rgb;
use renderer_base::math::{pow, safe_sqrt, sqr};
use renderer_geometry::Interaction;

/// Nodes that wait on the stack before memory is asked for: more than any tree but one summed up in a loop.
const STACK: usize = 24;

/// What the closures of a tree add up to at a point.
// By reference all the way: lobes are large, and moving them about costs more than running a simple shader.
pub(super) struct Flattener<'p> {
    pub(super) point: &'p Interaction,
    pub(super) surface: &'p mut Surface,
    /// Lobes of a tree that has more than one; a lone lobe goes to its place at once.
    pub(super) lobes: Lobes,
    /// Whether the tree has shown that there may be more lobes.
    pub(super) several: bool,
    /// Whether weights depend on where the viewer is.
    pub(super) sees_viewer: bool,
    /// Sum of weight × albedo of all lobes so far; kept only while a layer's top is open.
    pub(super) reflected: Rgb,
    pub(super) open_tops: u32,
    /// Whether lobes get a soft terminator.
    pub(super) soft: bool,
}

/// A component of a tree while it is taken in: its parameters, read one after another as
/// [`ClosureSignature::layout`](shading::ClosureSignature::layout) places them, and what it may do.
pub(super) struct Component<'f, 'p, 't> {
    pub(super) flattener: &'f mut Flattener<'p>,
    pub(super) stack: &'f mut Stack<'t>,
    pub(super) weight: &'f mut Rgb,
    pub(super) params: Params<'t>,
    pub(super) offset: usize,
}

/// A dielectric layer that reflects at its top and tints what goes through.
pub(super) struct Coat {
    /// Of any length; zero for the surface's shading normal.
    pub(super) normal: Vec3,
    /// Index of refraction.
    pub(super) ior: f32,
    /// Roughness of its top.
    pub(super) microfacets: Microfacets,
    /// Transmittance of perpendicular light in and out.
    pub(super) tint: Rgb,
}

/// What remains to be visited.
#[derive(Clone, Copy)]
pub(super) enum Task<'t> {
    Visit(ClosureRef<'t>, Rgb),
    /// The base of a layer whose top has just been done; `before` is what was reflected before it.
    Base {
        base: Option<ClosureRef<'t>>,
        weight: Rgb,
        before: Rgb,
    },
    /// The end of what is softened, or of a part of it.
    Soften(bool),
}

/// A stack that asks for memory only when it is deep.
pub(super) struct Stack<'t> {
    near: ArrayVec<Task<'t>, STACK>,
    far: Vec<Task<'t>>,
}

impl<'t> Stack<'t> {
    #[inline]
    pub(super) fn new() -> Stack<'t> {
        Stack {
            near: ArrayVec::new_const(),
            far: vec![],
        }
    }

    #[inline]
    pub(super) fn push(&mut self, task: Task<'t>) {
        if let Err(full) = self.near.try_push(task) {
            self.far.push(full.element());
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Task<'t>> {
        if self.far.is_empty() {
            self.near.pop()
        } else {
            self.far.pop()
        }
    }
}

impl Flattener<'_> {
    /// Adds a lobe.
    #[inline]
    fn push(&mut self, mut new: Scattering) {
        new.soft = self.soft;
        if !self.several {
            new.put_on(self.point, self.surface);
            return;
        }
        if new.weight.is_black() {
            return;
        }
        if self.open_tops > 0 {
            let scattered = new.weight * new.albedo_bound(self.point, &self.surface.bsdf);
            // A negative lobe does not make the base brighter.
            self.reflected += scattered.map(|v| v.max(0.0));
        }
        self.lobes.add(new, self.point);
    }
}

impl<'t> Component<'_, '_, 't> {
    /// Goes over parameters, and returns where they began.
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

    pub(super) fn text(&mut self) -> &'t str {
        let offset = self.pointer();
        self.params.string(offset)
    }

    pub(super) fn closure(&mut self) -> Option<ClosureRef<'t>> {
        let offset = self.pointer();
        self.params.closure(offset)
    }

    /// Emits.
    #[inline(always)]
    pub(super) fn emit(&mut self, radiance: Rgb) -> Option<ClosureRef<'t>> {
        self.flattener.surface.emission += *self.weight * radiance;
        None
    }

    /// Lets light straight through; in the top of a layer, to the base.
    pub(super) fn pass(&mut self) -> Option<ClosureRef<'t>> {
        if self.flattener.open_tops == 0 {
            self.flattener.surface.transparency += *self.weight;
        }
        None
    }

    /// Absorbs inside, with a coefficient [1/m].
    pub(super) fn absorb(&mut self, coefficient: Rgb) -> Option<ClosureRef<'t>> {
        if !self.weight.is_black() {
            let inside = self.flattener.surface.absorption.get_or_insert(Rgb::BLACK);
            *inside += *self.weight * coefficient;
        }
        None
    }

    /// Scatters.
    #[inline(always)]
    pub(super) fn scatter(&mut self, mut scattering: Scattering) -> Option<ClosureRef<'t>> {
        scattering.weight *= *self.weight;
        self.flattener.push(scattering);
        None
    }

    /// Takes in one after the other.
    pub(super) fn both(
        &mut self,
        first: Option<ClosureRef<'t>>,
        second: ClosureRef<'t>,
    ) -> Option<ClosureRef<'t>> {
        self.stack.push(Task::Visit(second, *self.weight));
        first
    }

    /// Puts `top` over `base`.
    pub(super) fn layer(
        &mut self,
        top: Option<ClosureRef<'t>>,
        base: Option<ClosureRef<'t>>,
    ) -> Option<ClosureRef<'t>> {
        self.flattener.several = true;
        self.flattener.sees_viewer = true;
        self.flattener.open_tops += 1;
        self.stack.push(Task::Base {
            base,
            weight: *self.weight,
            before: self.flattener.reflected,
        });
        top
    }

    /// Gives the lobes of `base` a soft terminator.
    pub(super) fn soften(&mut self, base: Option<ClosureRef<'t>>) -> Option<ClosureRef<'t>> {
        self.stack.push(Task::Soften(self.flattener.soft));
        self.flattener.soft = true;
        base
    }

    /// Puts a coat over `base`.
    // The base is taken to lie under the coat at every scale, and the light that the coat sends back down is neglected:
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
            lobe,
        };
        let point = self.flattener.point;
        let reflected = scattering.albedo_bound(point, &self.flattener.surface.bsdf);
        let cos = scattering.frame(point).n.dot(point.wo);
        self.flattener.several = true;
        self.flattener.sees_viewer = true;
        self.flattener.push(scattering);
        // Beer's law: oblique light has a longer way through the coat.
        let cos = safe_sqrt(1.0 - (1.0 - sqr(cos)) / sqr(coat.ior.max(1.0)));
        let way = 1.0 / cos.max(1e-3);
        let tint = if coat.tint == Rgb::WHITE {
            coat.tint
        } else {
            coat.tint.map(|t| pow(t.max(0.0), way))
        };
        *self.weight *= (Rgb::WHITE - reflected).map(|v| v.max(0.0)) * tint;
        base
    }
}
