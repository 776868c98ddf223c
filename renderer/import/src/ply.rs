//! PLY parser, ASCII and binary.
//!
//! Properties read: `x y z`, `nx ny nz`; texture coordinates as `u v`, `s t`, `texture_u texture_v` or
//! `texture_s texture_t`; colours as `red green blue` or `r g b`, with or without alpha (integers are sRGB up to 255,
//! floats are linear); faces as `vertex_indices` or `vertex_index`, which are triangulated, with texture coordinates of
//! their corners as `texcoord`; triangle strips (`tristrips`) if there are no faces. Further properties of vertices and
//! faces become attributes by Mitsuba's rule: one property, or three adjacent ones with the same name before `_x _y
//! _z`, `_0 _1 _2` or `_1 _2 _3`, or before `_r _g _b`, which adds `_color` to the name. Other properties are ignored.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use ply_rs_bw::ply::{BeginList, ElementDef, Property, PropertyAccess, PropertyAccessResult};
use rayon::prelude::*;

use super::ply_attributes::{PlyAttributes, VERTEX_NAMES};
use super::ply_corners::{CORNER_UVS, PlyCorners, corner_numbers};
use super::ply_images::{IMAGE_NUMBER, PlyImages};
use super::ply_strips::Strips;
use super::{ImportError, read};
use renderer_base::files::{Budget, DiskFiles, FormatError};
use renderer_geometry::ply::{COLOR_NAMES, PlyFile, PlyReader, Rows, is_whole};
use renderer_geometry::{AttributeDomain, Faces, Mesh, cut_polygon};
use renderer_image::linear_from_srgb;

/// Loads a mesh from a PLY file.
///
/// # Errors
/// If the file cannot be read, is not a PLY file, is truncated, or does not describe a valid mesh.
pub fn load_ply(path: &Path) -> Result<Mesh, ImportError> {
    parse_ply(&read(&DiskFiles, path)?, path)
}

/// Parses a mesh from the bytes of a PLY file; `path` is its name in errors.
///
/// # Errors
/// As [`load_ply`].
pub fn parse_ply(bytes: &[u8], path: &Path) -> Result<Mesh, ImportError> {
    Ok(read_ply(bytes, path, false)?.mesh)
}

/// Mesh with the images that its file names.
pub(super) struct PlyMesh {
    pub(super) mesh: Mesh,
    pub(super) images: PlyImages,
}

/// Parses the bytes of a PLY file; the mesh has its polygons if it `keeps_faces`.
pub(super) fn read_ply(bytes: &[u8], path: &Path, keeps_faces: bool) -> Result<PlyMesh, ImportError> {
    let file = PlyFile::parse(bytes, path)?;
    let mut payload = file.reader();
    let mut mesh = Mesh::default();
    let budget = Budget::new(bytes.len());
    let mut polygons = Polygons::default();
    let mut content = FaceContent {
        corners: PlyCorners::default(),
        images: PlyImages::of(&file),
        budget: &budget,
    };
    let mut strips = vec![];
    for (name, element) in file.elements() {
        match name.as_str() {
            "vertex" => read_vertices(&mut payload, element, &mut mesh, &budget)?,
            "face" => polygons = read_faces(&mut payload, element, &mut mesh, &mut content)?,
            "tristrips" => read_strips(&mut payload, element, &mut strips)?,
            _ => payload.skip(element)?,
        }
    }
    // Vertices may come after the faces in a file.
    let points = content.corners.split(&mut mesh);
    if keeps_faces {
        mesh.faces = Some(Arc::new(Faces { points: points.unwrap_or_default(), ..polygons.faces(&mesh) }));
    }
    polygons.cut(&mut mesh);
    // Face attributes exist for all triangles or for none.
    if mesh.triangles.is_empty() {
        mesh.triangles = strips;
    }
    let mesh =
        mesh.validate()
            .map_err(|source| ImportError::Mesh { path: path.into(), part: None, source })?;
    let images = content.images;
    Ok(PlyMesh { mesh, images })
}

