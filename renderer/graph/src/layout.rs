//! Positions of boxes, ports and wires: columns from left to right, each box as close as possible to the boxes
//! connected to it. Groups are laid out from inside out, each as one box.

use super::layers::{Item, Layers, Place};
use super::model::{End, GraphBox, Inside, Port};

/// Width of a letter, and of one of a title.
pub(super) const LETTER: f64 = 6.1;
const TITLE_LETTER: f64 = 7.1;
/// Height of a row of ports, and of a title.
pub(super) const ROW: f64 = 17.0;
pub(super) const TITLE: f64 = 24.0;
/// Distance of texts from borders.
pub(super) const PAD: f64 = 9.0;
/// Least distance of items of a column.
const GAP: f64 = 14.0;
/// Height of the place of a wire that passes a column.
const PASS: f64 = 4.0;
/// Distance of columns: least and most.
const COLUMNS: [f64; 2] = [38.0, 110.0];
/// Maximum length of the text of a value [characters].
const MAX_TEXT_LENGTH: usize = 32;

/// Places within a box, from its upper left corner.
pub(super) struct Layout {
    pub(super) size: [f64; 2],
    /// Heights of the middles of its ports.
    pub(super) inputs: Vec<f64>,
    pub(super) outputs: Vec<f64>,
    pub(super) inside: Option<InsideLayout>,
}

/// Layout of the boxes and wires inside a group.
pub(super) struct InsideLayout {
    pub(super) boxes: Vec<([f64; 2], Layout)>,
    /// For each wire its points: it is level from one of an even number to the next, and a curve between them.
    pub(super) wires: Vec<Vec<[f64; 2]>>,
}

/// Text of an input: name, type and value.
pub(super) fn input_text(port: &Port) -> [String; 3] {
    let name = if port.is_override {
        format!("with {}", port.name)
    } else {
        port.name.clone()
    };
    let value = match port.value.chars().count() {
        0 => String::new(),
        count if count > MAX_TEXT_LENGTH => {
            let start: String = port.value.chars().take(MAX_TEXT_LENGTH - 1).collect();
            format!("= {start}…")
        }
        _ => format!("= {}", port.value),
    };
    [name, port.ty.clone(), value]
}

fn width(texts: &[&str]) -> f64 {
    let letters: usize = texts
        .iter()
        .filter(|text| !text.is_empty())
        .map(|text| text.chars().count() + 1)
        .sum();
    letters.saturating_sub(1) as f64 * LETTER
}

fn input_width(port: &Port) -> f64 {
    let [name, ty, value] = input_text(port);
    width(&[&name, &ty, &value])
}

fn output_width(port: &Port) -> f64 {
    width(&[&port.name, &port.ty])
}

fn title_width(graph: &GraphBox) -> f64 {
    let template = if graph.name == graph.template {
        ""
    } else {
        graph.template.as_str()
    };
    graph.name.chars().count() as f64 * TITLE_LETTER + width(&[" ", template]) + 2.0 * PAD
}

fn widest(ports: &[Port], width: impl Fn(&Port) -> f64) -> f64 {
    ports.iter().map(width).fold(0.0, f64::max)
}

/// Lays out a box with all that is in it.
pub(super) fn layout(graph: &GraphBox) -> Layout {
    match &graph.inside {
        Some(inside) => group(graph, inside),
        None => leaf(graph),
    }
}

/// A closed box: inputs on the left, outputs on the right of the same rows.
fn leaf(graph: &GraphBox) -> Layout {
    let row = |number: usize| TITLE + (number as f64 + 0.5) * ROW;
    let left = widest(&graph.inputs, input_width);
    let right = widest(&graph.outputs, output_width);
    let between = if left > 0.0 && right > 0.0 { 2.0 * PAD } else { 0.0 };
    let notes = usize::from(graph.hidden > 0);
    let rows = (graph.inputs.len() + notes).max(graph.outputs.len());
    let wide = (left + right + between + 2.0 * PAD).max(title_width(graph));
    Layout {
        size: [wide, TITLE + rows as f64 * ROW + 5.0],
        inputs: (0..graph.inputs.len()).map(row).collect(),
        outputs: (0..graph.outputs.len()).map(row).collect(),
        inside: None,
    }
}

/// Heights of the items of a column: how high they are, where their tops are, and their ports.
struct Column {
    heights: Vec<f64>,
    tops: Vec<f64>,
}

