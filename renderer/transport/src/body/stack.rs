//! Medium stack of a path: the bodies that it is in.

use super::{Bodies, Body, BodyId};
use crate::material::Medium;
use crate::medium::Coefficients;
use renderer_base::color::Rgb;
use renderer_base::math::exp;
use renderer_geometry::Interaction;
use renderer_scene::{Nesting, Priority};

/// Number of bodies that are stored in place; more are on the heap.
const IN_PLACE: usize = 8;

/// The bodies that contain the path, those that win against others first; a body may be there several times.
#[derive(Clone, Debug)]
pub struct MediumStack {
    /// The bodies, unless they are in `many`.
    few: [BodyId; IN_PLACE],
    /// Number of bodies in `few`.
    count: u32,
    /// The bodies, sorted, if `few` is too small for them; else empty.
    many: Vec<BodyId>,
    /// Index of refraction of what the path is in.
    ior: f32,
    fill: Fill,
    /// True if one of the bodies has a boundary.
    has_boundary: bool,
}

/// What fills the space that a path is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// Nothing.
    Clear,
    /// A medium that only absorbs light, the same everywhere: absorption coefficient [1/m].
    Absorbing(Rgb),
    /// A medium that scatters or emits light, or that is not the same everywhere.
    Medium,
}

/// What a surface is to a path that meets it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// A surface of something that is in a medium of this index of refraction.
    Surface {
        /// Index of refraction outside.
        outside: f32,
    },
    /// None: what it bounds is not there.
    Open,
}

impl MediumStack {
    /// Outside of all bodies.
    pub const NONE: MediumStack = MediumStack {
        few: [BodyId(u32::MAX); IN_PLACE],
        count: 0,
        many: Vec::new(),
        ior: 1.0,
        fill: Fill::Clear,
        has_boundary: false,
    };

    /// The stack of these bodies.
    pub fn of(bodies: &Bodies, inside: impl Iterator<Item = BodyId>) -> MediumStack {
        let mut stack = MediumStack::NONE;
        for id in inside {
            stack.insert(id);
        }
        stack.update(bodies);
        stack
    }

    /// What fills the space.
    #[inline]
    pub fn fill(&self) -> Fill {
        self.fill
    }

    /// Returns what the surface of a shape is to a path that meets it from here.
    pub fn boundary(&self, bodies: &Bodies, it: &Interaction) -> Boundary {
        if bodies.nesting(it.shape) == Nesting::Relative {
            return Boundary::Surface { outside: 1.0 };
        }
        let Some(id) = bodies.of_shape(it.shape) else {
            return Boundary::Surface { outside: self.ior };
        };
        let body = bodies.get(id);
        // Where the body is inside once more, it goes on.
        let leaves = it.wo.dot(it.ng) < 0.0;
        let itself = self
            .inside()
            .iter()
            .position(|&other| other == id)
            .filter(|_| leaves);
        let others = (0..)
            .zip(self.inside())
            .filter(|&(index, _)| Some(index) != itself);
        let mut surrounding = Surrounding::default();
        for (_, &other) in others {
            let of = bodies.get(other);
            if of.priority > body.priority || body.displaces && of.displaces && other <= id {
                return Boundary::Open;
            }
            surrounding.add(of);
        }
        Boundary::Surface {
            outside: surrounding.ior(),
        }
    }

    /// Updates the stack for a path that goes on from a hit in the unit vector `wi`.
    pub fn cross(&mut self, bodies: &Bodies, it: &Interaction, wi: glam::Vec3) {
        let along = wi.dot(it.ng);
        if along * it.wo.dot(it.ng) < 0.0
            && let Some(id) = bodies.of_shape(it.shape)
        {
            if along < 0.0 {
                self.insert(id);
            } else {
                self.remove(bodies, id);
            }
            self.update(bodies);
        }
    }

