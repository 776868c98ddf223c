//! Volume of a subsurface random walk: the union of the overlapping objects of one material, and the points where
//! segments leave it.
//!
//! Positions and distances are in double precision and relative to the entry point, so that precision does not depend
//! on the distance from the world origin. Rays find candidates; exact intersections with the primitives decide.
//!
//! The walk counts the faces that it enters and leaves, so objects that overlap or touch are one volume.

use glam::{DVec3, Vec2, Vec3};

use crate::interior::InteriorList;
use crate::material::MaterialId;
use crate::scene::{HitList, MAX_NULL_INTERFACES, Scene};
use renderer_base::inline_list::InlineList;
use renderer_base::math::Ray;
use renderer_geometry::{Crossing, Hit, Interaction, LocalSurface, ShapeId};

/// Maximum distance between coincident surfaces, relative to the magnitude of their coordinates: two roundings.
const COINCIDENCE: f64 = 2.0 * f32::EPSILON as f64;

/// Distance by which rays start before a segment, in units of the tolerance of coincident surfaces, so that rounding of
/// their origin does not hide a face that the segment leaves at an angle.
const MARGIN: f64 = 128.0;

/// Minimum cosine of a ray to a surface in the range of coincident surfaces.
const MIN_COS: f64 = 1.0 / 64.0;

/// Entry point of a walk on a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    p: Vec3,
    shape: ShapeId,
    primitive: u32,
    /// 1 if geometric normals point outside, else -1.
    pub(crate) facing: f32,
    time: f32,
}

impl Entry {
    /// Entry at a hit, from the side of `wo`.
    pub(crate) fn at(it: &Interaction) -> Entry {
        Entry {
            p: it.p,
            shape: it.shape,
            primitive: it.primitive,
            facing: if it.wo.dot(it.ng) < 0.0 { -1.0 } else { 1.0 },
            time: it.time,
        }
    }
}

/// Segment of a walk, relative to the entry point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Start.
    pub(crate) from: DVec3,
    /// Unit vector.
    pub(crate) direction: Vec3,
    /// Length [m].
    pub(crate) length: f32,
}

impl Segment {
    /// End.
    pub(crate) fn end(&self) -> DVec3 {
        self.at(self.length.into())
    }

    /// Point at a distance from the start.
    fn at(&self, t: f64) -> DVec3 {
        self.from + self.direction.as_dvec3() * t
    }
}

/// Volume of a walk.
pub(crate) struct SubsurfaceVolume<'a> {
    scene: &'a Scene,
    entry: Entry,
    /// Surface at the entry, through the entry point.
    surface: LocalSurface,
    /// Point of entry, world space [m].
    origin: DVec3,
    material: MaterialId,
    /// Maximum distance between the surface at the entry and surfaces that coincide with it [m].
    tolerance: f64,
    /// Number of faces entered and not left.
    depth: u32,
    /// True before the first segment.
    is_at_entry: bool,
    hits: HitList,
    faces: InlineList<Face, 8>,
}

/// Returns whether a face is one of those `before` it, found on a neighbouring primitive.
fn is_repeated(face: &Face, before: &[Face]) -> bool {
    before.iter().any(|other| face.is_coincident(other) && face.is_same(other))
}

/// A face that a segment crosses.
#[derive(Clone, Copy, Debug)]
struct Face {
    crossing: Crossing,
    hit: Hit,
    /// Role of the face for the walk.
    role: Role,
    /// Maximum distance of coincident faces [m].
    tolerance: f64,
    /// True if a ray may hit a neighbouring primitive at the same point.
    is_near_edge: bool,
}

/// Role of a face for a walk that crosses it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    /// An object of the volume begins.
    Enters,
    /// An object of the volume ends.
    Leaves,
    /// The face bounds another object.
    Foreign,
}

impl Face {
    /// Returns whether the distance from `other` along the normal is within rounding.
    fn is_coincident(&self, other: &Face) -> bool {
        let distance = (self.crossing.t - other.crossing.t) * self.crossing.cos;
        distance.abs() <= self.tolerance.max(other.tolerance)
    }

    /// Returns whether the distance of the start of the segment along the normal is within rounding.
    fn is_at_start(&self) -> bool {
        (self.crossing.t * self.crossing.cos).abs() <= self.tolerance
    }

