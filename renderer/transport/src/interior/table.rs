//! Bodies of a scene, and the body that each shape bounds.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Body, BodyId};
use crate::material::{Interior, Material, MaterialId, Medium};
use renderer_base::math::Bounds;
use renderer_geometry::{Shape, ShapeId, closed_groups};
use renderer_scene::Nesting;

/// Bodies of a scene.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    /// Bodies in order of precedence.
    list: Vec<Body>,
    /// Body and nesting of each shape; empty without bodies.
    of_shape: Vec<ShapeBody>,
    /// Bounds of all bodies with a boundary; `None` without such bodies.
    bounds: Option<Bounds>,
}

/// Body that a shape bounds, and reference of its index of refraction.
#[derive(Clone, Copy, Debug)]
struct ShapeBody {
    body: Option<BodyId>,
    nesting: Nesting,
}

/// A body before sorting.
struct Candidate {
    body: Body,
    shapes: Vec<ShapeId>,
}

impl Bodies {
    /// Finds the bodies of a scene. `surfaces` are the materials of the shapes, and `everywhere` is the material of a
    /// medium that fills the scene.
    pub fn new(
        shapes: &[Shape],
        surfaces: &[MaterialId],
        materials: &[Material],
        everywhere: Option<MaterialId>,
    ) -> Bodies {
        let interior = |id: MaterialId| materials[id.0 as usize].interior();
        let mut by_material: BTreeMap<MaterialId, Vec<ShapeId>> = BTreeMap::new();
        for (id, &material) in (0..).map(ShapeId).zip(surfaces) {
            if interior(material).may_matter() {
                by_material.entry(material).or_default().push(id);
            }
        }
        let mut candidates = vec![];
        for (material, ids) in by_material {
            let of_material: Vec<&Shape> = ids.iter().map(|id| &shapes[id.0 as usize]).collect();
            let mut open = vec![];
            let mut candidate = |ids: Vec<ShapeId>, is_open| {
                let bounds = ids.iter().map(|id| shapes[id.0 as usize].bounds());
                let bounds = bounds.reduce(Bounds::union).unwrap_or(Bounds::EMPTY);
                let body = Body::new(material, interior(material), ids.first().copied(), bounds, is_open);
                candidates.push(Candidate { body, shapes: ids });
            };
            for group in closed_groups(&of_material) {
                let members = group.shapes.into_iter().map(|index| ids[index]);
                match group.is_closed {
                    true => candidate(members.collect(), false),
                    false => open.extend(members),
                }
            }
            if !open.is_empty() {
                open.sort_unstable();
                candidate(open, true);
            }
        }
        candidates.retain(|candidate| candidate.has_inside(interior(candidate.body.material)));
        if let Some(material) = everywhere {
            candidates.push(Candidate {
                body: Body::new(material, interior(material), None, Bounds::EMPTY, true),
                shapes: vec![],
            });
        }
        candidates.sort_by_key(|candidate| {
            let body = &candidate.body;
            (
                Reverse(body.priority),
                body.shape.is_none(),
                size_order(&body.bounds),
                body.shape,
            )
        });
        Bodies::ordered(candidates, surfaces, materials)
    }

    fn ordered(candidates: Vec<Candidate>, surfaces: &[MaterialId], materials: &[Material]) -> Bodies {
        if candidates.is_empty() {
            return Bodies::default();
        }
        let mut bodies = Bodies {
            of_shape: surfaces
                .iter()
                .map(|id| ShapeBody {
                    body: None,
                    nesting: materials[id.0 as usize].interior().nesting,
                })
                .collect(),
            ..Bodies::default()
        };
        for (id, candidate) in (0..).map(BodyId).zip(candidates) {
            for shape in candidate.shapes {
                bodies.of_shape[shape.0 as usize].body = Some(id);
            }
            let body = candidate.body;
            if body.shape.is_some() {
                let all = bodies.bounds.map_or(body.bounds, |all| all.union(body.bounds));
                bodies.bounds = Some(all);
            }
            bodies.list.push(body);
        }
        bodies.bounds = bodies.bounds.map(Bounds::widened);
        bodies
    }

    /// Returns whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// A body.
    #[inline]
    pub fn get(&self, id: BodyId) -> &Body {
        &self.list[id.0 as usize]
    }

    /// The body that a shape bounds.
    #[inline]
    pub fn of_shape(&self, shape: ShapeId) -> Option<BodyId> {
        self.of_shape[shape.0 as usize].body
    }

    /// Reference of the index of refraction of a shape's material.
    #[inline]
    pub(super) fn nesting(&self, shape: ShapeId) -> Nesting {
        self.of_shape[shape.0 as usize].nesting
    }

    /// Medium of a body.
    #[inline]
    pub fn medium(&self, id: BodyId) -> &Medium {
        &self.get(id).medium
    }

    /// Returns whether open shapes bound a body of the scene.
    pub fn are_open(&self) -> bool {
        self.list.iter().any(|body| body.is_open)
    }

    /// Returns whether open shapes bound a body.
    pub fn is_open(&self, id: BodyId) -> bool {
        self.get(id).is_open
    }

    /// Returns whether a medium may emit light.
    pub fn may_emit(&self) -> bool {
        self.list.iter().any(|body| body.medium.may_emit())
    }

    /// Bodies in order of precedence.
    pub fn all(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        (0..).map(BodyId).zip(&self.list)
    }

    /// Bounds of all bodies with a boundary; `None` without such bodies.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }
}

impl Candidate {
    /// Returns whether the candidate is a body. A material that only refracts needs a closed surface: an open pane has
    /// no interior.
    fn has_inside(&self, interior: &Interior) -> bool {
        let is_filled = !matches!(interior.medium, Medium::Clear);
        is_filled || interior.has_priority || self.body.refracts && !self.body.is_open
    }
}

impl Body {
    fn new(
        material: MaterialId,
        interior: &Interior,
        shape: Option<ShapeId>,
        bounds: Bounds,
        is_open: bool,
    ) -> Body {
        let (refracts, ior) = match interior.nesting {
            Nesting::Absolute => (interior.refracts, interior.ior.filter(|_| interior.refracts)),
            Nesting::Relative => (true, None),
        };
        Body {
            material,
            shape,
            priority: interior.priority,
            refracts,
            ior: ior.unwrap_or(1.0),
            medium: interior.medium.clone(),
            is_open,
            bounds,
        }
    }
}

/// Sort key of bounds by diagonal: a body inside another has the smaller key.
fn size_order(bounds: &Bounds) -> u32 {
    // The bits of nonnegative floats have the order of the numbers.
    (bounds.max - bounds.min).length().to_bits()
}
