//! Wavefront OBJ parser: polygons in groups, with materials by name.
//!
//! Why not `tobj`: it panics on some relative indices if overflow is checked, drops names of materials that no library
//! defines, misplaces attributes that only some corners have, and reports errors without line numbers.

use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Vec2, Vec3};
use rustc_hash::{FxHashMap, FxHashSet};

use super::mtl::{ObjMaterial, parse_mtl};
use super::obj_smoothing::{Smoothing, is_of_group};
use super::obj_text::{NamedFiles, any_numbers, logical_lines};
use super::{ImportError, read};
use renderer_base::files::{Budget, DiskFiles, Files, FormatError, OverBudget, text_of};
use renderer_geometry::{Faces, Mesh, cut_polygon};
use renderer_image::linear_from_srgb;

/// Content of an OBJ file and its material libraries.
#[derive(Clone, Debug, Default)]
pub struct Obj {
    /// Meshes: one for each combination of group and material.
    pub parts: Vec<ObjPart>,
    /// Materials of the libraries, in the order of definition.
    pub materials: Vec<ObjMaterial>,
    /// Warnings about missing or invalid data that the meshes do not need.
    pub warnings: Vec<String>,
    /// Paths of the libraries that the file names.
    pub files: Vec<PathBuf>,
}

/// Faces of one group with the same material.
#[derive(Clone, Debug)]
pub struct ObjPart {
    /// Name of the object or group; empty if the file gives none.
    pub name: String,
    /// Name of the material, which may be undefined in the libraries.
    pub material: Option<String>,
    /// Triangulated faces. Corners with equal indices share a vertex.
    pub mesh: Mesh,
}

/// Loads an OBJ file and the material libraries that it names. A missing library is a warning.
///
/// # Errors
/// If a file cannot be read or is malformed.
pub fn load_obj(path: &Path) -> Result<Obj, ImportError> {
    load_obj_from(&DiskFiles, path, false)
}

/// Like [`load_obj`], but reads from the given file system; the meshes have their polygons if it `keeps_faces`.
pub(super) fn load_obj_from(files: &dyn Files, path: &Path, keeps_faces: bool) -> Result<Obj, ImportError> {
    let mut libraries = vec![];
    let reader = ObjReader { keeps_faces, ..ObjReader::default() };
    let obj = reader.read(files, &read(files, path)?, path, |library| {
        libraries.push(library.to_owned());
        read(files, library)
    })?;
    Ok(Obj { files: libraries, ..obj })
}

/// Loads an OBJ file as one mesh, merging all groups and materials; also returns warnings.
///
/// # Errors
/// If the file cannot be read or is malformed.
pub(super) fn load_obj_mesh(files: &dyn Files, path: &Path) -> Result<(Mesh, Vec<String>), ImportError> {
    let reader = ObjReader { single: true, ..ObjReader::default() };
    let obj = reader.read(files, &read(files, path)?, path, |_| Ok(vec![]))?;
    let first = obj.parts.into_iter().next();
    let mesh = first.expect("an OBJ file without parts is an error").mesh;
    Ok((mesh, obj.warnings))
}

/// Parses the bytes of an OBJ file; `path` is its name in errors and the base of library paths.
#[cfg(test)]
fn parse_obj(
    files: &dyn Files,
    bytes: &[u8],
    path: &Path,
    read_library: impl FnMut(&Path) -> Result<Vec<u8>, ImportError>,
) -> Result<Obj, ImportError> {
    ObjReader::default().read(files, bytes, path, read_library)
}

/// Zero-based indices of a corner's position, texture coordinates and normal; `u32::MAX` for missing ones.
type Corner = [u32; 3];
const NONE: u32 = u32::MAX;

/// Memory of a corner of a face, with its vertex, in the reader and in the mesh [bytes].
const CORNER_BYTES: usize = 128;

/// Memory of a group without faces, in the reader and in the model [bytes].
const PART_BYTES: usize = 1024;

/// Part under construction.
#[derive(Default)]
struct PartBuilder {
    name: String,
    material: Option<String>,
    triangles: Vec<[u32; 3]>,
    faces: Faces,
    corners: Vec<Corner>,
    vertex_of_corner: FxHashMap<Corner, u32>,
}

