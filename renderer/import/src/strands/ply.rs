//! Points and edges of PLY files: vertices with radii, normals, colours and further numbers; consecutive edges that share a
//! vertex make a strand.

use std::path::Path;

use glam::Vec3;
use ply_rs_bw::ply::{ElementDef, Property, PropertyAccess, PropertyAccessResult, PropertyType};
use rayon::prelude::*;

use super::strand_file::{StrandFile, of_points};
use renderer_base::files::FormatError;
use renderer_geometry::MeshAttribute;
use renderer_geometry::ply::{COLOR_NAMES, PlyFile, PlyReader, attribute_in, is_whole};
use renderer_image::linear_from_srgb;

/// Names of the radius of a point.
const RADII: [&str; 2] = ["radius", "pscale"];

pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<StrandFile, FormatError> {
    let file = PlyFile::parse(bytes, path)?;
    let mut reader = file.reader();
    let (mut found, mut edges) = (None, vec![]);
    for (name, element) in file.elements() {
        match name.as_str() {
            "vertex" => found = Some(vertices(&mut reader, element)?),
            "edge" => edges = read_edges(&mut reader, element)?,
            _ => reader.skip(element)?,
        }
    }
    let points = found.ok_or_else(|| reader.syntax("it has no vertex elements".into()))?;
    if edges.is_empty() {
        return Ok(points);
    }
    chained(&points, &edges).map_err(|reason| reader.syntax(reason))
}

/// Numbers of an element, column by column, in the order of its scalars.
fn columns(reader: &mut PlyReader<'_>, element: &ElementDef) -> Result<Vec<Vec<f32>>, FormatError> {
    let count = scalars(element).len();
    if let Some(rows) = reader.rows(element, |_| true) {
        let fields: Vec<_> = rows.scalars().iter().map(|(_, field)| *field).collect();
        let column = |field| (0..rows.count).into_par_iter().map(|row| rows.number(row, field)).collect();
        return Ok(fields.into_iter().map(column).collect());
    }
    let mut columns = vec![vec![]; count];
    reader.elements(element, |scalars: Scalars| {
        for (column, number) in columns.iter_mut().zip(scalars.0) {
            column.push(number);
        }
        Ok(())
    })?;
    Ok(columns)
}

fn scalars(element: &ElementDef) -> Vec<&str> {
    let all = element.properties.iter();
    all.filter(|(_, property)| matches!(property.data_type, PropertyType::Scalar(_)))
        .map(|(name, _)| name.as_str())
        .collect()
}

fn vertices(reader: &mut PlyReader<'_>, element: &ElementDef) -> Result<StrandFile, FormatError> {
    let names = scalars(element);
    let mut columns: Vec<Option<Vec<f32>>> = columns(reader, element)?.into_iter().map(Some).collect();
    let place = |name: &str| names.iter().position(|known| *known == name);
    let mut take = |name: &str| place(name).and_then(|at| columns[at].take());
    let mut triple = |names: [&str; 3]| {
        let [Some(x), Some(y), Some(z)] = names.map(&mut take) else {
            return None;
        };
        let all = x.into_iter().zip(y).zip(z);
        Some(all.map(|((x, y), z)| Vec3::new(x, y, z)).collect::<Vec<_>>())
    };
    let Some(positions) = triple(["x", "y", "z"]) else {
        return Err(reader.syntax("its vertices have no x, y and z".into()));
    };
    let normals = triple(["nx", "ny", "nz"]).unwrap_or_default();
    let color = COLOR_NAMES.into_iter().find_map(|names| Some((names[0], triple(names)?)));
    let radii = RADII.iter().find_map(|name| take(name)).unwrap_or_default();
    let mut attributes = vec![];
    if let Some((first, colors)) = color {
        let is_encoded = is_whole(element, first);
        let linear = |x: f32| if is_encoded { linear_from_srgb(x / 255.0) } else { x };
        let numbers = colors.into_iter().flat_map(|color| color.to_array()).map(linear);
        attributes.push(of_points("color", 3, numbers.collect()));
    }
    attributes.extend(further(&names, columns));
    Ok(StrandFile {
        positions,
        radii,
        normals,
        attributes,
        ..StrandFile::default()
    })
}

/// Attributes of the remaining columns, grouped by their names.
fn further(names: &[&str], mut columns: Vec<Option<Vec<f32>>>) -> Vec<MeshAttribute> {
    let mut attributes: Vec<MeshAttribute> = vec![];
    let mut first = 0;
    while first < names.len() {
        let (group, count) = attribute_in(&names[first..]);
        let (name, count) = match group {
            Some(name) if columns[first..first + count].iter().all(Option::is_some) => (name, count),
            _ => (names[first].to_owned(), 1),
        };
        let parts: Vec<Vec<f32>> =
            columns[first..first + count].iter_mut().filter_map(Option::take).collect();
        first += count;
        let is_new = !name.contains(char::is_whitespace) && attributes.iter().all(|known| known.name != name);
        if let (true, Some(points)) = (is_new, parts.first().map(Vec::len)) {
            let values = (0..points).flat_map(|point| parts.iter().map(move |part| part[point]));
            attributes.push(of_points(&name, count, values.collect()));
        }
    }
    attributes
}