fn read_vertices(
    payload: &mut PlyReader,
    element: &ElementDef,
    mesh: &mut Mesh,
    budget: &Budget,
) -> Result<(), FormatError> {
    let has = |names: &[&str]| names.iter().all(|&name| element.properties.contains_key(name));
    if !has(&["x", "y", "z"]) {
        return Err(payload.syntax("its vertices have no x, y and z".into()));
    }
    let normals = has(&["nx", "ny", "nz"]);
    let uvs = UV_NAMES.iter().any(|names| has(names));
    let colors = COLOR_NAMES.iter().any(|names| has(names));
    let whole = |names: [&str; 2]| names.iter().any(|name| is_whole(element, name));
    let (whole_color, whole_alpha) = (whole(["red", "r"]), whole(["alpha", "a"]));
    let linear = |[r, g, b, a]: [f32; 4]| {
        let [r, g, b] = [r, g, b].map(|c| if whole_color { linear_from_srgb(c / 255.0) } else { c });
        [r, g, b, if whole_alpha { a / 255.0 } else { a }]
    };
    let mut others = PlyAttributes::of(element, AttributeDomain::Vertex, budget);
    if let Some(rows) = payload.rows(element, |rows| rows.list().is_none()) {
        let last = |names: [&[&str]; 3]| names.map(|names| rows.last(names));
        let vectors = |names, default| rows.numbers(last(names), default).map(Vec3::from_array);
        mesh.positions = vectors([&["x"], &["y"], &["z"]], 0.0).collect();
        if normals {
            mesh.normals = vectors([&["nx"], &["ny"], &["nz"]], 0.0).collect();
        }
        if uvs {
            let [u, v] = [0, 1].map(|i| rows.last(&UV_NAMES.map(|names| names[i])));
            mesh.uvs = rows.numbers([u, v], 0.0).map(Vec2::from_array).collect();
        }
        if colors {
            let [r, g, b] = [0, 1, 2].map(|i| rows.last(&COLOR_NAMES.map(|names| names[i])));
            let color = [r, g, b, rows.last(&["alpha", "a"])];
            mesh.colors = rows.numbers(color, 1.0).map(linear).collect();
        }
        let is_other = |name: &str| !VERTEX_NAMES.contains(&name);
        let taken = others.take_rows(&rows, is_other, 1);
        taken.map_err(|excess| payload.syntax(excess.to_string()))?;
        others.finish(mesh);
        return Ok(());
    }
    payload.elements(element, |vertex: Vertex| {
        others.take(&vertex.others, 1).map_err(|excess| excess.to_string())?;
        mesh.positions.push(vertex.p);
        if normals {
            mesh.normals.push(vertex.n);
        }
        if uvs {
            mesh.uvs.push(vertex.uv);
        }
        if colors {
            mesh.colors.push(linear(vertex.color));
        }
        Ok(())
    })?;
    others.finish(mesh);
    Ok(())
}

const UV_NAMES: [[&str; 2]; 4] =
    [["u", "v"], ["s", "t"], ["texture_u", "texture_v"], ["texture_s", "texture_t"]];
const INDEX_NAMES: [&str; 2] = ["vertex_indices", "vertex_index"];

/// Error message for an index that is negative or a fraction.
const NOT_WHOLE: &str = "its vertex indices are not whole numbers from 0";

/// Triangle fans of polygons in a list of triangles.
enum Polygons {
    /// Number of triangles of each fan.
    Equal(usize),
    /// Ranges of the fans with more than one triangle.
    Ranges(Vec<Range<usize>>),
}

impl Default for Polygons {
    fn default() -> Polygons {
        Polygons::Equal(1)
    }
}