/// Names of groups and materials, by number.
#[derive(Default)]
struct Names {
    numbers: FxHashMap<String, u32>,
    list: Vec<String>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.list.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.list.push(name.to_owned());
        number
    }
}

/// Texture coordinates or normals that corners refer to, but that do not exist.
struct Missing {
    /// Line of the first such corner.
    line: usize,
    reason: String,
    corners: usize,
}

/// Optional vertex attributes.
#[derive(Clone, Copy)]
enum Extra {
    Uv,
    Normal,
    Color,
}

#[derive(Default)]
struct ObjReader {
    /// Bounds of the content of the file and its libraries.
    budget: Budget,
    obj: Obj,
    /// True if groups and materials do not split the mesh.
    single: bool,
    /// True if meshes have their polygons.
    keeps_faces: bool,
    positions: Vec<Vec3>,
    colors: Vec<[f32; 4]>,
    any_color: bool,
    uvs: Vec<Vec2>,
    normals: Vec<Vec3>,
    names: Names,
    group: Option<u32>,
    material: Option<u32>,
    parts: Vec<PartBuilder>,
    /// Parts by the numbers of their group and material: names can be long, and are entered often.
    part_of: FxHashMap<[Option<u32>; 2], usize>,
    smoothing: Smoothing,
    /// Current line.
    line: usize,
    /// References of corners to missing texture coordinates and normals.
    missing: [Option<Missing>; 2],
    /// By [`Extra`]: first line with a number that is not finite, and number of these lines.
    not_finite: [Option<(usize, usize)>; 3],
    /// First line and number of faces with one or two vertices, which have no area.
    without_area: Option<(usize, usize)>,
    /// Current part; `None` after a change of group or material.
    current: Option<usize>,
    /// Vertices of the current face.
    face: Vec<u32>,
}

impl ObjReader {
    fn read(
        mut self,
        files: &dyn Files,
        bytes: &[u8],
        path: &Path,
        mut read_library: impl FnMut(&Path) -> Result<Vec<u8>, ImportError>,
    ) -> Result<Obj, ImportError> {
        self.budget.add_file(bytes.len());
        let text = text_of(bytes);
        let names = NamedFiles::new(files);
        // Exporters name the library with each object: it is read once.
        let (mut named, mut libraries) = (FxHashSet::default(), FxHashSet::default());
        for (number, line) in logical_lines(&text) {
            let syntax =
                |reason: String| FormatError::Syntax { path: path.into(), line: Some(number), reason };
            let (keyword, rest) = line.split_once([' ', '\t']).unwrap_or((&line, ""));
            self.line = number;
            if keyword == "mtllib" {
                if !named.insert(rest.trim().to_owned()) {
                    continue;
                }
                for library in names.libraries(path, rest.trim()) {
                    if libraries.insert(files.identity(&library)) {
                        self.read_library(&names, &library, &mut read_library)?;
                    }
                }
            } else {
                self.statement(keyword, rest.trim_ascii()).map_err(syntax)?;
            }
        }
        self.finish(path)
    }

    /// Reads a material library; a missing one is a warning.
    fn read_library(
        &mut self,
        names: &NamedFiles<'_>,
        library: &Path,
        read: &mut impl FnMut(&Path) -> Result<Vec<u8>, ImportError>,
    ) -> Result<(), FormatError> {
        match read(library) {
            Ok(bytes) => {
                self.budget.add_file(bytes.len());
                let materials = parse_mtl(names, &bytes, library, (&mut self.obj.warnings, &self.budget))
                    .map_err(|excess| FormatError::OverBudget { path: library.into(), excess })?;
                self.obj.materials.extend(materials);
            }
            Err(error) => self.obj.warnings.push(error.to_string()),
        }
        Ok(())
    }