    /// Returns whether both are the same face, found on primitives that share an edge or a vertex.
    fn is_same(&self, other: &Face) -> bool {
        let is_neighbour = self.is_near_edge || other.is_near_edge;
        let is_alike = self.role == other.role && self.crossing.cos * other.crossing.cos > 0.0;
        self.hit.shape == other.hit.shape && is_alike && is_neighbour
    }
}

impl<'a> SubsurfaceVolume<'a> {
    /// Volume that a walk enters in `direction`.
    pub(crate) fn enter(scene: &'a Scene, entry: Entry, direction: Vec3) -> SubsurfaceVolume<'a> {
        let shape = &scene.shapes()[entry.shape.0 as usize];
        let p = entry.p.as_dvec3();
        let origin = p + shape.local_surface(entry.primitive, p, entry.time).foot();
        let surface = shape.local_surface(entry.primitive, origin, entry.time).through_origin();
        let mut volume = SubsurfaceVolume {
            scene,
            entry,
            surface,
            origin,
            material: scene.material_id(entry.shape),
            tolerance: COINCIDENCE * surface.magnitude(),
            depth: 1,
            is_at_entry: true,
            hits: HitList::new(),
            faces: InlineList::new(),
        };
        volume.count_coincident(direction);
        volume
    }

    /// Counts the objects that the walk enters at its first point.
    fn count_coincident(&mut self, direction: Vec3) {
        let segment = Segment { from: DVec3::ZERO, direction, length: 0.0 };
        self.scene.all_hits(&self.ray(&segment), &mut self.hits);
        self.faces.clear();
        let crossing = self.surface.crossing_near(DVec3::ZERO, direction.as_dvec3(), 0.0);
        self.faces.push(self.entry_face(&segment, crossing));
        for index in 0..self.hits.as_slice().len() {
            if let Some(face) = self.face(&segment, self.hits.as_slice()[index])
                && face.role == Role::Enters
                && face.is_at_start()
                && !self.is_known(&face)
            {
                self.faces.push(face);
            }
        }
        self.depth = self.faces.as_slice().len() as u32;
    }

    /// Returns whether the walk enters a closed object from its inside, as after a ray transmitted by the surface: no
    /// volume is behind that surface.
    pub(crate) fn is_outside(&mut self) -> bool {
        if self.entry.facing > 0.0 {
            return false;
        }
        let inwards = self.surface.normal(DVec3::ZERO).as_vec3() * self.entry.facing;
        let segment = Segment { from: DVec3::ZERO, direction: inwards, length: f32::INFINITY };
        self.scene.all_hits(&self.ray(&segment), &mut self.hits);
        self.faces.clear();
        for index in 0..self.hits.as_slice().len() {
            let face = self.face(&segment, self.hits.as_slice()[index]);
            face.into_iter().for_each(|face| self.faces.push(face));
        }
        let own =
            self.surface
                .crossing_within(DVec3::ZERO, inwards.as_dvec3(), self.tolerance, f64::INFINITY);
        if let Some(crossing) = own {
            self.faces.push(self.entry_face(&segment, crossing));
        }
        let faces = self.faces.as_slice();
        let mut left = 0;
        for (index, face) in faces.iter().enumerate() {
            let is_double = |other: &Face| face.is_coincident(other) && face.is_same(other);
            if face.crossing.t > self.tolerance && !faces[..index].iter().any(is_double) {
                // The geometric normals of a closed object point outside.
                left += match face.role {
                    Role::Enters => 1,
                    Role::Leaves => -1,
                    Role::Foreign => 0,
                };
            }
        }
        left > 0
    }

    /// Entry point, seen along the geometric normal from the side of arrival.
    pub(crate) fn entry_point(&self) -> Interaction {
        let inwards = -self.surface.normal(DVec3::ZERO).as_vec3() * self.entry.facing;
        let segment = Segment { from: DVec3::ZERO, direction: inwards, length: 0.0 };
        let crossing = Crossing { t: 0.0, cos: -1.0 };
        self.interaction(&segment, &self.entry_face(&segment, crossing), -inwards)
    }

    /// Returns the exit point of a segment from the volume, seen from the outside along the geometric normal. Surfaces
    /// of other objects do not end the segment but update `interior`, the interior list outside the volume.
    pub(crate) fn exit(&mut self, segment: &Segment, interior: &mut InteriorList) -> Option<Interaction> {
        let (direction, length) = (segment.direction.as_dvec3(), f64::from(segment.length));
        let margin = self.margin();
        let mut ray = self.ray(segment);
        if self.is_at_entry {
            ray.t_min = (margin + self.tolerance) as f32;
        }
        let (t_min, t_max) = (f64::from(ray.t_min), ray.t_max);
        let mut reached = 0.0;
        let mut found = None;
        for _ in 0..MAX_NULL_INTERFACES {
            let at_entry = self.surface.crossing_within(segment.from, direction, reached, length);
            if let Some(crossing) = at_entry {
                ray.t_max = t_max.min((crossing.t + 2.0 * margin) as f32);
            }
            let hit = self.scene.first_hit(&ray);
            if hit.is_none() && at_entry.is_none() {
                break;
            }
            // Coincident faces are one group. Distances of rays find them, with a margin for their errors; distances in double
            // precision decide which group a face belongs to.
            let mut end = at_entry.map_or(f64::INFINITY, |crossing| crossing.t);
            if let Some(hit) = hit {
                let distance = f64::from(hit.t) - margin;
                let crossing = self.surface_of(&hit).crossing_near(segment.from, direction, distance);
                let range = 2.0 * self.tolerance / crossing.cos.abs().max(MIN_COS);
                end = end.min(distance.max(reached) + range);
            }
            let end = (end + 0.5 * margin).min(length);
            self.faces.clear();
            if hit.is_some() {
                ray.t_max = (end + 2.0 * margin) as f32;
                self.scene.all_hits(&ray, &mut self.hits);
                for index in 0..self.hits.as_slice().len() {
                    let face = self.face(segment, self.hits.as_slice()[index]);
                    let is_in_group = |face: &Face| face.crossing.t > reached && face.crossing.t <= end;
                    let face = face.filter(is_in_group);
                    face.into_iter().for_each(|face| self.faces.push(face));
                }
            }
            if let Some(crossing) = at_entry.filter(|crossing| crossing.t <= end) {
                self.faces.push(self.entry_face(segment, crossing));
            }
            found = self.pass(segment, interior);
            if found.is_some() || end >= length {
                break;
            }
            reached = end;
            ray.t_min = (reached + 0.75 * margin).max(t_min) as f32;
            ray.t_max = t_max;
        }
        self.is_at_entry = false;
        found
    }

    /// Crosses the faces that were found, in the order of their distances, up to one by which the segment leaves the volume.
    fn pass(&mut self, segment: &Segment, interior: &mut InteriorList) -> Option<Interaction> {
        let by_distance = |a: &Face, b: &Face| a.crossing.t.total_cmp(&b.crossing.t);
        self.faces.as_mut_slice().sort_unstable_by(by_distance);
        let exit = self.count_faces(segment);
        let faces = self.faces.as_slice();
        for (index, face) in faces[..exit.unwrap_or(faces.len())].iter().enumerate() {
            // The path crosses surfaces that coincide with its entry or exit, as for any surface ([`Contact`]).
            let is_in_contact = self.is_at_entry && face.is_at_start()
                || exit.is_some_and(|exit| face.is_coincident(&faces[exit]));
            let bodies = self.scene.bodies();
            let is_crossed = face.role == Role::Foreign && self.is_within(face, segment);
            if is_crossed && !is_in_contact && !is_repeated(face, &faces[..index]) && !bodies.is_empty() {
                let it = self.interaction(segment, face, -segment.direction);
                interior.cross(bodies, &it, segment.direction);
            }
        }
        let face = faces[exit?];
        Some(self.interaction(segment, &face, self.outer_normal(segment, &face)))
    }

    /// Counts the faces of the volume that a segment crosses; returns the index of the one by which it leaves the volume.
    fn count_faces(&mut self, segment: &Segment) -> Option<usize> {
        for index in 0..self.faces.as_slice().len() {
            let (before, rest) = self.faces.as_slice().split_at(index);
            let (face, after) = (rest[0], &rest[1..]);
            if !self.is_within(&face, segment) || is_repeated(&face, before) {
                continue;
            }
            match face.role {
                Role::Foreign => {}
                Role::Enters => {
                    let was_counted = self.is_at_entry && face.is_at_start();
                    self.depth += u32::from(!was_counted);
                }
                Role::Leaves => {
                    let continues = |other: &Face| other.role == Role::Enters && face.is_coincident(other);
                    if self.depth <= 1 && !after.iter().any(continues) {
                        return Some(index);
                    }
                    self.depth = self.depth.saturating_sub(1);
                }
            }
        }
        None
    }

    fn is_within(&self, face: &Face, segment: &Segment) -> bool {
        face.crossing.t > 0.0 && face.crossing.t <= f64::from(segment.length)
    }

    /// Ray along a segment, with a margin at both ends.
    fn ray(&self, segment: &Segment) -> Ray {
        let (direction, margin) = (segment.direction.as_dvec3(), self.margin());
        let start = self.origin + segment.from - direction * margin;
        Ray {
            t_max: (f64::from(segment.length) + 2.0 * margin) as f32,
            time: self.entry.time,
            ..Ray::new(start.as_vec3(), segment.direction)
        }
    }

    fn margin(&self) -> f64 {
        MARGIN * self.tolerance
    }

    fn is_entry(&self, hit: &Hit) -> bool {
        (hit.shape, hit.primitive) == (self.entry.shape, self.entry.primitive)
    }

    fn is_known(&self, face: &Face) -> bool {
        self.faces.as_slice().iter().any(|known| face.is_same(known))
    }

    /// Primitive of a hit, relative to the point of entry.
    fn surface_of(&self, hit: &Hit) -> LocalSurface {
        if self.is_entry(hit) {
            self.surface
        } else {
            let shape = &self.scene.shapes()[hit.shape.0 as usize];
            shape.local_surface(hit.primitive, self.origin, self.entry.time)
        }
    }

    /// Face of a hit; `None` for a crossing of the entry's primitive, which is found without rays.
    fn face(&self, segment: &Segment, hit: Hit) -> Option<Face> {
        let (from, direction) = (segment.from, segment.direction.as_dvec3());
        let surface = self.surface_of(&hit);
        if self.is_entry(&hit) && surface.is_crossed(from, direction) {
            return None;
        }
        let crossing = surface.crossing_near(from, direction, f64::from(hit.t) - self.margin());
        Some(self.face_at(segment, &surface, crossing, hit))
    }

    /// Face of the primitive of the entry.
    fn entry_face(&self, segment: &Segment, crossing: Crossing) -> Face {
        let hit = Hit {
            t: crossing.t as f32,
            shape: self.entry.shape,
            primitive: self.entry.primitive,
            barycentric: Vec2::splat(1.0 / 3.0),
        };
        self.face_at(segment, &self.surface, crossing, hit)
    }

    fn face_at(&self, segment: &Segment, surface: &LocalSurface, crossing: Crossing, hit: Hit) -> Face {
        let outwards = crossing.cos * f64::from(self.entry.facing) > 0.0;
        let role = match (self.scene.material_id(hit.shape) == self.material, outwards) {
            (false, _) => Role::Foreign,
            (true, false) => Role::Enters,
            (true, true) => Role::Leaves,
        };
        let x = segment.at(crossing.t);
        Face {
            crossing,
            hit,
            role,
            tolerance: self.tolerance.max(COINCIDENCE * surface.magnitude()),
            is_near_edge: surface.is_near_edge(x),
        }
    }

    /// Outer unit normal of a face at its crossing.
    fn outer_normal(&self, segment: &Segment, face: &Face) -> Vec3 {
        let x = segment.at(face.crossing.t);
        self.surface_of(&face.hit).normal(x).as_vec3() * self.entry.facing
    }

    /// Point of a face where a segment crosses it, seen from the unit vector `wo`.
    fn interaction(&self, segment: &Segment, face: &Face, wo: Vec3) -> Interaction {
        let p = self.origin + segment.at(face.crossing.t);
        // A ray along the normal: rounding of the point does not move its projection onto the surface.
        let ray = Ray {
            time: self.entry.time,
            ..Ray::new(p.as_vec3(), -self.outer_normal(segment, face))
        };
        let hit = Hit { t: 0.0, ..face.hit };
        Interaction {
            wo,
            t: face.crossing.t as f32,
            ..self.scene.interaction_at(&ray, &hit)
        }
    }
}
