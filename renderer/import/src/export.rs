//! PLY export of meshes (binary, little-endian): [`load_ply`](crate::load_ply) reads back the same mesh, bit for bit.

use std::fmt::Write as _;
use std::path::Path;

use crate::UV2;
use renderer_geometry::{AttributeDomain, Mesh};
use renderer_image::{ImageError, write_whole};

/// Writes a mesh to a PLY file, completely or not at all.
///
/// # Errors
/// If the file cannot be written.
pub fn write_ply(path: &Path, mesh: &Mesh) -> Result<(), ImageError> {
    write_whole(path, &ply_bytes(mesh))
}

/// Returns a valid mesh as the bytes of a PLY file: positions, normals, texture coordinates as `u v` and `uv2_0 uv2_1`,
/// colours as `red green blue alpha`, and attributes as `NAME_0` or `NAME_0 NAME_1 NAME_2`, all floats.
pub fn ply_bytes(mesh: &Mesh) -> Vec<u8> {
    let vertices = Columns::of(mesh, AttributeDomain::Vertex);
    let faces = Columns::of(mesh, AttributeDomain::Face);
    let mut header = String::from("ply\nformat binary_little_endian 1.0\n");
    // Writing to a string does not fail.
    let _ = writeln!(header, "element vertex {}", mesh.positions.len());
    vertices.declare(&mut header);
    let _ = writeln!(header, "element face {}", mesh.triangles.len());
    header.push_str("property list uchar uint vertex_indices\n");
    faces.declare(&mut header);
    header.push_str("end_header\n");

    let mut bytes = header.into_bytes();
    for index in 0..mesh.positions.len() {
        vertices.put(index, &mut bytes);
    }
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|vertex| vertex.to_le_bytes()));
        faces.put(index, &mut bytes);
    }
    bytes
}

/// Columns of the vertices or faces: several arrays of vectors side by side.
struct Columns<'a> {
    list: Vec<Column<'a>>,
}

struct Column<'a> {
    /// Names of the vectors' components.
    names: Vec<String>,
    values: Values<'a>,
}

/// Array of vectors.
enum Values<'a> {
    Vec3(&'a [glam::Vec3]),
    Vec2(&'a [glam::Vec2]),
    Rgba(&'a [[f32; 4]]),
    /// Interleaved numbers, with the number of components of each vector.
    Flat(&'a [f32], usize),
}

impl<'a> Columns<'a> {
    fn of(mesh: &'a Mesh, domain: AttributeDomain) -> Columns<'a> {
        let mut columns = Columns { list: vec![] };
        if domain == AttributeDomain::Vertex {
            columns.add(&["x", "y", "z"], Values::Vec3(&mesh.positions));
            columns.add(&["nx", "ny", "nz"], Values::Vec3(&mesh.normals));
            columns.add(&["u", "v"], Values::Vec2(&mesh.uvs));
            columns.add(&["red", "green", "blue", "alpha"], Values::Rgba(&mesh.colors));
            let uv2 = [0, 1].map(|i| format!("{UV2}_{i}"));
            columns.add(&uv2.each_ref().map(String::as_str), Values::Vec2(&mesh.uvs2));
        }
        for attribute in mesh.attributes.iter().filter(|attribute| attribute.domain == domain) {
            columns.list.push(Column {
                names: (0..attribute.width).map(|i| format!("{}_{i}", attribute.name)).collect(),
                values: Values::Flat(&attribute.values, attribute.width),
            });
        }
        columns
    }

    /// Adds an array, unless it is empty.
    fn add(&mut self, names: &[&str], values: Values<'a>) {
        let is_empty = match &values {
            Values::Vec3(values) => values.is_empty(),
            Values::Vec2(values) => values.is_empty(),
            Values::Rgba(values) => values.is_empty(),
            Values::Flat(values, _) => values.is_empty(),
        };
        if !is_empty {
            let names = names.iter().map(|&name| name.to_owned()).collect();
            self.list.push(Column { names, values });
        }
    }

    fn declare(&self, header: &mut String) {
        for name in self.list.iter().flat_map(|column| &column.names) {
            let _ = writeln!(header, "property float {name}");
        }
    }

    fn put(&self, index: usize, bytes: &mut Vec<u8>) {
        let mut put = |numbers: &[f32]| bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        for column in &self.list {
            match column.values {
                Values::Vec3(values) => put(&values[index].to_array()),
                Values::Vec2(values) => put(&values[index].to_array()),
                Values::Rgba(values) => put(&values[index]),
                Values::Flat(values, width) => put(&values[index * width..][..width]),
            }
        }
    }
}