    fn statement(&mut self, keyword: &str, rest: &str) -> Result<(), String> {
        match keyword {
            "v" => {
                let (values, count) = any_numbers::<7>(rest)?;
                // A fourth number is a weight, which is irrelevant for polygons.
                let (([x, y, z, r, g, b, _], 3 | 4 | 6) | ([x, y, z, _, r, g, b], 7)) = (values, count)
                else {
                    return Err(format!("a vertex takes 3 numbers, or 6 with its colour, not {count}"));
                };
                let position = Vec3::new(x, y, z);
                if !position.is_finite() {
                    return Err(format!("`{rest}` is not a place: a number of it is not finite"));
                }
                self.positions.push(position);
                let is_colored = count >= 6;
                // Vertex colours are sRGB, as written by Blender, MeshLab and others.
                let color = match is_colored {
                    true => [r, g, b].map(linear_from_srgb),
                    false => [1.0; 3],
                };
                self.any_color |= is_colored;
                let [r, g, b] = self.finite(Extra::Color, color, [1.0; 3]);
                self.colors.push([r, g, b, 1.0]);
            }
            "vt" => match any_numbers::<2>(rest)? {
                (uv, 1..=3) => {
                    let uv = self.finite(Extra::Uv, uv, [0.0; 2]);
                    self.uvs.push(Vec2::from(uv));
                }
                (_, count) => return Err(format!("texture coordinates take 1 to 3 numbers, not {count}")),
            },
            "vn" => match any_numbers::<3>(rest)? {
                (n, 3) => {
                    let n = self.finite(Extra::Normal, n, [0.0; 3]);
                    self.normals.push(Vec3::from(n));
                }
                (_, count) => return Err(format!("a normal takes 3 numbers, not {count}")),
            },
            "f" | "fo" => self.add_face(rest)?,
            "o" | "g" | "usemtl" if self.single => {}
            "o" | "g" => {
                self.group = (!rest.is_empty()).then(|| self.names.number(rest));
                self.current = None;
            }
            "usemtl" => {
                self.material = (!rest.is_empty()).then(|| self.names.number(rest));
                self.current = None;
            }
            "s" if !self.single => self.smoothing.begin(rest),
            // Points, lines and curves are not part of the rendered surface.
            _ => {}
        }
        Ok(())
    }

    /// Replaces values of an optional attribute by `instead` if any of them is not finite.
    fn finite<const N: usize>(&mut self, what: Extra, values: [f32; N], instead: [f32; N]) -> [f32; N] {
        if values.iter().all(|value| value.is_finite()) {
            return values;
        }
        let line = self.line;
        self.not_finite[what as usize].get_or_insert((line, 0)).1 += 1;
        instead
    }

    fn add_face(&mut self, text: &str) -> Result<(), String> {
        if text.split_ascii_whitespace().nth(2).is_none() {
            let line = self.line;
            self.without_area.get_or_insert((line, 0)).1 += 1;
            return Ok(());
        }
        let part = self.current_part().map_err(|excess| excess.to_string())?;
        let mut face = std::mem::take(&mut self.face);
        face.clear();
        for word in text.split_ascii_whitespace() {
            let mut corner = self.corner(word)?;
            if corner[2] == NONE {
                corner[2] = self.smoothing.normal_at(corner[0]).unwrap_or(NONE);
            }
            let part = &mut self.parts[part];
            let next = part.corners.len() as u32;
            face.push(*part.vertex_of_corner.entry(corner).or_insert_with(|| {
                part.corners.push(corner);
                next
            }));
        }
        let [first, rest @ ..] = &face[..] else {
            return Ok(());
        };
        let count = self.budget.allocate("faces", face.len(), CORNER_BYTES);
        count.map_err(|excess| excess.to_string())?;
        let PartBuilder { triangles, corners, faces, .. } = &mut self.parts[part];
        if self.keeps_faces {
            faces.push(&face);
        }
        let start = triangles.len();
        triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
        let position = |vertex: u32| {
            let [v, _, _] = *corners.get(vertex as usize)?;
            self.positions.get(v as usize).copied()
        };
        cut_polygon(&mut triangles[start..], position);
        let smoothed = if self.smoothing.is_on() { start } else { triangles.len() };
        for triangle in &triangles[smoothed..] {
            let corners = triangle.map(|vertex| corners[vertex as usize]);
            let positions = corners.map(|[v, _, _]| self.positions[v as usize]);
            self.smoothing.add(corners.map(|[_, _, vn]| vn), positions);
        }
        self.face = face;
        Ok(())
    }

