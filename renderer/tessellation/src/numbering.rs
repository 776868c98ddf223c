//! Numbers of the vertices on the lines between cells.

use rustc_hash::FxHashMap;

use crate::Duplicate;
use crate::borders::{Borders, Fans};
use crate::cells::{Cells, location};
use crate::line::{Place, Segment};
use crate::patch::{Cell, Location, NO_FAN, Patches, Side};

/// Vertices on the sides of a cell, along a side in its direction.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    pub(crate) vertices: Vec<u32>,
    /// Coordinates of the vertices along the side, from 0 to 1.
    pub(crate) along: Vec<f32>,
}

impl Chain {
    pub(crate) fn reversed(mut self) -> Chain {
        self.vertices.reverse();
        self.along.reverse();
        self.along.iter_mut().for_each(|along| *along = 1.0 - *along);
        self
    }
}

/// Things on lines: single places, and the inner vertices of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Place(Place),
    Segment(Segment),
}

/// Vertices on the sides of cells, each with the first location that uses it. Places on borders between fans have a vertex
/// for each fan.
#[derive(Debug)]
pub(crate) struct Numbering<'a> {
    borders: &'a Borders,
    patches: &'a Patches<'a>,
    cells: &'a Cells,
    pub(crate) locations: Vec<Location>,
    pub(crate) duplicates: Vec<Duplicate>,
    /// First vertex of a thing in a fan.
    vertices: FxHashMap<(Key, u32), u32>,
    /// First vertex of a thing on a border, and of a thing between sharp edges.
    points: FxHashMap<Key, u32>,
    normals: FxHashMap<(Key, u32), u32>,
}

impl<'a> Numbering<'a> {
    pub(crate) fn new(borders: &'a Borders, patches: &'a Patches<'a>, cells: &'a Cells) -> Numbering<'a> {
        let mut numbering = Numbering {
            borders,
            patches,
            cells,
            locations: vec![],
            duplicates: vec![],
            vertices: FxHashMap::default(),
            points: FxHashMap::default(),
            normals: FxHashMap::default(),
        };
        for &cell in &cells.list {
            for side in Side::ALL {
                numbering.add_side(cell, side);
            }
        }
        numbering
    }

    fn add_side(&mut self, cell: Cell, side: Side) {
        let (segment, is_reversed) = self.patches.segment(cell, side);
        let at = |t: f32| {
            let along = (t - segment.start as f32) / (segment.end - segment.start) as f32;
            location(cell, side, if is_reversed { 1.0 - along } else { along })
        };
        let cells = self.cells;
        cells.parts(segment, &mut |part| {
            for end in [part.start, part.end] {
                let place = self.patches.place(part.line, end);
                self.add(Key::Place(place), cell.patch, std::iter::once(at(end as f32)));
            }
            let steps = inner_places(part, cells.edges_along(part));
            self.add(Key::Segment(part), cell.patch, steps.map(at));
        });
    }

    /// Adds the vertices of a thing, unless it has them.
    fn add(&mut self, key: Key, patch: u32, locations: impl ExactSizeIterator<Item = Location>) {
        let count = locations.len() as u32;
        let fan = self.fan(key, patch);
        let first = self.locations.len() as u32;
        if count == 0 || *self.vertices.entry((key, fan)).or_insert(first) != first {
            return;
        }
        self.locations.extend(locations);
        if fan == NO_FAN {
            return;
        }
        let point = *self.points.entry(key).or_insert(first);
        let normal = *self
            .normals
            .entry((key, self.owner(key, patch, &self.borders.sharp)))
            .or_insert(first);
        if point != first {
            let duplicate = |i: u32| Duplicate { vertex: first + i, point: point + i, normal: normal + i };
            self.duplicates.extend((0..count).map(duplicate));
        }
    }

    fn fan(&self, key: Key, patch: u32) -> u32 {
        self.owner(key, patch, &self.borders.seams)
    }

    fn owner(&self, key: Key, patch: u32, fans: &Fans) -> u32 {
        match key {
            Key::Place(place) => self.patches.owner(patch, place, fans),
            Key::Segment(segment) => self.patches.owner_of_line(patch, segment.line, fans),
        }
    }

    /// Number of edges along the side of a cell, with those of finer neighbours.
    pub(crate) fn edges(&self, cell: Cell, side: Side) -> u32 {
        let mut edges = 0;
        let (segment, _) = self.patches.segment(cell, side);
        self.cells.parts(segment, &mut |part| edges += self.cells.edges_along(part));
        edges
    }

    /// The vertices along the side of a cell.
    pub(crate) fn chain(&self, cell: Cell, side: Side) -> Chain {
        let (segment, is_reversed) = self.patches.segment(cell, side);
        let length = (segment.end - segment.start) as f32;
        let mut chain = Chain::default();
        let mut push = |vertex: u32, t: f32| {
            chain.vertices.push(vertex);
            chain.along.push((t - segment.start as f32) / length);
        };
        let vertex = |key: Key| self.vertices[&(key, self.fan(key, cell.patch))];
        let place = |part: Segment, end: u32| vertex(Key::Place(self.patches.place(part.line, end)));
        self.cells.parts(segment, &mut |part| {
            push(place(part, part.start), part.start as f32);
            let edges = self.cells.edges_along(part);
            if edges > 1 {
                let first = vertex(Key::Segment(part));
                for (i, t) in inner_places(part, edges).enumerate() {
                    push(first + i as u32, t);
                }
            }
        });
        push(place(segment, segment.end), segment.end as f32);
        match is_reversed {
            true => chain.reversed(),
            false => chain,
        }
    }
}

/// Coordinates, on its line, of the vertices inside a segment with this number of edges.
fn inner_places(part: Segment, edges: u32) -> impl ExactSizeIterator<Item = f32> {
    let length = (part.end - part.start) as f32;
    (1..edges).map(move |i| part.start as f32 + length * i as f32 / edges as f32)
}
