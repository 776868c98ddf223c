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
use shading::{ClosureNode, ClosureRef, ClosureTree};

use super::Surface;
use super::closures::{Coat, Meaning, Scattering, meaning};
use crate::bsdf::{Bsdf, Dielectric, Lobe, MAX_LOBES};
use crate::color::Rgb;
use crate::geometry::Interaction;
use crate::math::{Frame, safe_sqrt, sqr};

/// Nodes that wait on the stack before memory is asked for: more than any tree but one summed up in a loop.
const STACK: usize = 24;

/// What the closures of a tree add up to at a point.
pub(super) struct Flattener<'a> {
    point: &'a Interaction,
    lobes: ArrayVec<Pending, MAX_LOBES>,
    emission: Rgb,
    transparency: Rgb,
    dropped: u32,
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

/// What remains to be visited.
#[derive(Clone, Copy)]
enum Task<'t> {
    Visit(ClosureRef<'t>, Rgb),
    /// The base of a layer whose top has just been done; `before` is what was reflected before it.
    Base { base: Option<ClosureRef<'t>>, weight: Rgb, before: Rgb },
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
        if self.far.is_empty() { self.near.pop() } else { self.far.pop() }
    }
}

impl<'a> Flattener<'a> {
    pub(super) fn new(point: &'a Interaction) -> Flattener<'a> {
        Flattener {
            point,
            lobes: ArrayVec::new_const(),
            emission: Rgb::BLACK,
            transparency: Rgb::BLACK,
            dropped: 0,
            reflected: Rgb::BLACK,
            open_tops: 0,
        }
    }

    /// Visits every component of the tree.
    #[inline]
    pub(super) fn add_tree(&mut self, tree: ClosureTree<'_>) {
        let Some(root) = tree.root() else { return };
        let mut stack = Stack { near: ArrayVec::new_const(), far: vec![] };
        self.visit(root, Rgb::WHITE, &mut stack);
        while let Some(task) = stack.pop() {
            match task {
                Task::Visit(closure, weight) => self.visit(closure, weight, &mut stack),
                Task::Base { base, weight, before } => {
                    self.open_tops -= 1;
                    let left = (weight - (self.reflected - before)).map(|v| v.max(0.0));
                    if let Some(base) = base {
                        self.visit(base, left, &mut stack);
                    }
                }
            }
        }
    }

    /// The result, seen on the side of the normal unless `two_sided_emission`.
    #[inline]
    pub(super) fn finish(self, one_sided: bool, two_sided_emission: bool) -> Surface {
        let it = self.point;
        let mut bsdf = Bsdf::new(it.ng, it.wo);
        bsdf.set_one_sided(one_sided);
        for Pending { weight, frame, lobe } in self.lobes {
            bsdf.push(weight, frame, lobe);
        }
        let emits = two_sided_emission || it.wo.dot(it.ng) > 0.0;
        Surface {
            bsdf,
            emission: if emits { self.emission } else { Rgb::BLACK },
            transparency: self.transparency,
            dropped: self.dropped,
        }
    }

    /// Follows one branch down to its component and leaves the others on the stack.
    fn visit<'t>(&mut self, mut closure: ClosureRef<'t>, mut weight: Rgb, stack: &mut Stack<'t>) {
        loop {
            let next = match closure.node() {
                ClosureNode::Mul { weight: factor, closure } => {
                    weight *= Rgb::from(factor);
                    closure
                }
                ClosureNode::Add { a, b } => {
                    match (a, b) {
                        (Some(a), Some(b)) => {
                            stack.push(Task::Visit(b, weight));
                            Some(a)
                        }
                        (one, other) => one.or(other),
                    }
                }
                ClosureNode::Component { id, weight: factor, params } => {
                    weight *= Rgb::from(factor);
                    self.component(meaning(id, params), &mut weight, stack)
                }
            };
            match next {
                Some(next) if !weight.is_black() => closure = next,
                _ => return,
            }
        }
    }

    /// Takes a component in; what lies below it and has still to be visited is returned, with `weight` adapted.
    #[inline]
    fn component<'t>(
        &mut self,
        meaning: Meaning<'t>,
        weight: &mut Rgb,
        stack: &mut Stack<'t>,
    ) -> Option<ClosureRef<'t>> {
        match meaning {
            Meaning::Nothing => None,
            Meaning::Emission(radiance) => {
                self.emission += *weight * radiance;
                None
            }
            Meaning::Scattering(scattering) => {
                self.scatter(*weight, scattering);
                None
            }
            Meaning::Layer { top, base } => {
                self.open_tops += 1;
                stack.push(Task::Base { base, weight: *weight, before: self.reflected });
                top
            }
            Meaning::Coat { base, coat } => {
                *weight *= self.coat(*weight, &coat);
                base
            }
        }
    }

    #[inline]
    fn scatter(&mut self, weight: Rgb, scattering: Scattering) {
        let weight = weight * scattering.weight;
        if let Lobe::Transparent(_) = scattering.lobe {
            self.transparency += weight;
        }
        let mut n = self.unit_normal(scattering.normal);
        if scattering.solid && n.dot(self.point.ng) < 0.0 {
            n = -n;
        }
        let frame = match scattering.lobe {
            // Round lobes do not ask for a tangent.
            Lobe::Lambert(_) | Lobe::Translucent(_) | Lobe::OrenNayar(_) | Lobe::Transparent(_) => {
                Frame::from_normal(n)
            }
            Lobe::Conductor(_) | Lobe::Dielectric(_) | Lobe::Schlick(_) => {
                let given = scattering.tangent;
                Frame::from_normal_tangent(n, if given == Vec3::ZERO { self.point.dpdu } else { given })
            }
        };
        self.push(Pending { weight, frame, lobe: scattering.lobe });
    }

    /// Adds the coat's own reflection and returns what is left for its base.
    // The base is taken to lie under the coat at every scale, and the light that the coat sends back down is neglected:
    // Weidlich & Wilkie 2007, "Arbitrarily Layered Micro-Facet Surfaces", section 3, with the directional albedo in
    // place of the Fresnel term.
    fn coat(&mut self, weight: Rgb, coat: &Coat) -> Rgb {
        let lobe = Lobe::Dielectric(Dielectric::reflection_only(coat.ior, coat.ggx));
        let frame = Frame::from_normal(self.unit_normal(coat.normal));
        let wo = frame.to_local(self.point.wo);
        let reflected = lobe.albedo(wo);
        self.push(Pending { weight, frame, lobe });
        // Beer's law: oblique light has a longer way through the coat.
        let cos = safe_sqrt(1.0 - (1.0 - sqr(wo.z)) / sqr(coat.ior.max(1.0)));
        let way = 1.0 / cos.max(1e-3);
        let tint = if coat.tint == Rgb::WHITE { coat.tint } else { coat.tint.map(|t| t.max(0.0).powf(way)) };
        (Rgb::WHITE - reflected).map(|v| v.max(0.0)) * tint
    }

    /// Adds a lobe, to an equal one if there is one. When there is no room, the lightest goes.
    #[inline]
    fn push(&mut self, new: Pending) {
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
        let Err(full) = self.lobes.try_push(new) else { return };
        self.dropped += 1;
        let new = full.element();
        let heaviness = |p: &Pending| p.weight.luminance();
        if let Some(lightest) = self.lobes.iter_mut().min_by(|a, b| heaviness(a).total_cmp(&heaviness(b)))
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