fn group(graph: &GraphBox, inside: &Inside) -> Layout {
    let boxes: Vec<Layout> = inside.boxes.iter().map(layout).collect();
    let borders = [graph.inputs.len(), graph.outputs.len()];
    let layers = Layers::new(boxes.len(), borders, &inside.wires);
    let columns = heights(&layers, &boxes);
    let lowest = columns.iter().flat_map(|column| &column.tops).fold(f64::MAX, |a, b| a.min(*b));
    let lowest = if lowest == f64::MAX { 0.0 } else { lowest };
    let top = TITLE + 8.0 - lowest;
    let bottom = (columns.iter())
        .flat_map(|column| column.tops.iter().zip(&column.heights).map(|(top, height)| top + height))
        .fold(0.0, f64::max);

    let left = PAD + widest(&graph.inputs, input_width) + PAD;
    let right = PAD + widest(&graph.outputs, output_width) + PAD;
    // Left and right ends of the columns; border columns have no width.
    let mut ends: Vec<[f64; 2]> = vec![[left, left]];
    for (number, items) in layers.columns.iter().enumerate().skip(1) {
        let x = ends[number - 1][1] + distance(&layers, &columns, &boxes, number);
        let wide = items.iter().map(|item| match item {
            Item::Box(index) => boxes[*index].size[0],
            Item::Border(_) | Item::Pass(_) => 0.0,
        });
        ends.push([x, x + wide.fold(0.0, f64::max)]);
    }
    let last = ends.len() - 1;
    // A title may be wider than all that is below it.
    let more = (title_width(graph) - (ends[last][1] + right)).max(0.0);
    ends[last] = ends[last].map(|x| x + more);

    let port = |place: Place, port: usize, is_output: bool| {
        top + columns[place.0].tops[place.1]
            + anchor(layers.columns[place.0][place.1], &boxes, port, is_output)
    };
    let width = ends[last][1] + right;
    // Wires begin and end at the texts of the group's own ports.
    let begin = |port: usize| PAD + input_width(&graph.inputs[port]) + 5.0;
    let end = |port: usize| width - PAD - output_width(&graph.outputs[port]) - 5.0;
    let wires = (layers.routes.iter().zip(&inside.wires))
        .map(|(route, ends_of)| {
            let mut points = wire(route, &layers, &boxes, &ends, &port);
            if let (End::Border(port), Some(first)) = (ends_of.from, points.first_mut()) {
                first[0] = begin(port);
            }
            if let (End::Border(port), Some(last)) = (ends_of.to, points.last_mut()) {
                last[0] = end(port);
            }
            points
        })
        .collect();
    let borders = [0, last].map(|column| {
        let tops = columns[column].tops.iter();
        tops.map(|y| top + y + ROW / 2.0).collect::<Vec<f64>>()
    });
    let mut corners = vec![[0.0; 2]; boxes.len()];
    for (column, items) in layers.columns.iter().enumerate() {
        for (number, item) in items.iter().enumerate() {
            if let Item::Box(index) = item {
                corners[*index] = [ends[column][0], top + columns[column].tops[number]];
            }
        }
    }
    let [inputs, outputs] = borders;
    Layout {
        size: [width, top + bottom + 12.0],
        inputs,
        outputs,
        inside: Some(InsideLayout { boxes: corners.into_iter().zip(boxes).collect(), wires }),
    }
}

/// The points of a wire.
fn wire(
    route: &[usize],
    layers: &Layers,
    boxes: &[Layout],
    ends: &[[f64; 2]],
    port: &impl Fn(Place, usize, bool) -> f64,
) -> Vec<[f64; 2]> {
    let mut points = vec![];
    for number in route {
        let segment = &layers.segments[*number];
        let y = port(segment.from, segment.from_port, true);
        let [left, right] = ends[segment.from.0];
        let start = match layers.columns[segment.from.0][segment.from.1] {
            Item::Box(index) => left + boxes[index].size[0],
            Item::Border(_) => right,
            Item::Pass(_) => left,
        };
        points.extend([[start, y], [right, y]]);
    }
    if let Some(segment) = route.last().map(|number| &layers.segments[*number]) {
        let end = [ends[segment.to.0][0], port(segment.to, segment.to_port, false)];
        points.extend([end, end]);
    }
    points
}

/// Height of a port in its item.
fn anchor(item: Item, boxes: &[Layout], port: usize, is_output: bool) -> f64 {
    match item {
        Item::Border(_) => ROW / 2.0,
        Item::Pass(_) => PASS / 2.0,
        Item::Box(index) => {
            let ports = if is_output { &boxes[index].outputs } else { &boxes[index].inputs };
            ports.get(port).copied().unwrap_or(TITLE)
        }
    }
}

