//! Reader of point clouds in PLY files: the properties of the `vertex` elements, grouped to attributes.
//!
//! `x y z` are the "position", `nx ny nz` the "normal", `red green blue` or `r g b` the "color" (integers are sRGB up
//! to 255, fractions linear). Three consecutive properties with the same name before `_x _y _z`, `_0 _1 _2`, `_1 _2 _3`
//! or `_r _g _b` make one attribute, named as for meshes. Four or more, `_0 _1 _2 _3 …`, make an array. All other
//! scalars are attributes by their own names. Lists are ignored.

use std::path::Path;

use ply_rs_bw::ply::{ElementDef, Property, PropertyAccess, PropertyAccessResult, PropertyType};
use rayon::prelude::*;

use super::{CloudColumn, CloudError, ColumnValues};
use renderer_geometry::ply::{COLOR_NAMES, PlyFile, PlyReader, attribute_in, is_whole};
use renderer_image::linear_from_srgb;

/// Property names that make one attribute, with its name.
const GROUPS: [([&str; 3], &str); 4] = [
    (["x", "y", "z"], "position"),
    (["nx", "ny", "nz"], "normal"),
    (COLOR_NAMES[0], COLOR),
    (COLOR_NAMES[1], COLOR),
];
const COLOR: &str = "color";

/// Reads the attributes of a file, positions first.
pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Vec<CloudColumn>, CloudError> {
    let file = PlyFile::parse(bytes, path)?;
    let mut reader = file.reader();
    for (name, element) in file.elements() {
        if name == "vertex" {
            return columns(&mut reader, element);
        }
        reader.skip(element)?;
    }
    Err(reader.syntax("it has no vertex elements".into()).into())
}

/// Source of an attribute's values: indices among an element's scalars.
#[derive(Clone, Copy)]
enum Source {
    Int(usize),
    Float(usize),
    /// Integer from 0 to 255, to be converted to a fraction.
    Fraction(usize),
    Triple([usize; 3]),
    /// Array: index of the first number, and their count.
    Array(usize, usize),
    /// Integers, sRGB up to 255.
    Encoded([usize; 3]),
}

fn columns(reader: &mut PlyReader<'_>, element: &ElementDef) -> Result<Vec<CloudColumn>, CloudError> {
    let plan = plan(element);
    if plan.first().is_none_or(|(name, _)| name != GROUPS[0].1) {
        return Err(reader.syntax("its vertices have no x, y and z".into()).into());
    }
    if element.count > i32::MAX as usize {
        return Err(reader.syntax("it has too many points".into()).into());
    }
    if let Some(rows) = reader.rows(element, |_| true) {
        let fields: Vec<_> = rows.scalars().iter().map(|(_, field)| *field).collect();
        let number = |row: usize, place: usize| rows.exact(row, fields[place]);
        let all = || (0..rows.count).into_par_iter();
        let columns = plan.into_iter().map(|(name, source)| CloudColumn {
            name,
            values: match source {
                Source::Int(_) => {
                    ColumnValues::Ints(all().map(|row| source.int(|at| number(row, at))).collect())
                }
                Source::Float(_) | Source::Fraction(_) => {
                    ColumnValues::Floats(all().map(|row| source.float(|at| number(row, at))).collect())
                }
                Source::Array(at, width) => {
                    let part = |i: usize| number(i / width, at + i % width) as f32;
                    let list = (0..rows.count * width).into_par_iter().map(part).collect();
                    ColumnValues::Arrays { width, list }
                }
                Source::Triple(_) | Source::Encoded(_) => {
                    ColumnValues::Triples(all().map(|row| source.triple(|at| number(row, at))).collect())
                }
            },
        });
        return Ok(columns.collect());
    }
    let mut columns: Vec<CloudColumn> = plan
        .iter()
        .map(|(name, source)| CloudColumn { name: name.clone(), values: source.none() })
        .collect();
    reader.elements(element, |scalars: Scalars| {
        let number = |at: usize| scalars.0.get(at).copied().unwrap_or(0.0);
        for (column, (_, source)) in columns.iter_mut().zip(&plan) {
            match &mut column.values {
                ColumnValues::Ints(list) => list.push(source.int(number)),
                ColumnValues::Floats(list) => list.push(source.float(number)),
                ColumnValues::Triples(list) => list.push(source.triple(number)),
                ColumnValues::Arrays { width, list } => {
                    list.extend((0..*width).map(|i| number(source.first() + i) as f32));
                }
                // No property is a string.
                ColumnValues::Texts { .. } => {}
            }
        }
        Ok(())
    })?;
    Ok(columns)
}

impl Source {
    fn none(self) -> ColumnValues {
        match self {
            Source::Int(_) => ColumnValues::Ints(vec![]),
            Source::Float(_) | Source::Fraction(_) => ColumnValues::Floats(vec![]),
            Source::Triple(_) | Source::Encoded(_) => ColumnValues::Triples(vec![]),
            Source::Array(_, width) => ColumnValues::Arrays { width, list: vec![] },
        }
    }

