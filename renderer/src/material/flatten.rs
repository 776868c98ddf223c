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
    lobes: ArrayVec<Pending, MAX_LOBES>,
    /// Whether the tree has shown that there may be more lobes.
    several: bool,
    /// Sum of weight × albedo of the lobes so far; kept only while a layer's top is open.
    reflected: Rgb,
    open_tops: u32,
}

/// A lobe before it enters the `Bsdf`.
#[derive(Clone, Copy)]
struct Pending {
    weight: Rgb,
    frame: Frame,
    lobe: Lobe,
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
pub(super) struct Scattering {
    /// Factor of the component's weight.
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
        surface.bsdf.reset(point.ng, point.wo);
        (surface.emission, surface.transparency, surface.dropped) = (Rgb::BLACK, Rgb::BLACK, 0);
        let lobes = ArrayVec::new_const();
        Flattener {
            point,
            surface,
            lobes,
            several: false,
            reflected: Rgb::BLACK,
            open_tops: 0,
        }
    }

    /// Visits every component of the tree.
    // One loop, so that the node at hand and its weight stay in registers.
    #[inline]
    pub(super) fn add_tree(&mut self, tree: ClosureTree<'_>) {
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
        for lobe in &self.lobes {
            self.surface.bsdf.push(lobe.weight, lobe.frame, lobe.lobe);
        }
    }

    /// Adds a lobe, to an equal one if there is one. When there is no room, the lightest goes.
    #[inline]
    fn push(&mut self, new: Pending) {
        if !self.several {
            self.surface.bsdf.push(new.weight, new.frame, new.lobe);
            return;
        }
        if new.weight.is_black() {
            return;
        }
        let transparent = matches!(new.lobe, Lobe::Transparent(_));
        if self.open_tops > 0 && !transparent {
            self.reflected += new.weight * new.lobe.albedo(new.frame.to_local(self.point.wo));
        }
        let equal = |p: &&mut Pending| p.lobe == new.lobe && (transparent || p.frame == new.frame);
        if let Some(equal) = self.lobes.iter_mut().find(equal) {
            equal.weight += new.weight;
            return;
        }
        let Err(full) = self.lobes.try_push(new) else {
            return;
        };
        self.surface.dropped += 1;
        let new = full.element();
        let heaviness = |p: &Pending| p.weight.luminance();
        if let Some(lightest) = self
            .lobes
            .iter_mut()
            .min_by(|a, b| heaviness(a).total_cmp(&heaviness(b)))
            && heaviness(lightest) < heaviness(&new)
        {
            *lightest = new;
        }
    }

    /// The normal that a shader passed, of unit length; the surface's own where it is zero or no number.
    #[inline]
    fn unit_normal(&self, n: Vec3) -> Vec3 {
        let length_squared = n.length_squared();
        if (length_squared - 1.0).abs() < 1e-6 {
            n
        } else if length_squared > 0.0 && length_squared.is_finite() {
            n / length_squared.sqrt()
        } else if self.point.wo.dot(self.point.ng) < 0.0 {
            -self.point.n
        } else {
            self.point.n
        }
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
        let weight = *self.weight;
        self.flattener.surface.transparency += weight;
        let frame = Frame::from_normal(self.flattener.unit_normal(Vec3::ZERO));
        self.flattener.push(Pending {
            weight,
            frame,
            lobe: Lobe::Transparent(Transparent),
        });
        None
    }

    /// Scatters.
    #[inline(always)]
    pub(super) fn scatter(&mut self, scattering: Scattering) -> Option<ClosureRef<'t>> {
        let Scattering {
            weight,
            normal,
            tangent,
            solid,
            lobe,
        } = scattering;
        let point = self.flattener.point;
        let mut n = self.flattener.unit_normal(normal);
        if solid && n.dot(point.ng) < 0.0 {
            n = -n;
        }
        let frame = match lobe {
            // Round lobes do not ask for a tangent.
            Lobe::Lambert(_) | Lobe::Translucent(_) | Lobe::OrenNayar(_) | Lobe::Transparent(_) => {
                Frame::from_normal(n)
            }
            Lobe::Conductor(_) | Lobe::Dielectric(_) | Lobe::Schlick(_) => Frame::from_normal_tangent(
                n,
                if tangent == Vec3::ZERO {
                    point.dpdu
                } else {
                    tangent
                },
            ),
        };
        self.flattener.push(Pending {
            weight: *self.weight * weight,
            frame,
            lobe,
        });
        None
    }

    /// Puts `top` over `base`.
    pub(super) fn layer(
        &mut self,
        top: Option<ClosureRef<'t>>,
        base: Option<ClosureRef<'t>>,
    ) -> Option<ClosureRef<'t>> {
        self.flattener.several = true;
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
        let frame = Frame::from_normal(self.flattener.unit_normal(coat.normal));
        let wo = frame.to_local(self.flattener.point.wo);
        let reflected = lobe.albedo(wo);
        self.flattener.several = true;
        self.flattener.push(Pending {
            weight: *self.weight,
            frame,
            lobe,
        });
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