impl Polygons {
    /// The polygons of a mesh whose triangles are fans.
    fn faces(&self, mesh: &Mesh) -> Faces {
        let mut faces = Faces::default();
        let mut add = |fan: &[[u32; 3]]| {
            let corners: Vec<u32> = fan[..1]
                .iter()
                .flat_map(|triangle| [triangle[0], triangle[1]])
                .chain(fan.iter().map(|triangle| triangle[2]))
                .collect();
            faces.push(&corners);
        };
        match self {
            Polygons::Equal(fan) => mesh.triangles.chunks_exact(*fan).for_each(add),
            Polygons::Ranges(ranges) => {
                let mut next = 0;
                for range in ranges {
                    mesh.triangles[next..range.start].chunks_exact(1).for_each(&mut add);
                    add(&mesh.triangles[range.clone()]);
                    next = range.end;
                }
                mesh.triangles[next..].chunks_exact(1).for_each(add);
            }
        }
        faces
    }

    /// Triangulates concave polygons anew.
    fn cut(self, mesh: &mut Mesh) {
        let positions = &mesh.positions;
        let cut = |fan: &mut [[u32; 3]]| {
            cut_polygon(fan, |vertex| positions.get(vertex as usize).copied());
        };
        match self {
            Polygons::Equal(1) => {}
            Polygons::Equal(fan) => mesh.triangles.par_chunks_exact_mut(fan).for_each(cut),
            Polygons::Ranges(ranges) => {
                for range in ranges {
                    cut(&mut mesh.triangles[range]);
                }
            }
        }
    }
}

/// Content of faces that meshes do not have.
struct FaceContent<'a> {
    corners: PlyCorners,
    images: PlyImages,
    budget: &'a Budget,
}

fn read_faces(
    payload: &mut PlyReader,
    element: &ElementDef,
    mesh: &mut Mesh,
    content: &mut FaceContent<'_>,
) -> Result<Polygons, FormatError> {
    if !INDEX_NAMES.iter().any(|&name| element.properties.contains_key(name)) {
        return Err(payload.syntax("its faces have no vertex_indices".into()));
    }
    let mut others = PlyAttributes::of(element, AttributeDomain::Face, content.budget);
    let is_surface = |rows: &Rows| {
        let list = rows.list();
        list.is_some_and(|(name, corners)| INDEX_NAMES.contains(&name) && corners.len() >= 3)
    };
    if let Some(rows) = payload.rows(element, is_surface) {
        let corners = rows.list().map_or(vec![], |(_, corners)| corners);
        let index = |row, field| rows.whole(row, field).and_then(|index| u32::try_from(index).ok());
        let is_wrong = |row: usize| corners.iter().any(|&field| index(row, field).is_none());
        if let Some(row) = (0..rows.count).into_par_iter().position_first(is_wrong) {
            return Err(payload.syntax(format!("{} {row}: {NOT_WHOLE}", element.name)));
        }
        let fan = corners.len() - 2;
        mesh.triangles = vec![[0; 3]; rows.count * fan];
        let faces = mesh.triangles.par_chunks_exact_mut(fan).enumerate();
        faces.for_each(|(row, triangles)| {
            for (i, triangle) in triangles.iter_mut().enumerate() {
                let fields = [corners[0], corners[i + 1], corners[i + 2]];
                *triangle = fields.map(|field| index(row, field).unwrap_or(u32::MAX));
            }
        });
        let taken = others.take_rows(&rows, |_| true, fan);
        taken.map_err(|excess| payload.syntax(excess.to_string()))?;
        others.finish(mesh);
        if let Some(number) = rows.last(&[IMAGE_NUMBER]) {
            let images = &mut content.images;
            (0..rows.count).for_each(|row| images.take(rows.number(row, number), fan));
        }
        return Ok(Polygons::Equal(fan));
    }
    let mut ranges = vec![];
    payload.elements(element, |face: Face| {
        if face.wrong {
            return Err(NOT_WHOLE.into());
        }
        content.corners.take(&face.corner_uvs, face.indices.len())?;
        // Faces of one or two vertices are points and lines, which have no surface.
        if let [first, rest @ ..] = &face.indices[..] {
            let start = mesh.triangles.len();
            mesh.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
            if rest.len() > 2 {
                ranges.push(start..mesh.triangles.len());
            }
            let triangles = rest.len().saturating_sub(1);
            others.take(&face.others, triangles).map_err(|excess| excess.to_string())?;
            content.images.take(face.image, triangles);
        }
        Ok(())
    })?;
    others.finish(mesh);
    Ok(Polygons::Ranges(ranges))
}

