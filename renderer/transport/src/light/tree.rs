//! Light tree: selects an emitter in proportion to its estimated contribution to a point, in logarithmic time.
// Conty Estevez & Kulla 2018, "Importance Sampling of Many Lights with Adaptive Tree Splitting", section 5; with eight
// children per node, so that up to eight emitters are weighted individually.

use glam::Vec3;

use super::bounds::{Cosines, LightBounds, importance};
use super::light_sample_context::LightSampleContext;

/// Number of children of a node.
const WIDTH: usize = 8;

/// Light tree over emitters, numbered from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct LightTree {
    nodes: Vec<Node>,
    /// Node and child slot of each emitter.
    places: Vec<(u32, u8)>,
}

/// Bounds of a node's children as a structure of arrays, with the links to the children.
#[derive(Clone, Debug)]
struct Node {
    center: [[f32; WIDTH]; 3],
    axis: [[f32; WIDTH]; 3],
    radius: [f32; WIDTH],
    intensity: [f32; WIDTH],
    cos_spread: [f32; WIDTH],
    sin_spread: [f32; WIDTH],
    cos_falloff: [f32; WIDTH],
    children: [Child; WIDTH],
    /// The parent node and the index among its children; the root is its own parent.
    parent: (u32, u8),
}

#[derive(Clone, Copy, Debug)]
enum Child {
    None,
    Node(u32),
    Emitter(u32),
}

/// Emitter with its bounds.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    emitter: u32,
    bounds: LightBounds,
}

/// Selected emitter.
pub(super) struct Chosen {
    pub(super) emitter: u32,
    pub(super) probability: f32,
    /// Rescaled random number, for reuse.
    pub(super) u: f64,
}

impl LightTree {
    /// Builds a tree over emitters with these bounds; emitters of zero intensity are never selected.
    pub(super) fn new(bounds: &[LightBounds]) -> LightTree {
        let mut tree = LightTree { nodes: vec![], places: vec![(u32::MAX, 0); bounds.len()] };
        let mut leaves: Vec<Leaf> = (0..)
            .zip(bounds)
            .map(|(emitter, &bounds)| Leaf { emitter, bounds })
            .filter(|leaf| leaf.bounds.intensity > 0.0)
            .collect();
        if !leaves.is_empty() {
            tree.build(&mut leaves, (0, 0));
        }
        tree
    }

    /// Returns whether no emitter can be selected.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn build(&mut self, leaves: &mut [Leaf], parent: (u32, u8)) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node::empty(parent));
        for (slot, group) in (0u8..).zip(split(leaves)) {
            let bounds = union(group);
            let child = match group {
                [leaf] => {
                    self.places[leaf.emitter as usize] = (index, slot);
                    Child::Emitter(leaf.emitter)
                }
                _ => Child::Node(self.build(group, (index, slot))),
            };
            self.nodes[index as usize].set(usize::from(slot), &bounds, child);
        }
        index
    }

    /// Estimated contributions of the root's children to a point.
    #[inline]
    pub(super) fn root(&self, at: &LightSampleContext) -> Weights {
        self.nodes.first().map_or(Weights::NONE, |root| root.weights(at))
    }

    /// Selects an emitter by `u` in `[0,1)` for a point whose weights at the root are `root`; `None` if all weights are
    /// zero.
    #[inline]
    pub(super) fn select(&self, at: &LightSampleContext, root: &Weights, mut u: f64) -> Option<Chosen> {
        let mut node = self.nodes.first()?;
        let mut weights = *root;
        let mut probability = 1.0;
        while weights.is_some() {
            let (slot, share, rest) = weights.pick(u);
            probability *= share;
            u = rest;
            match node.children[slot] {
                Child::Node(next) => node = &self.nodes[next as usize],
                Child::Emitter(emitter) => {
                    return Some(Chosen { emitter, probability, u });
                }
                Child::None => return None,
            }
            weights = node.weights(at);
        }
        None
    }

    /// Probability with which `select` selects `emitter`.
    pub(super) fn probability(&self, at: &LightSampleContext, root: &Weights, emitter: u32) -> f32 {
        let (mut index, mut slot) = self.places[emitter as usize];
        if index == u32::MAX {
            return 0.0;
        }
        let mut probability = 1.0;
        while index != 0 {
            let node = &self.nodes[index as usize];
            probability *= node.weights(at).share(slot);
            (index, slot) = node.parent;
        }
        probability * root.share(slot)
    }
}