    fn first(self) -> usize {
        match self {
            Source::Int(at) | Source::Float(at) | Source::Fraction(at) | Source::Array(at, _) => at,
            Source::Triple([at, ..]) | Source::Encoded([at, ..]) => at,
        }
    }

    fn int(self, number: impl Fn(usize) -> f64) -> i32 {
        number(self.first()) as i32
    }

    fn float(self, number: impl Fn(usize) -> f64) -> f32 {
        let number = number(self.first()) as f32;
        match self {
            Source::Fraction(_) => number / 255.0,
            Source::Int(_)
            | Source::Float(_)
            | Source::Triple(_)
            | Source::Encoded(_)
            | Source::Array(..) => number,
        }
    }

    fn triple(self, number: impl Fn(usize) -> f64) -> [f32; 3] {
        match self {
            Source::Int(at) | Source::Float(at) | Source::Fraction(at) | Source::Array(at, _) => {
                [number(at) as f32; 3]
            }
            Source::Triple(places) => places.map(|at| number(at) as f32),
            Source::Encoded(places) => places.map(|at| linear_from_srgb(number(at) as f32 / 255.0)),
        }
    }
}

/// Attributes of an element with their sources, positions first.
fn plan(element: &ElementDef) -> Vec<(String, Source)> {
    let scalars = element.properties.iter().filter_map(|(name, property)| {
        matches!(property.data_type, PropertyType::Scalar(_)).then_some(name.as_str())
    });
    let names: Vec<&str> = scalars.collect();
    let place = |name: &str| names.iter().position(|known| *known == name);
    let mut taken = vec![false; names.len()];
    let mut plan: Vec<(String, Source)> = vec![];
    for (group, name) in GROUPS {
        let [Some(x), Some(y), Some(z)] = group.map(place) else {
            continue;
        };
        [x, y, z].into_iter().for_each(|at| taken[at] = true);
        let source = if name == COLOR && is_whole(element, group[0]) {
            Source::Encoded([x, y, z])
        } else {
            Source::Triple([x, y, z])
        };
        plan.push((name.to_owned(), source));
    }
    let mut first = 0;
    while first < names.len() {
        let at = first;
        first += 1;
        if taken[at] {
            continue;
        }
        if let Some((name, width)) = array_in(&names[at..])
            && !taken[at..at + width].contains(&true)
        {
            first = at + width;
            plan.push((name.to_owned(), Source::Array(at, width)));
            continue;
        }
        let (group, count) = attribute_in(&names[at..]);
        let source = match group {
            Some(name) if count == 3 && !taken[at..at + 3].contains(&true) => {
                first = at + 3;
                (name, Source::Triple([at, at + 1, at + 2]))
            }
            _ => (names[at].to_owned(), scalar(element, names[at], at)),
        };
        plan.push(source);
    }
    // The first of several attributes with the same name is used.
    let mut known: Vec<String> = vec![];
    plan.retain(|(name, _)| {
        let is_new = !known.contains(name);
        known.push(name.clone());
        is_new
    });
    plan
}

/// Array of more than three numbers at the start of a name list, `NAME_0 NAME_1 …`: its name and length.
fn array_in<'a>(names: &[&'a str]) -> Option<(&'a str, usize)> {
    let name = names.first()?.strip_suffix("_0")?;
    let is_part = |(i, part): &(usize, &&str)| {
        let number = part.strip_prefix(name).and_then(|rest| rest.strip_prefix('_'));
        number.is_some_and(|number| number.parse() == Ok(*i))
    };
    let width = names.iter().enumerate().take_while(is_part).count();
    (width > 3).then_some((name, width))
}

fn scalar(element: &ElementDef, name: &str, at: usize) -> Source {
    match (name, is_whole(element, name)) {
        ("alpha" | "a", true) => Source::Fraction(at),
        (_, true) => Source::Int(at),
        (_, false) => Source::Float(at),
    }
}

/// Scalars of an element, in their order.
struct Scalars(Vec<f64>);

impl PropertyAccess for Scalars {
    fn new() -> Scalars {
        Scalars(vec![])
    }

    fn set_property(&mut self, _: &str, property: Property) -> PropertyAccessResult {
        self.0.push(match property {
            Property::Char(x) => f64::from(x),
            Property::UChar(x) => f64::from(x),
            Property::Short(x) => f64::from(x),
            Property::UShort(x) => f64::from(x),
            Property::Int(x) => f64::from(x),
            Property::UInt(x) => f64::from(x),
            Property::Float(x) => f64::from(x),
            Property::Double(x) => x,
            _ => return PropertyAccessResult::Ignored,
        });
        PropertyAccessResult::Set
    }
}