fn read_strips(
    payload: &mut PlyReader,
    element: &ElementDef,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), FormatError> {
    payload.elements(element, |strips: Strips| {
        strips.add_to(triangles).ok_or_else(|| NOT_WHOLE.into())
    })
}

// ---- Records that the parser fills in.

struct Vertex {
    p: Vec3,
    n: Vec3,
    uv: Vec2,
    color: [f32; 4],
    /// Remaining numbers, in the order of the properties.
    others: Vec<f32>,
}

impl PropertyAccess for Vertex {
    fn new() -> Vertex {
        Vertex {
            p: Vec3::ZERO,
            n: Vec3::ZERO,
            uv: Vec2::ZERO,
            color: [1.0; 4],
            others: vec![],
        }
    }

    fn set_float(&mut self, name: &str, value: f32) -> PropertyAccessResult {
        let place = match name {
            "x" => &mut self.p.x,
            "y" => &mut self.p.y,
            "z" => &mut self.p.z,
            "nx" => &mut self.n.x,
            "ny" => &mut self.n.y,
            "nz" => &mut self.n.z,
            "u" | "s" | "texture_u" | "texture_s" => &mut self.uv.x,
            "v" | "t" | "texture_v" | "texture_t" => &mut self.uv.y,
            "red" | "r" => &mut self.color[0],
            "green" | "g" => &mut self.color[1],
            "blue" | "b" => &mut self.color[2],
            "alpha" | "a" => &mut self.color[3],
            _ => {
                self.others.push(value);
                return PropertyAccessResult::Set;
            }
        };
        *place = value;
        PropertyAccessResult::Set
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        match property.to_f32_lossy() {
            Some(value) => self.set_float(name, value),
            None => PropertyAccessResult::Ignored,
        }
    }
}

#[derive(Default)]
struct Face {
    indices: Vec<u32>,
    /// Texture coordinates of the corners.
    corner_uvs: Vec<f32>,
    /// Remaining numbers, in the order of the properties.
    others: Vec<f32>,
    /// Index of its image.
    image: f32,
    /// True if an index is negative or a fraction.
    wrong: bool,
}

impl PropertyAccess for Face {
    fn new() -> Face {
        Face::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        if name == CORNER_UVS
            && let Some(numbers) = corner_numbers(property.clone())
        {
            self.corner_uvs = numbers;
            return PropertyAccessResult::Set;
        }
        if !INDEX_NAMES.contains(&name) {
            let Some(value) = property.to_f32_lossy() else {
                return PropertyAccessResult::Ignored;
            };
            if name == IMAGE_NUMBER {
                self.image = value;
            }
            self.others.push(value);
            return PropertyAccessResult::Set;
        }
        match property.to_u32_list() {
            Some(indices) => self.indices = indices,
            None => self.wrong = true,
        }
        PropertyAccessResult::Set
    }

