//! Closure tree flattening: an iterative walk that multiplies weights and collects lobes, emission and transparency.
//!
//! Weights are multiplied from the root to the leaves, and equal lobes are merged; the result is a [`Bsdf`], the
//! emitted radiance and the straight transmittance. Trees may have any depth and width: the traversal has an explicit
//! stack.
//!
//! - `layer(top, base)`: light that passes straight through the top reaches the base. Light scattered by the top,
//!   reflected or refracted, does not: the weight of the base is that of the layer less the top's albedo for the view
//!   direction. `transparent()` in a top does not scatter: it is a hole that shows the base, and transmits light only
//!   where the base does. A top of clear glass therefore hides its base.
//! - `coat(base)`: the base receives the light that the coat does not reflect, tinted twice.
//! - `soft_terminator(base)`: light on lobes of the base with bent normals fades out before the geometric horizon.
//! - Emission under a layer or coat is weighted like its lobes; emission of a top does not reduce the base.
//!
//! The weight of a base is that of MaterialX and of OSL's `testrender`. Closures conserve energy as long as the weights
//! of a sum add up to at most one: the albedo of a top covers all of its lobes and is an upper bound.

use shading::{ClosureNode, ClosureTree};

use super::closures::interpret;
use super::component::{Component, Flattener, Interfaces, Stack, StackEntry};
use super::scattering::Lobes;
use super::shading_result::ShadingResult;
use renderer_base::color::Rgb;
use renderer_geometry::Interaction;

impl<'p> Flattener<'p> {
    /// Creates an empty accumulator that fills `surface` for `point`.
    pub(super) fn new(point: &'p Interaction, surface: &'p mut ShadingResult) -> Flattener<'p> {
        surface.reset(point);
        Flattener {
            point,
            surface,
            lobes: Lobes::new(),
            several: false,
            is_view_dependent: false,
            reflected: Rgb::BLACK,
            open_tops: 0,
            soft: false,
            label: 0,
            interfaces: Interfaces::default(),
        }
    }

    /// Adds every component of the tree to the surface.
    #[inline]
    pub(super) fn add_tree(mut self, tree: ClosureTree<'_>) {
        self.visit(tree);
        if self.has_mixed_interfaces() && self.point.wo.dot(self.point.ng) < 0.0 {
            self.visit_solid(tree);
        }
        if self.several {
            self.surface.lobe_overflow = self.fit();
            self.lobes.put_on(self.point, self.surface);
        }
    }

    /// Reserves room for straight transmission, which is not a lobe here: see [`ShadingResult::pass_straight`].
    fn fit(&mut self) -> bool {
        self.lobes.fit(usize::from(!self.surface.transparency.is_black()), self.point)
    }

    /// Flattens a tree that does not depend on point and view direction: returns its lobes, and writes emission and
    /// transparency to the surface. Returns `None` if the tree depends on the view direction or has too many lobes.
    pub(super) fn lobes_for_any_viewer(mut self, tree: ClosureTree<'_>) -> Option<Lobes> {
        self.several = true;
        self.visit(tree);
        if self.has_mixed_interfaces() {
            self.visit_solid(tree);
        }
        let is_random = self.fit();
        (!self.is_view_dependent && !is_random).then_some(self.lobes)
    }

    /// Returns whether the tree has both interfaces that only reflect and interfaces that refract.
    #[inline]
    fn has_mixed_interfaces(&self) -> bool {
        self.interfaces.reflect && self.interfaces.refract
    }

    /// Visits the tree again; interfaces that only reflect then bound a solid.
    #[cold]
    fn visit_solid(&mut self, tree: ClosureTree<'_>) {
        self.surface.reset(self.point);
        self.lobes = Lobes::new();
        self.reflected = Rgb::BLACK;
        self.interfaces.are_solid = true;
        self.visit(tree);
    }

    /// Visits every component of the tree.
    // A single loop keeps the current node and its weight in registers.
    #[inline]
    fn visit(&mut self, tree: ClosureTree<'_>) {
        let mut stack = Stack::new();
        let mut weight = Rgb::WHITE;
        let mut next = tree.root();
        loop {
            next = match next.filter(|_| !weight.is_black()) {
                Some(closure) => match closure.node() {
                    ClosureNode::Mul { weight: factor, closure } => {
                        weight *= Rgb::from(factor);
                        closure
                    }
                    ClosureNode::Add { a: Some(a), b: Some(b) } => {
                        self.several = true;
                        stack.push(StackEntry::Visit(b, weight));
                        Some(a)
                    }
                    ClosureNode::Add { a, b } => a.or(b),
                    ClosureNode::Component { id, weight: factor, params } => {
                        weight *= Rgb::from(factor);
                        let (stack, weight) = (&mut stack, &mut weight);
                        interpret(id, Component { flattener: self, stack, weight, params, offset: 0 })
                    }
                },
                None => match stack.pop() {
                    None => break,
                    Some(StackEntry::Soften(soft)) => {
                        self.soft = soft;
                        None
                    }
                    Some(StackEntry::Label(label)) => {
                        self.label = label;
                        None
                    }
                    Some(StackEntry::Visit(closure, its_weight)) => {
                        weight = its_weight;
                        Some(closure)
                    }
                    Some(StackEntry::Base { base, weight: its_weight, before }) => {
                        self.open_tops -= 1;
                        weight = (its_weight - (self.reflected - before)).map(|v| v.max(0.0));
                        base
                    }
                },
            };
        }
    }
}