/// Distance of a column from the previous one; steep wires need more space.
fn distance(layers: &Layers, columns: &[Column], boxes: &[Layout], number: usize) -> f64 {
    let place = |place: Place, port: usize, is_output: bool| {
        columns[place.0].tops[place.1] + anchor(layers.columns[place.0][place.1], boxes, port, is_output)
    };
    let climbs = layers.segments.iter().filter(|segment| segment.to.0 == number).map(|segment| {
        (place(segment.from, segment.from_port, true) - place(segment.to, segment.to_port, false)).abs()
    });
    (COLUMNS[0] + 0.18 * climbs.fold(0.0, f64::max)).min(COLUMNS[1])
}

/// Rounds of placing.
const ROUNDS: usize = 24;

/// Places all items in their columns: each where its wires are level on average, as far as the others let it.
fn heights(layers: &Layers, boxes: &[Layout]) -> Vec<Column> {
    let mut columns: Vec<Column> = layers.columns.iter().map(|items| stacked(items, boxes)).collect();
    for round in 0..ROUNDS {
        let order: Vec<usize> = match round % 2 == 0 {
            true => (0..columns.len()).collect(),
            false => (0..columns.len()).rev().collect(),
        };
        for column in order {
            let size = columns[column].tops.len();
            let mut sums = vec![(0.0, 0.0); size];
            for segment in &layers.segments {
                for (own, own_port, other, other_port, is_output) in [
                    (segment.from, segment.from_port, segment.to, segment.to_port, true),
                    (segment.to, segment.to_port, segment.from, segment.from_port, false),
                ] {
                    if own.0 != column {
                        continue;
                    }
                    let at = |place: Place, port, is_output| {
                        anchor(layers.columns[place.0][place.1], boxes, port, is_output)
                    };
                    let wanted = columns[other.0].tops[other.1] + at(other, other_port, !is_output)
                        - at(own, own_port, is_output);
                    let sum = &mut sums[own.1];
                    *sum = (sum.0 + wanted, sum.1 + 1.0);
                }
            }
            let tops = &columns[column].tops;
            let wanted = (sums.iter().zip(tops)).map(|(sum, top)| match sum {
                (_, 0.0) => (*top, 0.01),
                (sum, count) => (sum / count, *count),
            });
            columns[column].tops =
                spread(&wanted.collect::<Vec<_>>(), &columns[column].heights, gap(layers, column));
        }
    }
    columns
}

/// Ports of a border may be rows of a table; boxes keep their distance.
fn gap(layers: &Layers, column: usize) -> f64 {
    match layers.columns[column].first() {
        Some(Item::Border(_)) => 0.0,
        Some(Item::Box(_) | Item::Pass(_)) | None => GAP,
    }
}

/// A column without regard to the others.
fn stacked(items: &[Item], boxes: &[Layout]) -> Column {
    let heights: Vec<f64> = (items.iter())
        .map(|item| match item {
            Item::Border(_) => ROW,
            Item::Pass(_) => PASS,
            Item::Box(index) => boxes[*index].size[1],
        })
        .collect();
    let mut y = 0.0;
    let tops = heights.iter().map(|height| {
        let top = y;
        y += height + GAP;
        top
    });
    Column { tops: tops.collect(), heights }
}

/// The tops of items one below the other that are nearest to the wanted ones, in the sense of least weighted squares: items
/// that would overlap move together (pool adjacent violators).
fn spread(wanted: &[(f64, f64)], heights: &[f64], gap: f64) -> Vec<f64> {
    let mut offset = 0.0;
    // Items that move together: the sum of their preferred positions, their weight, their number.
    let mut pools: Vec<(f64, f64, usize)> = vec![];
    let mut offsets = vec![];
    for ((top, weight), height) in wanted.iter().zip(heights) {
        offsets.push(offset);
        pools.push(((top - offset) * weight, *weight, 1));
        offset += height + gap;
        while let [.., above, below] = pools[..] {
            if above.0 / above.1 <= below.0 / below.1 {
                break;
            }
            let joined = (above.0 + below.0, above.1 + below.1, above.2 + below.2);
            pools.truncate(pools.len() - 2);
            pools.push(joined);
        }
    }
    let places = pools
        .iter()
        .flat_map(|(sum, weight, count)| std::iter::repeat_n(sum / weight, *count));
    places.zip(offsets).map(|(place, offset)| place + offset).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn items_do_not_overlap_and_are_where_they_want_to_be() {
        let tops = spread(&[(0.0, 1.0), (100.0, 1.0)], &[10.0, 10.0], 5.0);
        assert_eq!(tops, [0.0, 100.0]);
        let tops = spread(&[(50.0, 1.0), (50.0, 1.0), (0.0, 2.0)], &[10.0, 10.0, 10.0], 5.0);
        assert!(tops.windows(2).all(|pair| pair[0] + 15.0 <= pair[1] + 1e-9), "{tops:?}");
    }
}