    fn begin_list_uint(&mut self, name: &str, _len: usize) -> BeginList<'_, u32> {
        if INDEX_NAMES.contains(&name) {
            BeginList::Fill(&mut self.indices)
        } else {
            BeginList::UseSetter
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<Mesh, ImportError> {
        parse_ply(bytes, Path::new("test.ply"))
    }

    /// A pentagon with all attributes, and an element to skip.
    fn header(format: &str) -> String {
        format!(
            "ply\nformat {format} 1.0\ncomment a pentagon\nelement vertex 5\nproperty float x\nproperty double y\n\
             property float z\nproperty float nx\nproperty float ny\nproperty float nz\nproperty float s\n\
             property float t\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n\
             element edge 1\nproperty list uchar short ends\nproperty int weight\n\
             element face 2\nproperty uchar flags\nproperty list uchar int vertex_indices\nend_header\n"
        )
    }

    const CORNERS: [[f32; 2]; 5] = [[1.0, 0.0], [0.3, 0.9], [-0.8, 0.6], [-0.8, -0.6], [0.3, -0.9]];

    fn ascii() -> Vec<u8> {
        let mut text = header("ascii");
        for [x, y] in CORNERS {
            text += &format!("{x} {y} 0.5 0 0 2 {x} {y} 255 0 128 51\n");
        }
        (text + "2 0 1 7\n\n1 5 0 1 2 3 4\n0 2 0 1\n").into_bytes()
    }

    fn binary(little: bool) -> Vec<u8> {
        let mut bytes =
            header(if little { "binary_little_endian" } else { "binary_big_endian" }).into_bytes();
        let mut put = |mut value: Vec<u8>| {
            if !little {
                value.reverse();
            }
            bytes.extend(value);
        };
        for [x, y] in CORNERS {
            put(x.to_le_bytes().into());
            put(f64::from(y).to_le_bytes().into());
            for value in [0.5, 0.0, 0.0, 2.0, x, y] {
                put(f32::to_le_bytes(value).into());
            }
            for value in [255, 0, 128, 51] {
                put(vec![value]);
            }
        }
        put(vec![2]);
        put(0i16.to_le_bytes().into());
        put(1i16.to_le_bytes().into());
        put(7i32.to_le_bytes().into());
        for (flags, indices) in [(1, vec![0, 1, 2, 3, 4]), (0, vec![0, 1])] {
            put(vec![flags]);
            put(vec![indices.len() as u8]);
            for index in indices {
                put(i32::to_le_bytes(index).into());
            }
        }
        bytes
    }

    #[test]
    fn every_encoding_says_the_same() {
        let mesh = parse(&ascii()).expect("the file is right");
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        assert_eq!(mesh.positions[1], Vec3::new(0.3, 0.9, 0.5));
        assert_eq!(mesh.normals[4], Vec3::Z);
        assert_eq!(mesh.uvs[2], Vec2::new(-0.8, 0.6));
        assert_eq!(mesh.colors[0], [1.0, 0.0, linear_from_srgb(128.0 / 255.0), 0.2]);
        assert_eq!(parse(&binary(true)).expect("the file is right"), mesh);
        assert_eq!(parse(&binary(false)).expect("the file is right"), mesh);
    }

    /// Faces with the given corners, and a number for each face; as text, or binary.
    fn faces(format: &str, faces: &[&[i32]]) -> Vec<u8> {
        let count = faces.len();
        let mut bytes = format!(
            "ply\nformat {format} 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
             property short heat_0\nelement face {count}\nproperty float weight_0\n\
             property list uchar int vertex_indices\nend_header\n"
        )
        .into_bytes();
        for (i, [x, y]) in CORNERS.into_iter().enumerate() {
            match format {
                "ascii" => bytes.extend(format!("{x} {y} 0.5 {}\n", i as i16 - 2).bytes()),
                _ => {
                    bytes.extend([x, y, 0.5].iter().flat_map(|c: &f32| c.to_be_bytes()));
                    bytes.extend((i as i16 - 2).to_be_bytes());
                }
            }
        }
        for (i, corners) in faces.iter().enumerate() {
            let weight = 0.25 * i as f32;
            match format {
                "ascii" => {
                    let corners: Vec<String> = corners.iter().map(i32::to_string).collect();
                    bytes.extend(format!("{weight} {} {}\n", corners.len(), corners.join(" ")).bytes());
                }
                _ => {
                    bytes.extend(weight.to_be_bytes());
                    bytes.push(corners.len() as u8);
                    bytes.extend(corners.iter().flat_map(|corner| corner.to_be_bytes()));
                }
            }
        }
        bytes
    }

    #[test]
    fn rows_of_equal_length_say_what_text_says() {
        let cases: [&[&[i32]]; 4] = [
            &[&[0, 1, 2], &[0, 2, 3]],
            &[&[0, 1, 2, 3], &[4, 3, 2, 1], &[1, 2, 3, 4]],
            &[&[0, 1, 2], &[0, 2, 3, 4]],
            &[&[0, 1], &[0, 1, 2]],
        ];
        for case in cases {
            let [text, binary] = ["ascii", "binary_big_endian"].map(|format| parse(&faces(format, case)));
            let text = text.expect("the file is right");
            assert_eq!(binary.expect("the file is right"), text);
            assert_eq!(text.attributes.len(), 2);
        }
        for wrong in [[0, 1, -1], [0, 1, 5]] {
            let [text, binary] = ["ascii", "binary_big_endian"].map(|format| {
                let error = parse(&faces(format, &[&[0, 1, 2], &wrong])).expect_err("the file is wrong");
                error.to_string().replace("test.ply:18", "test.ply")
            });
            assert_eq!(binary, text);
        }
        let mut cut = faces("binary_big_endian", &[&[0, 1, 2], &[0, 2, 3]]);
        cut.pop();
        let error = parse(&cut).expect_err("the file is wrong").to_string();
        assert!(error.contains("it ends in the face elements, at 1 of 2"), "{error}");
    }

    #[test]
    fn mistakes_are_named() {
        let changed = |from: &str, to: &str| {
            let text = String::from_utf8(ascii()).expect("the file is text").replacen(from, to, 1);
            parse(text.as_bytes()).expect_err("the file is wrong").to_string()
        };
        let cases = [
            (changed("ply", "solid"), "is not a PLY file"),
            (
                changed("element vertex 5", "element vertex many"),
                "test.ply:4: this is not a line of a PLY header",
            ),
            (changed("float x", "float w"), "its vertices have no x, y and z"),
            (changed("vertex_indices", "corners"), "its faces have no vertex_indices"),
            (
                changed("5 0 1 2 3 4", "5 0 1 2 3 9"),
                "triangle 2 uses vertex 9, but there are 5 vertices",
            ),
            (
                changed("5 0 1 2 3 4", "5 0 1 2 3 -1"),
                "test.ply:31: face 0: its vertex indices are not whole",
            ),
            (changed("0.3 0.9", "nan 0.9"), "test.ply:25: `nan 0.9 0.5 0 0 2"),
            (changed("0.3 0.9", "1e39 0.9"), "vertex 1 is not finite: (inf, 0.9, 0.5)"),
            (changed("0 2 0 1\n", ""), "it ends in the face elements, at 1 of 2"),
            (changed("1 5 0 1 2 3 4\n", "1 0\n"), "the mesh has no triangles"),
        ];
        for (message, expected) in cases {
            assert!(message.contains(expected), "`{message}` does not say `{expected}`");
        }
    }

    #[test]
    fn broken_bytes_are_errors_at_worst() {
        for file in [ascii(), binary(true), binary(false)] {
            for length in 0..file.len() {
                // Undetected are only truncations of the last line, a face without area, or of the last line feed.
                let _ = parse(&file[..length]);
            }
            let mut state = 1u32;
            for _ in 0..20_000 {
                let mut broken = file.clone();
                for _ in 0..1 + state % 3 {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let place = (state >> 8) as usize % broken.len();
                    broken[place] ^= 1 << (state % 8);
                }
                let _ = parse(&broken);
            }
        }
        // A huge element count.
        let endless =
            "ply\nformat binary_little_endian 1.0\nelement vertex 18446744073709551615\nend_header\n";
        assert!(parse(endless.as_bytes()).is_err());
    }
}