fn read_edges(reader: &mut PlyReader<'_>, element: &ElementDef) -> Result<Vec<[usize; 2]>, FormatError> {
    let names = scalars(element);
    let ends = ["vertex1", "vertex2"].map(|name| names.iter().position(|known| *known == name));
    let [Some(a), Some(b)] = ends else {
        return Err(reader.syntax("its edges have no vertex1 and vertex2".into()));
    };
    let mut edges = vec![];
    if let Some(rows) = reader.rows(element, |_| true) {
        let [a, b] = [a, b].map(|at| rows.scalars()[at].1);
        edges.extend((0..rows.count).map(|row| [a, b].map(|field| rows.exact(row, field) as usize)));
        return Ok(edges);
    }
    reader.elements(element, |scalars: Scalars| {
        let index = |at: usize| scalars.0.get(at).copied().unwrap_or(0.0) as usize;
        edges.push([index(a), index(b)]);
        Ok(())
    })?;
    Ok(edges)
}

/// The strands of edges: an edge that begins where the one before ends continues its strand.
fn chained(points: &StrandFile, edges: &[[usize; 2]]) -> Result<StrandFile, String> {
    let count = points.positions.len();
    if let Some([a, b]) = edges.iter().find(|edge| edge.iter().any(|&end| end >= count)) {
        return Err(format!("an edge joins vertices {a} and {b}, but there are {count} vertices"));
    }
    let (mut order, mut strands) = (vec![], vec![]);
    let mut last = None;
    for &[a, b] in edges {
        if last != Some(a) {
            strands.push(1);
            order.push(a);
        }
        order.push(b);
        last = Some(b);
        if let Some(count) = strands.last_mut() {
            *count += 1;
        }
    }
    let attribute = |own: &MeshAttribute| MeshAttribute {
        values: order
            .iter()
            .flat_map(|&index| &own.values[index * own.width..(index + 1) * own.width])
            .copied()
            .collect(),
        ..own.clone()
    };
    Ok(StrandFile {
        strands,
        positions: order.iter().map(|&index| points.positions[index]).collect(),
        radii: order.iter().filter_map(|&index| points.radii.get(index).copied()).collect(),
        normals: order.iter().filter_map(|&index| points.normals.get(index).copied()).collect(),
        attributes: points.attributes.iter().map(attribute).collect(),
    })
}

/// Scalars of an element, in their order.
struct Scalars(Vec<f32>);

impl PropertyAccess for Scalars {
    fn new() -> Scalars {
        Scalars(vec![])
    }

    fn set_property(&mut self, _: &str, property: Property) -> PropertyAccessResult {
        self.0.push(match property {
            Property::Char(x) => f32::from(x),
            Property::UChar(x) => f32::from(x),
            Property::Short(x) => f32::from(x),
            Property::UShort(x) => f32::from(x),
            Property::Int(x) => x as f32,
            Property::UInt(x) => x as f32,
            Property::Float(x) => x,
            Property::Double(x) => x as f32,
            _ => return PropertyAccessResult::Ignored,
        });
        PropertyAccessResult::Set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        property float radius\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty float heat\n";
    const POINTS: &str = "0 0 0 0.5 255 0 0 1\n1 0 0 0.25 0 0 0 2\n0 1 0 0.125 0 255 0 3\n";

    #[test]
    fn points_have_radii_and_attributes() {
        let text = format!("{HEAD}end_header\n{POINTS}");
        let found = parse(text.as_bytes(), Path::new("a.ply")).expect("the file is valid");
        assert_eq!(found.radii, [0.5, 0.25, 0.125]);
        assert!(found.strands.is_empty());
        let names: Vec<&str> = found.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        assert_eq!(names, ["color", "heat"]);
        assert_eq!(found.attributes[0].values[..3], [1.0, 0.0, 0.0]);
        assert_eq!(found.attributes[1].values, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn edges_make_strands() {
        let edges = "element edge 3\nproperty int vertex1\nproperty int vertex2\nend_header\n";
        let text = format!("{HEAD}{edges}{POINTS}0 1\n1 2\n0 2\n");
        let found = parse(text.as_bytes(), Path::new("a.ply")).expect("the file is valid");
        assert_eq!(found.strands, [3, 2]);
        assert_eq!(found.radii, [0.5, 0.25, 0.125, 0.5, 0.125]);
        let text = format!("{HEAD}{edges}{POINTS}0 1\n1 3\n0 2\n");
        assert!(parse(text.as_bytes(), Path::new("a.ply")).is_err());
    }
}