/// Estimated contribution of each child of a node to a point, and their sum [W/m²].
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    each: [f32; WIDTH],
    pub(super) total: f32,
}

impl Weights {
    const NONE: Weights = Weights { each: [0.0; WIDTH], total: 0.0 };

    /// Returns whether any weight is positive.
    #[inline(always)]
    fn is_some(&self) -> bool {
        self.total > 0.0 && self.total.is_finite()
    }

    /// Probability of a child.
    #[inline(always)]
    fn share(&self, slot: u8) -> f32 {
        if self.is_some() {
            self.each[usize::from(slot)] / self.total
        } else {
            0.0
        }
    }

    /// Selects a child by `u` in `[0,1)`; also returns its probability and the rescaled `u`.
    #[inline(always)]
    fn pick(&self, u: f64) -> (usize, f32, f64) {
        const LAST: f64 = 1.0 - f64::EPSILON / 2.0;
        let target = u * f64::from(self.total);
        let (mut before, mut last) = (0.0f64, (0, 0.0f64));
        for (slot, &weight) in self.each.iter().enumerate() {
            if weight > 0.0 {
                last = (slot, before);
                before += f64::from(weight);
                if target < before {
                    break;
                }
            }
        }
        let (slot, before) = last;
        let weight = self.each[slot];
        let rest = (target - before) / f64::from(weight);
        (slot, weight / self.total, rest.clamp(0.0, LAST))
    }
}

impl Node {
    fn empty(parent: (u32, u8)) -> Node {
        Node {
            center: [[0.0; WIDTH]; 3],
            axis: [[0.0; WIDTH]; 3],
            radius: [0.0; WIDTH],
            intensity: [0.0; WIDTH],
            cos_spread: [0.0; WIDTH],
            sin_spread: [0.0; WIDTH],
            cos_falloff: [0.0; WIDTH],
            children: [Child::None; WIDTH],
            parent,
        }
    }

    fn set(&mut self, slot: usize, bounds: &LightBounds, child: Child) {
        let cone = Cosines::of(bounds);
        for axis in 0..3 {
            self.center[axis][slot] = bounds.center[axis];
            self.axis[axis][slot] = bounds.axis[axis];
        }
        self.radius[slot] = bounds.radius;
        self.intensity[slot] = bounds.intensity;
        self.cos_spread[slot] = cone.cos_spread;
        self.sin_spread[slot] = cone.sin_spread;
        self.cos_falloff[slot] = cone.cos_falloff;
        self.children[slot] = child;
    }

    #[inline(always)]
    fn weights(&self, at: &LightSampleContext) -> Weights {
        let each: [f32; WIDTH] = std::array::from_fn(|i| {
            let cone = Cosines {
                cos_spread: self.cos_spread[i],
                sin_spread: self.sin_spread[i],
                cos_falloff: self.cos_falloff[i],
            };
            importance(
                at,
                Vec3::new(self.center[0][i], self.center[1][i], self.center[2][i]),
                self.radius[i],
                self.intensity[i],
                Vec3::new(self.axis[0][i], self.axis[1][i], self.axis[2][i]),
                &cone,
            )
        });
        Weights { each, total: each.iter().sum() }
    }
}

fn union(leaves: &[Leaf]) -> LightBounds {
    let (first, rest) = leaves.split_first().expect("a group has an emitter");
    rest.iter().fold(first.bounds, |all, leaf| all.union(&leaf.bounds))
}

