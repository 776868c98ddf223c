//! Layered layout of a group's boxes (Sugiyama, Tagawa and Toda 1981): columns by the longest way to the outputs, places in
//! a column for wires that pass it, and an order of each column with few crossings.
//!
//! - The first column is the border with the group's inputs, the last that with its outputs; their order is fixed.
//! - Wires lead from one column to the next only: those that go farther have a place of their own in each column between,
//!   so that they cross no box. Wires of one output share their places.

use std::collections::BTreeMap;

use super::model::{End, Wire};

/// Occupant of a place in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A port of the group.
    Border(usize),
    Box(usize),
    /// Place of the wires of an output in a column that they cross.
    Pass(End),
}

/// A place: column, and number in it.
pub(super) type Place = (usize, usize);

/// Part of a wire between neighbouring columns, with the ports at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) from: Place,
    pub(super) from_port: usize,
    pub(super) to: Place,
    pub(super) to_port: usize,
}

/// Columns, and the segments of all wires.
pub(super) struct Layers {
    pub(super) columns: Vec<Vec<Item>>,
    pub(super) segments: Vec<Segment>,
    /// The segments of each wire, from its output to its input.
    pub(super) routes: Vec<Vec<usize>>,
}

/// Rounds of ordering.
const ROUNDS: usize = 12;

impl Layers {
    /// Lays out `count` boxes and the ports of the group: `borders` are the numbers of inputs and outputs.
    pub(super) fn new(count: usize, borders: [usize; 2], wires: &[Wire]) -> Layers {
        let ranks = ranks(count, wires);
        let last = ranks.iter().max().map_or(0, |rank| rank + 1) + 1;
        let column = |rank: usize| last - 1 - rank;
        let mut columns: Vec<Vec<Item>> = vec![vec![]; last + 1];
        columns[0] = (0..borders[0]).map(Item::Border).collect();
        columns[last] = (0..borders[1]).map(Item::Border).collect();
        for (index, rank) in ranks.iter().enumerate() {
            columns[column(*rank)].push(Item::Box(index));
        }
        let start = |end: End| match end {
            End::Border(_) => 0,
            End::Box { index, .. } => column(ranks[index]),
        };
        let stop = |end: End| match end {
            End::Border(_) => last,
            End::Box { index, .. } => column(ranks[index]),
        };
        let mut reach: BTreeMap<End, usize> = BTreeMap::new();
        for wire in wires {
            let most = reach.entry(wire.from).or_default();
            *most = (*most).max(stop(wire.to));
        }
        for (from, most) in &reach {
            for items in &mut columns[start(*from) + 1..*most] {
                items.push(Item::Pass(*from));
            }
        }
        let mut layers = Layers { columns, segments: vec![], routes: vec![] };
        let routes = wires.iter().map(|wire| layers.route(wire, start(wire.from), stop(wire.to)));
        let routes: Vec<Vec<Segment>> = routes.collect();
        for route in routes {
            let numbers = route.into_iter().map(|segment| layers.number(segment)).collect();
            layers.routes.push(numbers);
        }
        layers.order();
        layers
    }

    fn place(&self, column: usize, item: Item) -> Place {
        let number = self.columns[column].iter().position(|other| *other == item);
        (column, number.expect("every item has been put in its column"))
    }

    fn route(&self, wire: &Wire, start: usize, stop: usize) -> Vec<Segment> {
        let (first, first_port) = item(wire.from);
        let (last, last_port) = item(wire.to);
        (start..stop)
            .map(|column| {
                let (from, from_port) = if column == start {
                    (first, first_port)
                } else {
                    (Item::Pass(wire.from), 0)
                };
                let (to, to_port) = if column + 1 == stop {
                    (last, last_port)
                } else {
                    (Item::Pass(wire.from), 0)
                };
                Segment {
                    from: self.place(column, from),
                    from_port,
                    to: self.place(column + 1, to),
                    to_port,
                }
            })
            .collect()
    }

    /// The number of a segment; wires that share one share its number.
    fn number(&mut self, segment: Segment) -> usize {
        let known = self.segments.iter().position(|other| *other == segment);
        known.unwrap_or_else(|| {
            self.segments.push(segment);
            self.segments.len() - 1
        })
    }

