//! Closure tree flattening: an iterative walk that multiplies weights and collects lobes, emission and transparency.
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

use shading::{ClosureNode, ClosureTree};

use super::closures::interpret;
use super::component::{Component, Flattener, Stack, Task};
use super::scattering::Lobes;
use super::surface::Surface;
use renderer_base::color::Rgb;
use renderer_geometry::Interaction;

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
        let mut stack = Stack::new();
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
}
