//! Channels of OpenEXR files: which of them make the colour, and the order in which textures have them.

use super::ColorChannels;

/// Channels of a part, in the order of a texture, and the indices of its colour channels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChannelOrder {
    /// Indices in the file.
    pub(super) list: Vec<usize>,
    pub(super) colors: ColorChannels,
}

impl ChannelOrder {
    /// OpenImageIO's order: by layer, and within a layer red, green and blue before all others. The layer of the colour
    /// comes first, which changes the order only if all channels are in named layers.
    pub(super) fn new(names: &[String]) -> ChannelOrder {
        let picks = groups(names).into_iter().filter_map(|(group, members)| {
            let (rank, picked) = pick_color(names, &members)?;
            Some(((rank, rank_of(group)), (group, picked)))
        });
        let best = picks.min_by_key(|(order, _)| *order);
        let (group, color) = best.map_or(("", vec![]), |(_, pick)| pick);
        let mut list: Vec<usize> = (0..names.len()).collect();
        list.sort_by_cached_key(|&channel| {
            let (layer, name) = split(&names[channel]);
            let is_color = color.contains(&channel) && !is_one_of(name, &ALPHA);
            let is_position = is_position(names, layer);
            let rank = rank_in_layer(name, is_position);
            (!is_color, layer != group, layer.to_owned(), rank, name.to_owned())
        });
        let mut alphas = list.iter().map(|&c| is_one_of(split(&names[c]).1, &ALPHA));
        let alpha = alphas.position(|is_alpha| is_alpha);
        let count = color.iter().filter(|&&c| !is_one_of(split(&names[c]).1, &ALPHA)).count();
        ChannelOrder { list, colors: ColorChannels { is_grey: count == 1, alpha } }
    }
}

const ALPHA: [&str; 2] = ["a", "alpha"];

/// Leading names of a layer, in the documented order of OpenImageIO.
const RANKED: [&str; 20] = [
    "R", "Red", "G", "Green", "B", "Blue", "Y", "real", "imag", "A", "Alpha", "AR", "RA", "AG", "GA", "AB",
    "BA", "Z", "Depth", "Zback",
];

/// Splits a name at its last dot into layer and channel.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

fn is_one_of(name: &str, wanted: &[&str]) -> bool {
    wanted.iter().any(|wanted| name.eq_ignore_ascii_case(wanted))
}

/// Returns whether a layer holds positions or directions: channels x, and y or z.
fn is_position(names: &[String], layer: &str) -> bool {
    let has = |wanted: &str| {
        let mut parts = names.iter().map(|name| split(name));
        parts.any(|(of, name)| of == layer && name.eq_ignore_ascii_case(wanted))
    };
    has("x") && (has("y") || has("z"))
}

fn rank_in_layer(name: &str, is_position: bool) -> usize {
    let axis = ["x", "y", "z"].iter().position(|axis| name.eq_ignore_ascii_case(axis));
    // Positions and directions follow the colours of their layer, ordered by axis.
    if let Some(axis) = axis.filter(|_| is_position) {
        return 6 + axis;
    }
    let rank = RANKED.iter().position(|ranked| name.eq_ignore_ascii_case(ranked));
    rank.map_or(usize::MAX, |rank| if rank < 6 { rank } else { rank + 3 })
}

/// Rank of a group of channels as the main image: first the unnamed group, then one named as the image, then others.
pub(super) fn rank_of(group: &str) -> u32 {
    match group.to_ascii_lowercase().as_str() {
        "" => 0,
        "combined" | "beauty" | "rgba" | "rgb" | "color" | "viewlayer.combined" => 1,
        _ => 2,
    }
}

/// The channels of each group, named by the text before the last dot, in file order.
pub(super) fn groups(names: &[String]) -> Vec<(&str, Vec<usize>)> {
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let group = name.rsplit_once('.').map_or("", |(group, _)| group);
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, members)) => members.push(i),
            None => groups.push((group, vec![i])),
        }
    }
    groups
}

/// The colour channels among `members`, and their rank of confidence (0 is highest).
pub(super) fn pick_color(names: &[String], members: &[usize]) -> Option<(u32, Vec<usize>)> {
    let find = |wanted: &[&str]| {
        members.iter().copied().find(|&i| {
            let name = names[i].rsplit('.').next().unwrap_or_default();
            wanted.iter().any(|n| name.eq_ignore_ascii_case(n))
        })
    };
    let alpha = find(&["a", "alpha"]);
    let rgb = [find(&["r", "red"]), find(&["g", "green"]), find(&["b", "blue"])];
    if let [Some(r), Some(g), Some(b)] = rgb {
        return Some((0, [r, g, b].into_iter().chain(alpha).collect()));
    }
    if let Some(grey) = find(&["y", "l", "luminance", "grey", "gray"])
        && find(&["x"]).is_none()
    {
        return Some((1, [grey].into_iter().chain(alpha).collect()));
    }
    if let [Some(x), Some(y), Some(z)] = [find(&["x"]), find(&["y"]), find(&["z"])] {
        return Some((2, vec![x, y, z]));
    }
    match *members {
        [only] => Some((3, vec![only])),
        _ => None,
    }
}

/// Which of red, green and blue is not among the channels, if the two others are.
pub(super) fn lone_missing(names: &[String], members: &[usize]) -> Option<&'static str> {
    let is_there = |wanted: &[&str]| {
        members.iter().any(|&i| {
            let name = names[i].rsplit('.').next().unwrap_or_default();
            wanted.iter().any(|n| name.eq_ignore_ascii_case(n))
        })
    };
    let rgb = [("R", "red"), ("G", "green"), ("B", "blue")];
    let mut missing = rgb.into_iter().filter(|&(short, long)| !is_there(&[short, long]));
    match (missing.next(), missing.next()) {
        (Some((name, _)), None) => Some(name),
        _ => None,
    }
}