    fn current_part(&mut self) -> Result<usize, OverBudget> {
        if let Some(part) = self.current {
            return Ok(part);
        }
        let part = match self.part_of.entry([self.group, self.material]) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let name = |number: u32| self.names.list[number as usize].clone();
                let (name, material) = (self.group.map(name), self.material.map(name));
                // The part, its shape and warnings have copies of the names.
                let length = |name: &Option<String>| name.as_ref().map_or(0, String::len);
                let names = length(&name) + length(&material);
                self.budget.allocate("groups", 1, PART_BYTES + 4 * names)?;
                self.parts.push(PartBuilder {
                    name: name.unwrap_or_default(),
                    material,
                    ..PartBuilder::default()
                });
                *entry.insert(self.parts.len() - 1)
            }
        };
        self.current = Some(part);
        Ok(part)
    }

    /// Parses a corner: `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&mut self, word: &str) -> Result<Corner, String> {
        let mut corner = [NONE; 3];
        let counts = [self.positions.len(), self.uvs.len(), self.normals.len()];
        let whats = ["vertex", "texture coordinate", "normal"];
        let mut fields = word.split('/');
        for (kind, place) in corner.iter_mut().enumerate() {
            let (count, what) = (counts[kind], whats[kind]);
            match (fields.next(), kind.checked_sub(1)) {
                (Some("") | None, Some(_)) | (None, None) => {}
                (Some(field), kind) => match (index(field, count, what)?, kind) {
                    (Ok(index), _) => *place = index,
                    (Err(reason), None) => return Err(reason),
                    // The surface can be rendered without this attribute.
                    (Err(reason), Some(kind)) => {
                        let line = self.line;
                        let missing = self.missing[kind].get_or_insert(Missing { line, reason, corners: 0 });
                        missing.corners += 1;
                    }
                },
            }
        }
        if fields.next().is_some() {
            return Err(format!("`{word}` has too many indices: v/vt/vn is the most"));
        }
        Ok(corner)
    }

    fn finish(mut self, path: &Path) -> Result<Obj, ImportError> {
        if self.positions.is_empty() {
            return Err(FormatError::Kind {
                path: path.into(),
                expected: "an OBJ file: it has no vertices",
            }
            .into());
        }
        let kinds = ["texture coordinates", "normals of their own"];
        for (missing, what) in std::mem::take(&mut self.missing).into_iter().zip(kinds) {
            let Some(Missing { line, reason, corners }) = missing else {
                continue;
            };
            let s = if corners == 1 { "" } else { "s" };
            self.obj.warnings.push(format!(
                "line {line}: {reason}; {corners} corner{s} of faces, this the first, have no {what}"
            ));
        }
        let kinds = [
            "texture coordinates that are not finite, taken for 0",
            "normals that are not finite, found from the faces around",
            "colours that are not finite, taken for white",
        ];
        for (found, what) in self.not_finite.into_iter().zip(kinds) {
            if let Some((line, count)) = found {
                self.obj.warnings.push(format!("{count} {what}: the first at line {line}"));
            }
        }
        if let Some((line, count)) = self.without_area {
            self.obj.warnings.push(format!(
                "{count} faces of fewer than 3 vertices, left out: the first at line {line}"
            ));
        }
        for part in std::mem::take(&mut self.parts) {
            let (name, material) = (part.name.clone(), part.material.clone());
            let group = (!name.is_empty()).then(|| format!("group {name}"));
            let mesh = self.mesh(part).validate().map_err(|source| ImportError::Mesh {
                path: path.into(),
                part: group,
                source,
            })?;
            self.obj.parts.push(ObjPart { name, material, mesh });
        }
        if self.obj.parts.is_empty() {
            let source = renderer_geometry::MeshError::Empty;
            return Err(ImportError::Mesh { path: path.into(), part: None, source });
        }
        Ok(self.obj)
    }

    fn mesh(&mut self, mut part: PartBuilder) -> Mesh {
        if part.corners.iter().any(|&[_, _, vn]| is_of_group(vn)) {
            self.part_flat_faces(&mut part);
        }
        let PartBuilder { triangles, corners, faces, .. } = part;
        let get = |index: u32| (index != NONE).then_some(index as usize);
        let points = corners.iter().map(|&[v, _, _]| v);
        let faces = self.keeps_faces.then(|| Arc::new(Faces { points: points.collect(), ..faces }));
        let mut mesh = Mesh { triangles, faces, ..Mesh::default() };
        mesh.positions = corners.iter().map(|&[v, _, _]| self.positions[v as usize]).collect();
        if self.any_color {
            mesh.colors = corners.iter().map(|&[v, _, _]| self.colors[v as usize]).collect();
        }
        // Attributes are stored for all corners or none; zero normals are replaced by those of the adjacent faces.
        if corners.iter().any(|&[_, vt, _]| vt != NONE) {
            let uv = |index: u32| get(index).map_or(Vec2::ZERO, |index| self.uvs[index]);
            mesh.uvs = corners.iter().map(|&[_, vt, _]| uv(vt)).collect();
        }
        if corners.iter().any(|&[_, _, vn]| vn != NONE) {
            let normal = |index: u32| match get(index) {
                Some(_) if is_of_group(index) => self.smoothing.normal(index),
                Some(index) => self.normals[index],
                None => Vec3::ZERO,
            };
            mesh.normals = corners.iter().map(|&[_, _, vn]| normal(vn)).collect();
        }
        mesh
    }

    /// Splits the vertices of faces without normals, in a part that also has smoothing groups.
    fn part_flat_faces(&mut self, part: &mut PartBuilder) {
        for triangle in &mut part.triangles {
            let corners = triangle.map(|vertex| part.corners[vertex as usize]);
            if corners.iter().any(|&[_, _, vn]| vn != NONE) {
                continue;
            }
            let normal = (self.smoothing).add_flat(corners.map(|[v, _, _]| self.positions[v as usize]));
            for (vertex, [v, vt, _]) in triangle.iter_mut().zip(corners) {
                *vertex = part.corners.len() as u32;
                part.corners.push([v, vt, normal]);
            }
        }
    }
}

