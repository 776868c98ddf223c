//! From a closure tree to weighted lobes.
//!
//! Weights are multiplied on the way down; equal lobes are merged; what is left is a [`Bsdf`], the emitted radiance and
//! the share of light that goes straight through. Trees may be of any depth and width: the walk keeps its own stack.
//!
//! - `layer(top, base)`: the base gets what the top does not send anywhere, 1 − albedo(top), for the direction of the
//!   viewer. A transparent part of the top is a hole: the base shows through it whole.
//! - `coat(base)`: the base gets what the coat does not reflect, tinted by the way through it and back.
//! - Emission under a layer or coat is weighted like everything else there.

use arrayvec::ArrayVec;
use glam::Vec3;
use shading::{ClosureNode, ClosureRef, ClosureTree, Params};

use super::Surface;
use super::closures::interpret;
use crate::bsdf::{Dielectric, Ggx, Lobe, MAX_LOBES, Transparent};
use crate::color::Rgb;
use crate::geometry::Interaction;
use crate::math::{Frame, safe_sqrt, sqr};

/// Nodes that wait on the stack before memory is asked for: more than any tree but one summed up in a loop.
const STACK: usize = 24;

/// What the closures of a tree add up to at a point.
// By reference all the way: lobes are large, and moving them about costs more than running a simple shader.
pub(super) struct Flattener<'p> {
    point: &'p Interaction,
    surface: &'p mut Surface,
    /// Lobes of a tree that has more than one; a lone lobe goes to its place at once.
    waiting: ArrayVec<Scattering, MAX_LOBES>,
    /// Whether the tree has shown that there may be more lobes.
    several: bool,
    /// Whether weights depend on where the viewer is.
    sees_viewer: bool,
    /// Sum of weight × albedo of the lobes so far; kept only while a layer's top is open.
    reflected: Rgb,
    open_tops: u32,
}

/// A component of a tree while it is taken in: its parameters, read one after another as
/// [`ClosureSignature::layout`](shading::ClosureSignature::layout) places them, and what it may do.
pub(super) struct Component<'f, 'p, 't> {
    flattener: &'f mut Flattener<'p>,
    stack: &'f mut Stack<'t>,
    weight: &'f mut Rgb,
    params: Params<'t>,
    offset: usize,
}

/// A lobe as a shader asks for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scattering {
    /// Factor of the component's weight; then the product of all weights on the way to it.
    pub(super) weight: Rgb,
    /// Of any length; zero for the surface's shading normal.
    pub(super) normal: Vec3,
    /// Of any length; zero for `dPdu`.
    pub(super) tangent: Vec3,
    /// Whether the lobe's inside is that of the object, whatever side `normal` is on.
    pub(super) solid: bool,
    /// How it scatters.
    pub(super) lobe: Lobe,
}

/// A dielectric layer that reflects at its top and tints what goes through.
pub(super) struct Coat {
    /// Of any length; zero for the surface's shading normal.
    pub(super) normal: Vec3,
    /// Index of refraction.
    pub(super) ior: f32,
    /// Roughness of its top.
    pub(super) ggx: Ggx,
    /// What is left of perpendicular light after it has gone in and out.
    pub(super) tint: Rgb,
}

/// What remains to be visited.
#[derive(Clone, Copy)]
enum Task<'t> {
    Visit(ClosureRef<'t>, Rgb),
    /// The base of a layer whose top has just been done; `before` is what was reflected before it.
    Base {
        base: Option<ClosureRef<'t>>,
        weight: Rgb,
        before: Rgb,
    },
}

/// A stack that asks for memory only when it is deep.
struct Stack<'t> {
    near: ArrayVec<Task<'t>, STACK>,
    far: Vec<Task<'t>>,
}

impl<'t> Stack<'t> {
    fn push(&mut self, task: Task<'t>) {
        if let Err(full) = self.near.try_push(task) {
            self.far.push(full.element());
        }
    }

