//! Interior list of a path: the bodies that contain it.

use super::{Bodies, Body, BodyId};
use crate::material::Medium;
use crate::medium::Coefficients;
use renderer_base::color::Rgb;
use renderer_base::math::exp;
use renderer_geometry::Interaction;
use renderer_scene::{Nesting, Priority};

/// Number of bodies stored inline; longer lists are on the heap.
const INLINE: usize = 8;

/// Interior list, sorted by precedence. A body is listed once for each time that the path has entered it.
#[derive(Clone, Debug)]
pub struct InteriorList {
    /// The bodies, unless `spilled` holds them.
    inline: [BodyId; INLINE],
    /// Number of bodies in `inline`.
    count: u32,
    /// The bodies if there are more than [`INLINE`]; else empty.
    spilled: Vec<BodyId>,
    /// Index of refraction at the path's position.
    ior: f32,
    medium_class: MediumClass,
    /// True if a body of the list has a surface.
    has_boundary: bool,
}

/// Media at the position of a path, by the cost of evaluating them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MediumClass {
    /// No medium.
    Vacuum,
    /// Homogeneous medium that only absorbs: absorption coefficient [1/m].
    Absorbing(Rgb),
    /// Medium that scatters, emits or is heterogeneous.
    Scattering,
}

/// Interpretation of a hit by the interior list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// A surface.
    Surface {
        /// Index of refraction on its outer side.
        outside: f32,
    },
    /// A null interface: its body is inside another that wins.
    Null,
}

impl InteriorList {
    /// The empty list.
    pub const NONE: InteriorList = InteriorList {
        inline: [BodyId(u32::MAX); INLINE],
        count: 0,
        spilled: Vec::new(),
        ior: 1.0,
        medium_class: MediumClass::Vacuum,
        has_boundary: false,
    };

    /// List of bodies in any order.
    pub fn of(bodies: &Bodies, inside: impl Iterator<Item = BodyId>) -> InteriorList {
        let mut list = InteriorList::NONE;
        for id in inside {
            list.insert(id);
        }
        list.update(bodies);
        list
    }

    /// Media at the path's position.
    #[inline]
    pub fn medium_class(&self) -> MediumClass {
        self.medium_class
    }

    /// Interprets a hit of the path.
    pub fn boundary(&self, bodies: &Bodies, it: &Interaction) -> Boundary {
        if bodies.nesting(it.shape) == Nesting::Relative {
            return Boundary::Surface { outside: 1.0 };
        }
        let Some(id) = bodies.of_shape(it.shape) else {
            return Boundary::Surface { outside: self.ior };
        };
        let body = bodies.get(id);
        // A path that leaves the body leaves one entry; the body continues if it is listed again.
        let leaves = it.wo.dot(it.ng) < 0.0;
        let itself = self.inside().iter().position(|&other| other == id).filter(|_| leaves);
        let others = (0..).zip(self.inside()).filter(|&(index, _)| Some(index) != itself);
        let mut surrounding = Surrounding::default();
        for (_, &other) in others {
            let other_body = bodies.get(other);
            if other_body.priority > body.priority || body.refracts && other_body.refracts && other <= id {
                return Boundary::Null;
            }
            surrounding.add(other_body);
        }
        Boundary::Surface { outside: surrounding.ior() }
    }

    /// Updates the list for a path that leaves a hit in the unit vector `wi`.
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

    /// The bodies whose media are present: those of the highest priority, up to the first that refracts.
    pub fn media<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = (BodyId, &'a Body)> {
        let first = self.inside().first().map(|&id| bodies.get(id).priority);
        let mut last = None;
        let mut is_displaced = false;
        self.inside().iter().filter_map(move |&id| {
            let body = bodies.get(id);
            let counts = !is_displaced && last != Some(id) && Some(body.priority) == first;
            last = Some(id);
            is_displaced |= body.refracts;
            counts.then_some((id, body))
        })
    }

    /// The bodies, sorted by precedence.
    #[inline]
    fn inside(&self) -> &[BodyId] {
        match self.spilled.is_empty() {
            true => &self.inline[..self.count as usize],
            false => &self.spilled,
        }
    }

    /// Returns whether the path is in a body that has a surface.
    #[inline]
    pub fn has_boundary(&self) -> bool {
        self.has_boundary
    }

    /// Updates the derived values.
    fn update(&mut self, bodies: &Bodies) {
        let mut surrounding = Surrounding::default();
        self.inside().iter().for_each(|&id| surrounding.add(bodies.get(id)));
        self.ior = surrounding.ior();
        self.has_boundary = self.inside().iter().any(|&id| bodies.get(id).shape.is_some());
        let mut class = MediumClass::Vacuum;
        for (id, _) in self.media(bodies) {
            class = match (bodies.medium(id), class) {
                (Medium::Clear, class) => class,
                (Medium::Homogeneous(medium), MediumClass::Vacuum) if absorbs_only(medium) => {
                    MediumClass::Absorbing(medium.absorption)
                }
                (Medium::Homogeneous(medium), MediumClass::Absorbing(sum)) if absorbs_only(medium) => {
                    MediumClass::Absorbing(sum + medium.absorption)
                }
                _ => MediumClass::Scattering,
            };
        }
        self.medium_class = class;
    }

    fn insert(&mut self, id: BodyId) {
        let at = self.inside().partition_point(|&other| other < id);
        let count = self.count as usize;
        if !self.spilled.is_empty() {
            self.spilled.insert(at, id);
        } else if count == INLINE {
            self.spilled.extend(self.inline);
            self.spilled.insert(at, id);
        } else {
            self.count += 1;
            self.inline[at..=count].rotate_right(1);
            self.inline[at] = id;
        }
    }

    /// Removes a body. An open body that is not listed was entered through the surface of another open body, which is
    /// removed instead.
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
        if self.spilled.is_empty() {
            self.inline[at..self.count as usize].rotate_left(1);
            self.count -= 1;
            return;
        }
        self.spilled.remove(at);
        if self.spilled.len() == INLINE {
            self.inline.copy_from_slice(&self.spilled);
            self.spilled.clear();
        }
    }
}

/// Index of refraction of the bodies added in the order of the list.
#[derive(Default)]
struct Surrounding {
    priority: Option<Priority>,
    ior: Option<f32>,
}

impl Surrounding {
    fn add(&mut self, body: &Body) {
        let first = *self.priority.get_or_insert(body.priority);
        if body.refracts && body.priority == first {
            self.ior.get_or_insert(body.ior);
        }
    }

    fn ior(&self) -> f32 {
        self.ior.unwrap_or(1.0)
    }
}

/// Returns whether a medium neither scatters nor emits.
fn absorbs_only(medium: &Coefficients) -> bool {
    medium.scattering().is_black() && medium.emission.is_black()
}

/// Beer-Lambert transmittance over a distance [m]. NaN (zero extinction over an infinite distance) counts as 1.
pub fn beer_lambert(extinction: Rgb, distance: f32) -> Rgb {
    let channel = |sigma: f32| exp(-(sigma * distance).max(0.0));
    match extinction.is_grey() {
        true => Rgb::splat(channel(extinction.r)),
        false => extinction.map(channel),
    }
}