    /// Orders the inner columns by the means of their neighbours, to and fro, and keeps the order with the fewest crossings.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.columns.clone(), self.segments.clone());
        let inner = 1..self.columns.len() - 1;
        for round in 0..ROUNDS {
            let forward = round % 2 == 0;
            let columns: Vec<usize> = match forward {
                true => inner.clone().collect(),
                false => inner.clone().rev().collect(),
            };
            for column in columns {
                self.sort(column, forward);
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.columns.clone(), self.segments.clone());
            }
        }
        (_, self.columns, self.segments) = best;
    }

    /// Sorts a column by the mean places of connected items in the column before or after it.
    fn sort(&mut self, column: usize, forward: bool) {
        let size = self.columns[column].len();
        let mut sums = vec![(0.0, 0.0); size];
        for segment in &self.segments {
            let (own, other, port) = match forward {
                true => (segment.to, segment.from, segment.from_port),
                false => (segment.from, segment.to, segment.to_port),
            };
            if own.0 == column {
                let sum = &mut sums[own.1];
                // Ports of a box are in their order.
                *sum = (sum.0 + other.1 as f64 + 0.01 * port.min(90) as f64, sum.1 + 1.0);
            }
        }
        let mean = |number: usize| match sums[number] {
            (_, 0.0) => number as f64,
            (sum, count) => sum / count,
        };
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|a, b| mean(*a).total_cmp(&mean(*b)));
        let items = order.iter().map(|number| self.columns[column][*number]).collect();
        self.columns[column] = items;
        let mut places = vec![0; size];
        order.iter().enumerate().for_each(|(new, old)| places[*old] = new);
        for segment in &mut self.segments {
            for place in [&mut segment.from, &mut segment.to] {
                if place.0 == column {
                    place.1 = places[place.1];
                }
            }
        }
    }

    /// Number of pairs of segments that cross.
    pub(super) fn crossings(&self) -> usize {
        let ends = |segment: &Segment| {
            (
                segment.from.0,
                (segment.from.1, segment.from_port),
                (segment.to.1, segment.to_port),
            )
        };
        let list: Vec<_> = self.segments.iter().map(ends).collect();
        let pairs = list
            .iter()
            .enumerate()
            .flat_map(|(i, a)| list[i + 1..].iter().map(move |b| (a, b)));
        pairs
            .filter(|((column, a0, a1), (other, b0, b1))| {
                column == other && (a0 < b0 && a1 > b1 || a0 > b0 && a1 < b1)
            })
            .count()
    }
}

/// The item of a wire's end, and its port.
fn item(end: End) -> (Item, usize) {
    match end {
        End::Border(port) => (Item::Border(port), 0),
        End::Box { index, port } => (Item::Box(index), port),
    }
}

/// Longest path from each box to a box that no other reads. Groups have no cycles.
fn ranks(count: usize, wires: &[Wire]) -> Vec<usize> {
    let mut ranks = vec![0; count];
    // The longest path has fewer wires than there are boxes.
    for _ in 0..count {
        let mut changed = false;
        for wire in wires {
            if let (End::Box { index: from, .. }, End::Box { index: to, .. }) = (wire.from, wire.to)
                && ranks[from] < ranks[to] + 1
            {
                ranks[from] = ranks[to] + 1;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(from: usize, to: usize) -> Wire {
        Wire {
            from: End::Box { index: from, port: 0 },
            to: End::Box { index: to, port: 0 },
        }
    }

    #[test]
    fn wires_lead_from_column_to_column() {
        // 0 feeds 1 and 2, 1 feeds 2: the wire from 0 to 2 occupies a place in the column of 1.
        let wires = [
            wire(0, 1),
            wire(0, 2),
            wire(1, 2),
            Wire { from: End::Box { index: 2, port: 0 }, to: End::Border(0) },
        ];
        let layers = Layers::new(3, [0, 1], &wires);
        assert_eq!(layers.columns.len(), 5);
        assert_eq!(layers.columns[2].len(), 2);
        assert_eq!(layers.routes[1].len(), 2);
        for segment in &layers.segments {
            assert_eq!(segment.from.0 + 1, segment.to.0);
        }
    }

    #[test]
    fn orders_without_crossings_are_found() {
        let wires = [wire(0, 3), wire(1, 2)];
        assert_eq!(Layers::new(4, [0, 0], &wires).crossings(), 0);
    }
}