    fn pop(&mut self) -> Option<Task<'t>> {
        if self.far.is_empty() {
            self.near.pop()
        } else {
            self.far.pop()
        }
    }
}

impl<'p> Flattener<'p> {
    /// Starts with nothing: `surface` is to be filled for `point`.
    pub(super) fn new(point: &'p Interaction, surface: &'p mut Surface) -> Flattener<'p> {
        surface.reset(point);
        Flattener {
            point,
            surface,
            waiting: ArrayVec::new_const(),
            several: false,
            sees_viewer: false,
            reflected: Rgb::BLACK,
            open_tops: 0,
        }
    }

    /// Adds every component of the tree to the surface.
    #[inline]
    pub(super) fn add_tree(mut self, tree: ClosureTree<'_>) {
        self.visit(tree);
        for scattering in &self.waiting {
            scattering.put_on(self.point, self.surface);
        }
    }

    /// The lobes of a tree, with its emission and transparency on the surface, if all of that is the same wherever the
    /// viewer is.
    pub(super) fn lobes_for_any_viewer(
        mut self,
        tree: ClosureTree<'_>,
    ) -> Option<ArrayVec<Scattering, MAX_LOBES>> {
        self.several = true;
        self.visit(tree);
        (!self.sees_viewer).then_some(self.waiting)
    }

    /// Visits every component of the tree.
    // One loop, so that the node at hand and its weight stay in registers.
    #[inline]
    fn visit(&mut self, tree: ClosureTree<'_>) {
        let mut stack = Stack {
            near: ArrayVec::new_const(),
            far: vec![],
        };
        let mut weight = Rgb::WHITE;
        let mut next = tree.root();
        loop {
            next = match next.filter(|_| !weight.is_black()) {
                Some(closure) => match closure.node() {
                    ClosureNode::Mul {
                        weight: factor,
                        closure,
                    } => {
                        weight *= Rgb::from(factor);
                        closure
                    }
                    ClosureNode::Add {
                        a: Some(a),
                        b: Some(b),
                    } => {
                        self.several = true;
                        stack.push(Task::Visit(b, weight));
                        Some(a)
                    }
                    ClosureNode::Add { a, b } => a.or(b),
                    ClosureNode::Component {
                        id,
                        weight: factor,
                        params,
                    } => {
                        weight *= Rgb::from(factor);
                        let (stack, weight) = (&mut stack, &mut weight);
                        interpret(
                            id,
                            Component {
                                flattener: self,
                                stack,
                                weight,
                                params,
                                offset: 0,
                            },
                        )
                    }
                },
                None => match stack.pop() {
                    None => break,
                    Some(Task::Visit(closure, its_weight)) => {
                        weight = its_weight;
                        Some(closure)
                    }
                    Some(Task::Base {
                        base,
                        weight: its_weight,
                        before,
                    }) => {
                        self.open_tops -= 1;
                        weight = (its_weight - (self.reflected - before)).map(|v| v.max(0.0));
                        base
                    }
                },
            };
        }
    }

    /// Adds a lobe, to an equal one if there is one. When there is no room, the lightest goes.
    #[inline]
    fn push(&mut self, new: Scattering) {
        if !self.several {
            new.put_on(self.point, self.surface);
            return;
        }
        if new.weight.is_black() {
            return;
        }
        if self.open_tops > 0 && !matches!(new.lobe, Lobe::Transparent(_)) {
            let wo = new.frame(self.point).to_local(self.point.wo);
            self.reflected += new.weight * new.lobe.albedo(wo);
        }
        if let Some(equal) = self.waiting.iter_mut().find(|waiting| waiting.is_like(&new)) {
            equal.weight += new.weight;
            return;
        }
        let Err(full) = self.waiting.try_push(new) else {
            return;
        };
        self.surface.dropped += 1;
        let new = full.element();
        let heaviness = |scattering: &Scattering| scattering.weight.luminance();
        if let Some(lightest) = self
            .waiting
            .iter_mut()
            .min_by(|a, b| heaviness(a).total_cmp(&heaviness(b)))
            && heaviness(lightest) < heaviness(&new)
        {
            *lightest = new;
        }
    }
}

