//! Light links of a description: names of shapes resolved to receiver classes and ray masks.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use shading::Diagnostic;

use crate::light::{LightLink, MAX_RECEIVER_CLASSES, ReceiverClass};
use crate::scene::SceneLinks;
use renderer_geometry::{ShapeId, accel};
use renderer_scene::{LightLinks, SceneDesc, ShapeFilter};

/// Maximum number of sets of blockers: ray mask bits that are free.
const MAX_BLOCKER_SETS: usize = 30;

/// First ray mask bit of sets of blockers.
const FIRST_BLOCKER_BIT: u32 = 2;

/// Resolves the links of a scene. `of_lights` are those of the lights that are not shapes.
///
/// # Errors
/// If there are too many sets of shapes.
pub(super) fn scene_links(
    desc: &SceneDesc,
    of_lights: &[Option<Arc<LightLinks>>],
) -> Result<SceneLinks, Diagnostic> {
    let of_shapes = desc.shapes.iter().filter_map(|shape| shape.links.as_deref());
    let of_declared = of_lights.iter().filter_map(Option::as_deref);
    let all: Vec<&LightLinks> = of_declared.chain(of_shapes).collect();
    if all.is_empty() {
        return Ok(SceneLinks::default());
    }
    let receivers = FilterSets::new(desc, all.iter().map(|links| &links.receivers));
    let blockers = FilterSets::new(desc, all.iter().map(|links| &links.blockers));
    if blockers.filters.len() > MAX_BLOCKER_SETS {
        return Err(too_many(
            "sets of shapes that block a light",
            blockers.filters.len(),
            MAX_BLOCKER_SETS,
        ));
    }
    let (classes, signatures) = receivers.classes();
    if signatures.len() > MAX_RECEIVER_CLASSES {
        return Err(too_many(
            "classes of shapes that different lights illuminate",
            signatures.len(),
            MAX_RECEIVER_CLASSES,
        ));
    }
    let link = |links: &LightLinks| LightLink {
        receivers: match receivers.index_of(&links.receivers) {
            None => u128::MAX,
            Some(set) => (0..)
                .zip(&signatures)
                .filter(|(_, signature)| has(signature, set))
                .fold(0, |bits, (class, _)| bits | 1u128 << class),
        },
        blockers: match blockers.index_of(&links.blockers) {
            None => accel::ALL,
            Some(set) => 1 << (FIRST_BLOCKER_BIT + set as u32),
        },
        visible_to: links.visible_to,
    };
    let bits = |signature: &Vec<u64>| (signature.first().copied().unwrap_or(0) << FIRST_BLOCKER_BIT) as u32;
    let shapes = (0..).map(ShapeId).zip(&desc.shapes);
    Ok(SceneLinks {
        classes,
        class_count: signatures.len() as u8,
        blocker_bits: blockers.by_shape.iter().map(bits).collect(),
        of_lights: of_lights
            .iter()
            .map(|links| links.as_deref().map_or(LightLink::ALL, link))
            .collect(),
        of_shapes: shapes
            .filter_map(|(id, shape)| Some((id, link(shape.links.as_deref()?))))
            .collect(),
    })
}

fn too_many(what: &str, count: usize, max: usize) -> Diagnostic {
    Diagnostic::error(format!("the links of lights make {count} {what}; there can be {max}"))
        .hint("give lights with similar shapes the same list")
}

/// Warnings of patterns that match no shape.
pub(super) fn unmatched_patterns(desc: &SceneDesc) -> Vec<Diagnostic> {
    let of_lights = desc.lights.iter().filter_map(|light| light.links.as_deref());
    let of_shapes = desc.shapes.iter().filter_map(|shape| shape.links.as_deref());
    let mut warnings: Vec<Diagnostic> = vec![];
    for links in of_lights.chain(of_shapes) {
        for pattern in links.receivers.patterns().iter().chain(links.blockers.patterns()) {
            if desc.shapes.iter().any(|shape| pattern.matches(&shape.name)) {
                continue;
            }
            let message = format!("no shape or import is called `{}`", pattern.text);
            let known = desc.shapes.iter().map(|shape| &*shape.name);
            let warning = Diagnostic::warning(message)
                .at(&desc.sources, pattern.span, "")
                .nearest(&pattern.text, known);
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    warnings
}

/// Distinct filters, with the set of filters that select each shape.
struct FilterSets<'a> {
    /// Filters that exclude a shape.
    filters: Vec<&'a ShapeFilter>,
    /// Bit set of the filters by shape.
    by_shape: Vec<Vec<u64>>,
    /// Bit set of the filters that select the medium of the scene.
    of_medium: Vec<u64>,
}

impl<'a> FilterSets<'a> {
    fn new(desc: &SceneDesc, all: impl Iterator<Item = &'a ShapeFilter>) -> FilterSets<'a> {
        let mut filters: Vec<&ShapeFilter> = vec![];
        for filter in all {
            if *filter != ShapeFilter::All && !filters.iter().any(|known| is_same(known, filter)) {
                filters.push(filter);
            }
        }
        let bits = |selects: &dyn Fn(&ShapeFilter) -> bool| {
            let mut bits = vec![0u64; filters.len().div_ceil(64)];
            for (index, filter) in filters.iter().enumerate() {
                bits[index / 64] |= u64::from(selects(filter)) << (index % 64);
            }
            bits
        };
        let mut by_name: FxHashMap<&str, Vec<u64>> = FxHashMap::default();
        let mut of_shape = |name| {
            by_name
                .entry(name)
                .or_insert_with(|| bits(&|filter| filter.selects(name)))
                .clone()
        };
        FilterSets {
            by_shape: desc.shapes.iter().map(|shape| of_shape(&*shape.name)).collect(),
            of_medium: bits(&ShapeFilter::selects_unnamed),
            filters,
        }
    }

    /// Index of a filter; `None` if it selects everything.
    fn index_of(&self, filter: &ShapeFilter) -> Option<usize> {
        self.filters.iter().position(|known| is_same(known, filter))
    }

    /// Class of each shape, and the bit set of each class. The first class is that of the scene's medium.
    fn classes(&self) -> (Vec<ReceiverClass>, Vec<Vec<u64>>) {
        let mut signatures = vec![self.of_medium.clone()];
        let mut known: FxHashMap<&Vec<u64>, usize> = FxHashMap::default();
        known.insert(&self.of_medium, 0);
        let mut class = |bits| {
            let class = *known.entry(bits).or_insert_with(|| {
                signatures.push(bits.clone());
                signatures.len() - 1
            });
            ReceiverClass(class.min(usize::from(u8::MAX)) as u8)
        };
        (self.by_shape.iter().map(&mut class).collect(), signatures)
    }
}

/// Returns whether two filters have the same patterns.
fn is_same(one: &ShapeFilter, other: &ShapeFilter) -> bool {
    let texts = |filter: &'_ ShapeFilter| -> Vec<String> {
        filter.patterns().iter().map(|pattern| pattern.text.clone()).collect()
    };
    std::mem::discriminant(one) == std::mem::discriminant(other) && texts(one) == texts(other)
}

/// Returns whether a bit set has a member.
fn has(bits: &[u64], index: usize) -> bool {
    bits[index / 64] >> (index % 64) & 1 == 1
}
