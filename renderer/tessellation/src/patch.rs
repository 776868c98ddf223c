//! Patches: squares of the surface. A quadrilateral is one patch of a surface of quadrilaterals; any other polygon has one
//! patch for each corner, with corners at the point, the middle of the next edge, the centre, and the middle of the last
//! edge.

use glam::Vec2;

use crate::borders::Fans;
use crate::cage::Cage;
use crate::line::{EDGE, Line, Place, SIDE, Segment};

/// Square of the surface with coordinates from 0 to [`SIDE`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    pub(crate) face: u32,
    /// The corner of the cage at the origin.
    pub(crate) corner: u32,
    /// True if the patch is a whole quadrilateral.
    pub(crate) is_whole: bool,
}

/// Point of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Location {
    pub(crate) patch: u32,
    /// Coordinates in the patch, from 0 to 1.
    pub(crate) st: Vec2,
}

/// Sides of a square: at y = 0, x = 1, y = 1, x = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Bottom,
    Right,
    Top,
    Left,
}

impl Side {
    pub(crate) const ALL: [Side; 4] = [Side::Bottom, Side::Right, Side::Top, Side::Left];

    /// The location at a coordinate along the side of a square with the origin and size.
    pub(crate) fn at(self, [x, y]: [f32; 2], size: f32, along: f32) -> Vec2 {
        match self {
            Side::Bottom => Vec2::new(x + along, y),
            Side::Right => Vec2::new(x + size, y + along),
            Side::Top => Vec2::new(x + along, y + size),
            Side::Left => Vec2::new(x, y + along),
        }
    }
}

/// Side of a patch as part of a line: the coordinate on the line is `origin + scale · along`.
#[derive(Clone, Copy, Debug)]
struct SideLine {
    line: Line,
    origin: i64,
    scale: i64,
}

/// Square part of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) patch: u32,
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) size: u32,
}

/// The patches of a cage.
#[derive(Debug)]
pub(crate) struct Patches<'a> {
    cage: &'a Cage,
    pub(crate) list: Vec<Patch>,
}

