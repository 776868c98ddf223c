//! From a closure tree to weighted lobes.
//!
//! Weights are multiplied on the way down; equal lobes are merged; what is left is a [`Bsdf`], the emitted radiance and
//! the share of light that goes straight through. Trees may be of any depth and width: the walk keeps its own stack.
//!
//! - `layer(top, base)`: what passes straight through the top meets the base. What the top scatters is lost to the base,
//!   reflected and refracted light alike, so that the weight of the base is that of the layer less the top's albedo for
//!   the direction of the viewer. `transparent()` in a top scatters nothing: it is a hole that shows the base, and lets
//!   light pass only where the base does. A top of clear glass therefore hides its base.
//! - `coat(base)`: the base gets what the coat does not reflect, tinted by the way through it and back.
//! - `soft_terminator(base)`: light fades on the lobes of the base whose normals are bent, before it comes from below the
//!   surface.
//! - Emission under a layer or coat is weighted like everything else there; that of a top takes nothing from the base.
//!
//! The weight of a base is that of MaterialX and of OSL's `testrender`. No closure makes more light than comes in, as long
//! as the weights of a sum add up to at most one: the albedo of a top is that of the lobes as they scatter, all of them
//! counted, and rather too large than too small.

use arrayvec::ArrayVec;
use glam::Vec3;
use shading::{ClosureNode, ClosureRef, ClosureTree, Params};

use super::Surface;
use super::closures::interpret;
use super::scattering::{Lobes, Scattering};
use crate::bsdf::{Dielectric, Lobe, Microfacets};
use crate::color::Rgb;
use crate::geometry::Interaction;
use crate::math::{safe_sqrt, sqr};

/// Nodes that wait on the stack before memory is asked for: more than any tree but one summed up in a loop.
const STACK: usize = 24;

/// What the closures of a tree add up to at a point.
// By reference all the way: lobes are large, and moving them about costs more than running a simple shader.
pub(super) struct Flattener<'p> {
    point: &'p Interaction,
    surface: &'p mut Surface,
    /// Lobes of a tree that has more than one; a lone lobe goes to its place at once.
    lobes: Lobes,
    /// Whether the tree has shown that there may be more lobes.
    several: bool,
    /// Whether weights depend on where the viewer is.
    sees_viewer: bool,
    /// Sum of weight × albedo of all lobes so far; kept only while a layer's top is open.
    reflected: Rgb,
    open_tops: u32,
    /// Whether lobes get a soft terminator.
    soft: bool,
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

/// A dielectric layer that reflects at its top and tints what goes through.
pub(super) struct Coat {
    /// Of any length; zero for the surface's shading normal.
    pub(super) normal: Vec3,
    /// Index of refraction.
    pub(super) ior: f32,
    /// Roughness of its top.
    pub(super) microfacets: Microfacets,
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
    /// The end of what is softened, or of a part of it.
    Soften(bool),
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
            lobes: Lobes::new(),
            several: false,
            sees_viewer: false,
            reflected: Rgb::BLACK,
            open_tops: 0,
            soft: false,
        }
    }

    /// Adds every component of the tree to the surface.
    #[inline]
    pub(super) fn add_tree(mut self, tree: ClosureTree<'_>) {
        self.visit(tree);
        if self.several {
            self.surface.crowded = self.fit();
            self.lobes.put_on(self.point, self.surface);
        }
    }

    /// Makes room for what passes straight through, which is no lobe here: see [`Surface::pass_straight`].
    fn fit(&mut self) -> bool {
        self.lobes
            .fit(usize::from(!self.surface.transparency.is_black()), self.point)
    }

    /// The lobes of a tree, with its emission and transparency on the surface, if all of that is the same at every point
    /// and wherever the viewer is.
    pub(super) fn lobes_for_any_viewer(mut self, tree: ClosureTree<'_>) -> Option<Lobes> {
        self.several = true;
        self.visit(tree);
        let is_random = self.fit();
        (!self.sees_viewer && !is_random).then_some(self.lobes)
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
                    Some(Task::Soften(soft)) => {
                        self.soft = soft;
                        None
                    }
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
            coat.tint.map(|t| t.max(0.0).powf(way))
        };
        *self.weight *= (Rgb::WHITE - reflected).map(|v| v.max(0.0)) * tint;
        base
    }
}