/// Splits the leaves into up to [`WIDTH`] groups, by repeatedly halving the group of the highest cost.
fn split(leaves: &mut [Leaf]) -> Vec<&mut [Leaf]> {
    if leaves.len() <= WIDTH {
        return leaves.chunks_mut(1).collect();
    }
    let mut groups: Vec<(f32, &mut [Leaf])> = vec![(f32::INFINITY, leaves)];
    while groups.len() < WIDTH {
        let worst = (0..groups.len())
            .filter(|&i| groups[i].1.len() > 1)
            .max_by(|&a, &b| groups[a].0.total_cmp(&groups[b].0));
        let Some(worst) = worst else { break };
        let (_, group) = groups.swap_remove(worst);
        let (left, right) = halve(group);
        for half in [left, right] {
            groups.push((union(half).cost(), half));
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Splits a group at the cheapest of a few planes along each axis.
fn halve(group: &mut [Leaf]) -> (&mut [Leaf], &mut [Leaf]) {
    const CUTS: usize = 7;
    let mut best: Option<(f32, usize, usize)> = None;
    for axis in 0..3 {
        sort(group, axis);
        if group[0].bounds.center[axis] == group[group.len() - 1].bounds.center[axis] {
            continue;
        }
        for cut in 1..=CUTS {
            let at = (group.len() * cut / (CUTS + 1)).clamp(1, group.len() - 1);
            let cost = union(&group[..at]).cost() + union(&group[at..]).cost();
            if best.is_none_or(|(min, ..)| cost < min) {
                best = Some((cost, axis, at));
            }
        }
    }
    let at = match best {
        Some((_, axis, at)) => {
            sort(group, axis);
            at
        }
        None => group.len() / 2,
    };
    group.split_at_mut(at)
}

/// Ties are broken by emitter index, so that the tree depends on the lights only.
fn sort(group: &mut [Leaf], axis: usize) {
    let key = |leaf: &Leaf| (leaf.bounds.center[axis], leaf.emitter);
    group.sort_unstable_by(|a, b| {
        let ((a, first), (b, second)) = (key(a), key(b));
        a.total_cmp(&b).then(first.cmp(&second))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bsdf::GlossyLobe;

    #[test]
    fn probabilities_are_those_of_the_choice_and_add_up_to_one() {
        let mut state = 7u32;
        let mut random = || {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        for count in [1usize, 2, 8, 9, 100, 1000] {
            let bounds: Vec<LightBounds> = (0..count)
                .map(|i| {
                    let center = Vec3::new(random(), random(), random()) * 10.0;
                    let mut bounds = LightBounds::around(center, 0.01, random());
                    if i % 3 == 1 {
                        bounds.axis = (Vec3::new(random(), random(), random()) - 0.5).normalize();
                        bounds.spread = random();
                        bounds.falloff = std::f32::consts::FRAC_PI_2;
                    }
                    bounds
                })
                .collect();
            let tree = LightTree::new(&bounds);
            let mut at = LightSampleContext::in_space(Vec3::new(random(), random(), random()) * 10.0);
            if count % 2 == 0 {
                at =
                    at.with_gloss(&GlossyLobe { mirror: Vec3::new(0.36, 0.48, 0.8), alpha: 0.1, share: 0.7 });
            }
            let all: f64 = (0..count as u32)
                .map(|i| f64::from(tree.probability(&at, &tree.root(&at), i)))
                .sum();
            assert!((all - 1.0).abs() < 1e-4, "{count}: {all}");
            for _ in 0..200 {
                let chosen = tree
                    .select(&at, &tree.root(&at), f64::from(random()))
                    .expect("something shines");
                let expected = tree.probability(&at, &tree.root(&at), chosen.emitter);
                assert!((chosen.probability / expected - 1.0).abs() < 1e-4);
                assert!((0.0..1.0).contains(&chosen.u));
                assert!(bounds[chosen.emitter as usize].importance(&at) > 0.0);
            }
        }
    }
}