    /// The media that fill the space: those of the bodies that no other displaces.
    pub fn media<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = (BodyId, &'a Body)> {
        let first = self.inside().first().map(|&id| bodies.get(id).priority);
        let mut last = None;
        let mut is_displaced = false;
        self.inside().iter().filter_map(move |&id| {
            let body = bodies.get(id);
            let counts = !is_displaced && last != Some(id) && Some(body.priority) == first;
            last = Some(id);
            is_displaced |= body.displaces;
            counts.then_some((id, body))
        })
    }

    /// The bodies, those that win against others first.
    #[inline]
    fn inside(&self) -> &[BodyId] {
        match self.many.is_empty() {
            true => &self.few[..self.count as usize],
            false => &self.many,
        }
    }

    /// Returns whether the path is in a body that has a boundary.
    #[inline]
    pub fn has_boundary(&self) -> bool {
        self.has_boundary
    }

    /// Updates what follows from the bodies.
    fn update(&mut self, bodies: &Bodies) {
        let mut surrounding = Surrounding::default();
        self.inside()
            .iter()
            .for_each(|&id| surrounding.add(bodies.get(id)));
        self.ior = surrounding.ior();
        self.has_boundary = self.inside().iter().any(|&id| bodies.get(id).shape.is_some());
        let mut fill = Fill::Clear;
        for (id, _) in self.media(bodies) {
            fill = match (bodies.medium(id), fill) {
                (Medium::Clear, fill) => fill,
                (Medium::Homogeneous(of), Fill::Clear) if absorbs_only(of) => Fill::Absorbing(of.absorption),
                (Medium::Homogeneous(of), Fill::Absorbing(sum)) if absorbs_only(of) => {
                    Fill::Absorbing(sum + of.absorption)
                }
                _ => Fill::Medium,
            };
        }
        self.fill = fill;
    }

    fn insert(&mut self, id: BodyId) {
        let at = self.inside().partition_point(|&other| other < id);
        let count = self.count as usize;
        if !self.many.is_empty() {
            self.many.insert(at, id);
        } else if count == IN_PLACE {
            self.many.extend(self.few);
            self.many.insert(at, id);
        } else {
            self.count += 1;
            self.few[at..=count].rotate_right(1);
            self.few[at] = id;
        }
    }

    /// Removes a body; one that is not there may have been entered through a boundary of another material.
    fn remove(&mut self, bodies: &Bodies, id: BodyId) {
        let is_left = |&other: &BodyId| other == id;
        let is_open = |&other: &BodyId| bodies.is_open(other);
        let inside = self.inside();
        let Some(at) = inside.iter().position(is_left).or_else(|| {
            let is_open_too = bodies.is_open(id);
            inside.iter().position(is_open).filter(|_| is_open_too)
        }) else {
            return;
        };
        if self.many.is_empty() {
            self.few[at..self.count as usize].rotate_left(1);
            self.count -= 1;
            return;
        }
        self.many.remove(at);
        if self.many.len() == IN_PLACE {
            self.few.copy_from_slice(&self.many);
            self.many.clear();
        }
    }
}

/// The index of refraction among bodies, given in the order of the stack.
#[derive(Default)]
struct Surrounding {
    priority: Option<Priority>,
    ior: Option<f32>,
}

impl Surrounding {
    fn add(&mut self, body: &Body) {
        let first = *self.priority.get_or_insert(body.priority);
        if body.displaces && body.priority == first {
            self.ior.get_or_insert(body.ior);
        }
    }

    fn ior(&self) -> f32 {
        self.ior.unwrap_or(1.0)
    }
}

/// Returns whether a medium neither scatters nor emits light.
fn absorbs_only(medium: &Coefficients) -> bool {
    medium.scattering().is_black() && medium.emission.is_black()
}

/// Beer-Lambert transmittance of a way [m]. NaN, as for zero absorption times infinite distance, counts as no absorption.
pub fn beer_lambert(extinction: Rgb, distance: f32) -> Rgb {
    extinction.map(|a| exp(-(a * distance).max(0.0)))
}