impl Scattering {
    /// Adds the lobe to the surface at a point.
    #[inline(always)]
    pub(super) fn put_on(&self, point: &Interaction, surface: &mut Surface) {
        surface.bsdf.push(self.weight, self.frame(point), self.lobe);
    }

    /// The frame that the lobe has at a point.
    #[inline(always)]
    fn frame(&self, point: &Interaction) -> Frame {
        let mut n = unit_normal(self.normal, point);
        if self.solid && n.dot(point.ng) < 0.0 {
            n = -n;
        }
        if self.lobe.is_isotropic() {
            Frame::from_normal(n)
        } else if self.wants_derivatives() {
            Frame::from_normal_tangent(n, point.dpdu)
        } else {
            Frame::from_normal_tangent(n, self.tangent)
        }
    }

    /// Whether the lobe is turned as the surface's texture coordinates are.
    pub(super) fn wants_derivatives(&self) -> bool {
        !self.lobe.is_isotropic() && self.tangent == Vec3::ZERO
    }

    /// Whether two lobes differ in weight at most.
    fn is_like(&self, other: &Scattering) -> bool {
        self.lobe == other.lobe
            && (self.normal, self.tangent, self.solid) == (other.normal, other.tangent, other.solid)
    }
}

/// The normal that a shader passed, of unit length; the surface's own where it is zero or no number.
#[inline]
fn unit_normal(n: Vec3, point: &Interaction) -> Vec3 {
    let length_squared = n.length_squared();
    if (length_squared - 1.0).abs() < 1e-6 {
        n
    } else if length_squared > 0.0 && length_squared.is_finite() {
        n / length_squared.sqrt()
    } else if point.wo.dot(point.ng) < 0.0 {
        -point.n
    } else {
        point.n
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

    /// Lets light straight through.
    pub(super) fn pass(&mut self) -> Option<ClosureRef<'t>> {
        self.flattener.surface.transparency += *self.weight;
        self.scatter(Scattering {
            weight: Rgb::WHITE,
            normal: Vec3::ZERO,
            tangent: Vec3::ZERO,
            solid: false,
            lobe: Lobe::Transparent(Transparent),
        })
    }

    /// Scatters.
    #[inline(always)]
    pub(super) fn scatter(&mut self, mut scattering: Scattering) -> Option<ClosureRef<'t>> {
        scattering.weight *= *self.weight;
        self.flattener.push(scattering);
        None
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

    /// Puts a coat over `base`.
    // The base is taken to lie under the coat at every scale, and the light that the coat sends back down is neglected:
    // Weidlich & Wilkie 2007, "Arbitrarily Layered Micro-Facet Surfaces", section 3, with the directional albedo in
    // place of the Fresnel term.
    pub(super) fn coat(&mut self, base: Option<ClosureRef<'t>>, coat: &Coat) -> Option<ClosureRef<'t>> {
        let lobe = Lobe::Dielectric(Dielectric::reflection_only(coat.ior, coat.ggx));
        let scattering = Scattering {
            weight: *self.weight,
            normal: coat.normal,
            tangent: Vec3::ZERO,
            solid: false,
            lobe,
        };
        let point = self.flattener.point;
        let wo = scattering.frame(point).to_local(point.wo);
        let reflected = lobe.albedo(wo);
        self.flattener.several = true;
        self.flattener.sees_viewer = true;
        self.flattener.push(scattering);
        // Beer's law: oblique light has a longer way through the coat.
        let cos = safe_sqrt(1.0 - (1.0 - sqr(wo.z)) / sqr(coat.ior.max(1.0)));
        let way = 1.0 / cos.max(1e-3);
        let tint = if coat.tint == Rgb::WHITE {
            coat.tint
        } else {
            coat.tint.map(|t| t.max(0.0).powf(way))
        };
        *self.weight *= (Rgb::WHITE - reflected).map(|v| v.max(0.0)) * tint;
        base
    }
}