/// Converts a one-based index, or a negative one relative to the end, to a zero-based index; the inner `Err` is the
/// message for a missing element.
fn index(field: &str, count: usize, what: &str) -> Result<Result<u32, String>, String> {
    let number: i64 = field.parse().map_err(|_| format!("`{field}` is not the index of a {what}"))?;
    let index = if number < 0 {
        number.checked_add_unsigned(count as u64)
    } else {
        number.checked_sub(1)
    };
    Ok(index
        .and_then(|index| u32::try_from(index).ok())
        .filter(|&index| (index as usize) < count && index != NONE)
        .ok_or_else(|| format!("there is no {what} {number}: {count} come before this line")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mtl::ObjMap;

    const SQUARES: &str = "\
# two squares and a pentagon
mtllib two.mtl
v 0 0 0
v 1 0 0
v 1 1 0 1.0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vn 0 0 2
o left
usemtl red
f 1/1/1 2/2/1 3/3/1 4/4/1
v 2 0 0 0.5 0.25 0
usemtl no such material
f 1 2 \\
  -1
g right
usemtl red
f 1//1 2//1 3//-1
o left
f 4 2 1
";

    fn parse(text: &str) -> Result<Obj, ImportError> {
        parse_obj(
            &DiskFiles,
            text.as_bytes(),
            Path::new("dir/test.obj"),
            |library| match library.to_str() {
                Some("dir/two.mtl") => {
                    Ok(b"newmtl red\nKd 1 0 0\nmap_Kd -s 2 2 1 -clamp on -o 0.5 tex\\red brick.png\n"
                        .to_vec())
                }
                _ => read(&DiskFiles, library),
            },
        )
    }

    #[test]
    fn faces_go_to_their_group_and_material() {
        let obj = parse(SQUARES).expect("the file is right");
        let parts: Vec<_> = obj
            .parts
            .iter()
            .map(|part| (part.name.as_str(), part.material.as_deref(), part.mesh.triangles.len()))
            .collect();
        let red = Some("red");
        assert_eq!(
            parts,
            [("left", red, 3), ("left", Some("no such material"), 1), ("right", red, 1)]
        );
        let [left, other, right] = &obj.parts[..] else { panic!("three parts") };
        // The last face has neither normals nor texture coordinates: its corners have vertices of their own.
        assert_eq!(left.mesh.positions.len(), 7);
        assert_eq!(left.mesh.uvs[2], Vec2::ONE);
        assert_eq!((left.mesh.normals[0], left.mesh.normals[6]), (Vec3::Z, Vec3::NEG_Z));
        assert!(other.mesh.normals.is_empty() && other.mesh.uvs.is_empty());
        assert_eq!(other.mesh.colors[2], [linear_from_srgb(0.5), linear_from_srgb(0.25), 0.0, 1.0]);
        assert!(right.mesh.uvs.is_empty() && right.mesh.normals.len() == 3);
        assert_eq!(obj.materials[0].diffuse, Some([1.0, 0.0, 0.0]));
        assert_eq!(
            obj.materials[0].diffuse_map,
            Some(ObjMap {
                file: "dir/tex/red brick.png".into(),
                scale: [2.0, 2.0],
                offset: [0.5, 0.0],
                clamps: true,
                strength: 1.0,
            })
        );
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let cases = [
            (
                "1/1/1 2/2/1",
                "1/1/1 9/2/1",
                "dir/test.obj:14: there is no vertex 9: 4 come before",
            ),
            ("1/1/1 2/2/1", "1/1/1 0/2/1", "14: there is no vertex 0"),
            ("1/1/1 2/2/1", "-9223372036854775808/1/1 2/2/1", "14: there is no vertex -92"),
            ("1/1/1 2/2/1", "1/x/1 2/2/1", "14: `x` is not the index of a texture coordinate"),
            ("1/1/1 2/2/1", "1/1/1/1 2/2/1", "14: `1/1/1/1` has too many indices"),
            ("1/1/1 2/2/1", "/1/1 2/2/1", "14: `` is not the index of a vertex"),
            ("v 1 0 0", "v 1 0", "4: a vertex takes 3 numbers"),
            ("v 1 0 0", "v 1 NaN 0", "4: `1 NaN 0` is not a place"),
            ("vn 0 0 2", "vn 0 x 2", "11: `x` is not a number"),
        ];
        for (from, to, expected) in cases {
            let message = parse(&SQUARES.replacen(from, to, 1)).expect_err(to).to_string();
            assert!(message.contains(expected), "`{message}` does not say `{expected}`");
        }
        assert!(
            parse("not at all")
                .expect_err("no vertices")
                .to_string()
                .contains("is not an OBJ file")
        );
        let obj = parse(&SQUARES.replacen("two.mtl", "none.mtl", 1)).expect("the meshes are there");
        assert!(obj.warnings[0].contains("cannot read dir/none.mtl"), "{:?}", obj.warnings);
    }

    #[test]
    fn faces_without_area_are_left_out() {
        let whole = parse(SQUARES).expect("it is valid").parts.len();
        let text = format!("{SQUARES}usemtl other\nf 4 2\nf 1/1/1\n");
        let line = text.lines().count() - 1;
        let obj = parse(&text).expect("the surface is there");
        assert_eq!(obj.parts.len(), whole);
        assert_eq!(
            obj.warnings,
            [format!("2 faces of fewer than 3 vertices, left out: the first at line {line}")]
        );
    }

    #[test]
    fn attributes_that_are_not_there_are_warned_of() {
        let text = SQUARES
            .replace("1/1/1 2/2/1 3/3/1", "1/1/1 2/2/7 3/-9223372036854775808/1")
            .replace("f 1//1 2//1 3//-1", "f 1//1 2//-2 3//0");
        let obj = parse(&text).expect("the surface is there");
        assert_eq!(
            obj.warnings,
            [
                "line 14: there is no texture coordinate -9223372036854775808: 4 come before this line; \
                 1 corner of faces, this the first, have no texture coordinates",
                "line 14: there is no normal 7: 1 come before this line; \
                 3 corners of faces, this the first, have no normals of their own",
            ]
        );
        let [left, _, right] = &obj.parts[..] else { panic!("three parts") };
        assert_eq!((left.mesh.uvs[1], left.mesh.uvs[2]), (Vec2::X, Vec2::ZERO));
        for normal in left.mesh.normals[..4].iter().chain(&right.mesh.normals) {
            assert_eq!(*normal, Vec3::Z);
        }
    }

    #[test]
    fn numbers_that_are_not_finite_cost_no_surface() {
        let text = SQUARES
            .replace("vt 1 0", "vt 1 -nan(ind)")
            .replace("vn 0 0 2", "vn 1.#QNAN 0 0")
            .replace("0.5 0.25 0", "nan inf 0");
        let obj = parse(&text).expect("the surface is there");
        assert_eq!(
            obj.warnings,
            [
                "1 texture coordinates that are not finite, taken for 0: the first at line 8",
                "1 normals that are not finite, found from the faces around: the first at line 11",
                "1 colours that are not finite, taken for white: the first at line 15",
            ]
        );
        assert_eq!(obj.parts[0].mesh.uvs[1], Vec2::ZERO);
        assert_eq!(obj.parts[0].mesh.normals[0], Vec3::Z);
        assert_eq!(obj.parts[1].mesh.colors[2], [1.0; 4]);
    }

    #[test]
    fn smoothing_groups_share_normals() {
        // A roof of two faces that meet in the edge 2 3, and a separate third face.
        let roof = |first: &str, second: &str| {
            let text = format!(
                "v -1 0 0\nv 0 1 0\nv 0 1 1\nv -1 0 1\nv 1 0 0\nv 1 0 1\nvt 0 0\nvt 1 1\n\
                 {first}\nf 1/1 4/1 3/1 2/1\n{second}\nf 2/2 3/2 6/2 5/2\n"
            );
            let obj = parse(&text).expect("the file is right");
            let mesh = obj.parts.into_iter().next().expect("one part").mesh;
            let at = |triangle: usize| {
                let ridge = |&v: &u32| mesh.positions[v as usize] == Vec3::Y;
                let vertex = mesh.triangles[triangle].iter().copied().find(|v| ridge(v));
                vertex.and_then(|v| mesh.normals.get(v as usize).copied())
            };
            // The first triangle of each face that has the corner (0, 1, 0).
            let of = |face: usize| (2 * face..2 * face + 2).find_map(at);
            (of(0), of(1))
        };
        let (left, right) = (Vec3::new(-1.0, 1.0, 0.0), Vec3::new(1.0, 1.0, 0.0));
        let near = |found: Option<Vec3>, expected: Vec3| {
            assert!(found.is_some_and(|n| (n - expected.normalize()).length() < 1e-6), "{found:?}");
        };
        // Different texture coordinates split the vertices, but not the normal.
        for (a, b) in [("s 1", ""), ("s on", "s 1"), ("s 7", "s 7")] {
            let (l, r) = roof(a, b);
            near(l, Vec3::Y);
            near(r, Vec3::Y);
        }
        for (a, b) in [("s 1", "s 2"), ("s 1", "s off"), ("s off", "s 3"), ("", "s 3")] {
            let (l, r) = roof(a, b);
            near(l, left);
            near(r, right);
        }
        for (a, b) in [("", ""), ("s off", "s 0")] {
            assert_eq!(roof(a, b), (None, None), "without groups faces are flat");
        }
    }

    #[test]
    fn broken_bytes_are_errors_at_worst() {
        let mut state = 1u32;
        for round in 0..20_000 {
            let mut bytes = SQUARES.as_bytes().to_vec();
            bytes.truncate(if round < bytes.len() { round } else { bytes.len() });
            for _ in 0..state % 4 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let place = (state >> 8) as usize % bytes.len().max(1);
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << (state % 8);
                }
            }
            let _ = parse_obj(&DiskFiles, &bytes, Path::new("test.obj"), |_| Ok(bytes.clone()));
            state = state.wrapping_add(1);
        }
    }
}