impl<'a> Patches<'a> {
    /// Patches of all faces but holes; faces with `whole` corners are one patch.
    pub(crate) fn new(cage: &'a Cage, whole: Option<u32>) -> Patches<'a> {
        let mut list = vec![];
        for face in (0..cage.face_count() as u32).filter(|&face| !cage.holes[face as usize]) {
            let corners = cage.face(face);
            match whole == Some(corners.end - corners.start) {
                true => list.push(Patch { face, corner: corners.start, is_whole: true }),
                false => list.extend(corners.map(|corner| Patch { face, corner, is_whole: false })),
            }
        }
        Patches { cage, list }
    }

    /// The edges of which patches have one half.
    pub(crate) fn halved_edges(&self) -> impl Iterator<Item = Segment> {
        let parts = self.list.iter().filter(|patch| !patch.is_whole);
        parts.map(|patch| {
            let line = Line::Edge(self.cage.edges[patch.corner as usize]);
            Segment { line, start: 0, end: EDGE }
        })
    }

    /// The patch and its corners of the cage, counter-clockwise from the origin; a part of a polygon has the next and the
    /// last corner of the polygon on both sides of its own.
    fn corners(&self, patch: u32) -> (Patch, [u32; 4]) {
        let found = self.list[patch as usize];
        let corners = self.cage.face(found.face);
        let count = corners.end - corners.start;
        let at = |offset: u32| corners.start + (found.corner - corners.start + offset) % count;
        (found, [found.corner, at(1), at(2), at(count - 1)])
    }

    /// Part of an edge from its beginning at a corner: the edge's own direction may be opposite.
    fn edge(&self, corner: u32, from: i64, to: i64) -> SideLine {
        let edge = self.cage.edges[corner as usize];
        let is_forward = self.cage.ends[edge as usize][0] == self.cage.points[corner as usize];
        let place = |t: i64| if is_forward { t } else { i64::from(EDGE) - t };
        let (origin, end) = (place(from), place(to));
        SideLine {
            line: Line::Edge(edge),
            origin,
            scale: (end - origin) / i64::from(SIDE),
        }
    }

    fn side(&self, patch: u32, side: Side) -> SideLine {
        let (found, [own, next, opposite, last]) = self.corners(patch);
        let edge = i64::from(EDGE);
        let spoke = |corner: u32| SideLine { line: Line::Spoke(corner), origin: 0, scale: 1 };
        match (found.is_whole, side) {
            (true, Side::Bottom) => self.edge(own, 0, edge),
            (true, Side::Right) => self.edge(next, 0, edge),
            (true, Side::Top) => self.edge(opposite, edge, 0),
            (true, Side::Left) => self.edge(last, edge, 0),
            (false, Side::Bottom) => self.edge(own, 0, edge / 2),
            (false, Side::Right) => spoke(own),
            (false, Side::Top) => spoke(last),
            (false, Side::Left) => self.edge(last, edge, edge / 2),
        }
    }

    /// The side of a cell as a segment; true if the segment's direction is opposite to the side's.
    pub(crate) fn segment(&self, cell: Cell, side: Side) -> (Segment, bool) {
        let Cell { patch, x, y, size } = cell;
        let (at, along) = match side {
            Side::Bottom => (y, x),
            Side::Right => (x + size, y),
            Side::Top => (y + size, x),
            Side::Left => (x, y),
        };
        let is_border = match side {
            Side::Bottom | Side::Left => at == 0,
            Side::Right | Side::Top => at == SIDE,
        };
        if !is_border {
            let line = match side {
                Side::Bottom | Side::Top => Line::Horizontal(patch, at),
                Side::Left | Side::Right => Line::Vertical(patch, at),
            };
            return (Segment { line, start: along, end: along + size }, false);
        }
        let SideLine { line, origin, scale } = self.side(patch, side);
        let place = |along: u32| (origin + scale * i64::from(along)) as u32;
        let (start, end) = (place(along), place(along + size));
        match start < end {
            true => (Segment { line, start, end }, false),
            false => (Segment { line, start: end, end: start }, true),
        }
    }

    /// The place of an end of a segment.
    pub(crate) fn place(&self, line: Line, at: u32) -> Place {
        match line {
            Line::Edge(edge) => match at {
                0 => Place::Point(self.cage.ends[edge as usize][0]),
                EDGE => Place::Point(self.cage.ends[edge as usize][1]),
                _ => Place::Line(line, at),
            },
            Line::Spoke(corner) => match at {
                0 => Place::Line(Line::Edge(self.cage.edges[corner as usize]), SIDE),
                SIDE => Place::Center(self.face_of(corner)),
                _ => Place::Line(line, at),
            },
            Line::Horizontal(patch, y) => match at {
                0 => self.on_border(patch, Side::Left, y),
                SIDE => self.on_border(patch, Side::Right, y),
                x => Place::Line(Line::Horizontal(patch, y), x),
            },
            Line::Vertical(patch, x) => match at {
                0 => self.on_border(patch, Side::Bottom, x),
                SIDE => self.on_border(patch, Side::Top, x),
                // Both lines through the place give the same key.
                y => Place::Line(Line::Horizontal(patch, y), x),
            },
        }
    }

    fn on_border(&self, patch: u32, side: Side, along: u32) -> Place {
        let SideLine { line, origin, scale } = self.side(patch, side);
        self.place(line, (origin + scale * i64::from(along)) as u32)
    }

    fn face_of(&self, corner: u32) -> u32 {
        self.cage.face_of(corner)
    }

    /// The side of a line as seen from a patch: [`NO_FAN`] unless the line is a border between fans.
    pub(crate) fn owner_of_line(&self, patch: u32, line: Line, fans: &Fans) -> u32 {
        match line {
            Line::Edge(edge) if fans.is_border[edge as usize] => self.list[patch as usize].face,
            _ => NO_FAN,
        }
    }

    /// The side of a place as seen from a patch, or the fan of a point.
    pub(crate) fn owner(&self, patch: u32, place: Place, fans: &Fans) -> u32 {
        match place {
            Place::Point(point) => {
                let mut corners = self.cage.face(self.list[patch as usize].face);
                let at = corners.find(|&corner| self.cage.points[corner as usize] == point);
                at.map_or(NO_FAN, |corner| fans.of_corner[corner as usize])
            }
            Place::Line(line, _) => self.owner_of_line(patch, line, fans),
            Place::Center(_) => NO_FAN,
        }
    }
}

/// Owner of places that are not on a border between fans.
pub(crate) const NO_FAN: u32 = u32::MAX;
