//! Importer of the XML scenes of Embree's tutorials: meshes, curves, points, instances, materials and lights become
//! declarations of a Kiln scene. Elements that are not read are reported once.
//!
//! Arrays are texts of numbers, or ranges of the file of the same name with the extension `.bin`.
// Facts about the format refer to the tutorials of Embree 4.

mod array;
mod geometry;
mod light;
mod material;
mod node;
mod reader;

use std::io::Read;
use std::path::Path;

use glam::DMat4;
use rustc_hash::{FxHashMap, FxHashSet};
use shading::syntax::ast::{Declaration, Expr};
use shading::{Diagnostic, Diagnostics, Source, SourceMap, Span};

use self::reader::Reader;
use super::model::Names;
use super::scene_import::{SceneImport, SceneImportOptions};
use super::xml;
use renderer_base::files::{Budget, Files, SharedFiles};
use renderer_base::math::Bounds;

/// Returns whether a file is a scene of Embree: `<scene>` without a version, whose first element is none of Mitsuba's.
pub(crate) fn is_scene(files: &dyn Files, path: &Path) -> bool {
    const HEAD: u64 = 1 << 16;
    let mut head = vec![];
    let read = files.open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let text = String::from_utf8_lossy(&head);
    let mut parts = text.split("<!--");
    let before = parts.next().unwrap_or_default();
    let after = parts.filter_map(|comment| Some(comment.split_once("-->")?.1));
    let text: String = std::iter::once(before).chain(after).collect();
    let mut tags = text.split('<').filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic()));
    let Some((root, first)) = tags.next().zip(tags.next()) else {
        return false;
    };
    let name =
        |tag: &str| -> String { tag.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let is_of_embree = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            || ["assign", "extern", "obj", "xml"].contains(&name)
    };
    read.is_ok() && name(root) == "scene" && !root.contains("version") && is_of_embree(&name(first))
}

/// Translates a scene file.
///
/// # Errors
/// All errors of the file, each with its location.
pub(crate) fn translate(
    files: &SharedFiles,
    path: &Path,
    options: &SceneImportOptions,
) -> Result<SceneImport, Diagnostics> {
    let text = xml::read(&**files, path).map_err(Diagnostic::error)?;
    let binary_path = path.with_extension("bin");
    let binary = files.read(&binary_path).ok();
    let budget = Budget::new(text.len() + binary.as_ref().map_or(0, Vec::len));
    let source = Source::new(path.display().to_string(), text);
    let mut sources = SourceMap::default();
    let whole = Span { source: sources.add(source.clone()), start: 0, end: 0 };
    let document = xml::parse(&source, whole)
        .map_err(|(place, reason)| Diagnostic::error(reason).at(&sources, place, ""))?;
    let read = std::iter::once(path.to_owned()).chain(binary.is_some().then_some(binary_path));
    let mut reader = Reader {
        options,
        sources,
        whole,
        binary,
        budget,
        diagnostics: Diagnostics::default(),
        reported: FxHashSet::default(),
        ids: FxHashMap::default(),
        materials: FxHashMap::default(),
        geometries: FxHashMap::default(),
        visited: 0,
        bounds: Bounds::EMPTY,
        names: Names::default(),
        meshes: vec![],
        declarations: vec![],
    };
    reader.children(document.root_element(), &DMat4::IDENTITY);
    reader.surroundings();
    let Reader { declarations, sources, meshes, diagnostics, .. } = reader;
    let import = SceneImport {
        program: "Embree",
        declarations,
        sources,
        meshes,
        images: vec![],
        files: read.collect(),
        warnings: diagnostics.clone(),
    };
    diagnostics.into_result(import)
}

impl Reader<'_> {
    /// Adds a camera that shows all shapes if there is none, and a white environment if there is no light.
    fn surroundings(&mut self) {
        let has = |keyword: &str| self.declarations.iter().any(|one| one.keyword.text == keyword);
        let (has_camera, has_light) = (has("camera"), has("light") || self.names.is_taken(light::AREA));
        if !has_camera && !self.bounds.is_empty() {
            let (center, radius) = (self.bounds.center(), self.bounds.radius());
            // At this distance, a field of view of 40 degrees contains the bounding sphere.
            let from = center + glam::Vec3::new(0.6, 0.4, 1.0).normalize() * (2.93 * radius);
            let mut camera = Declaration::named("camera", "view").of_kind("perspective");
            camera.set("from", from.to_array());
            camera.set("to", center.to_array());
            camera.set("fov_axis", Expr::name("smaller"));
            self.declarations.push(camera);
        }
        if !has_light {
            self.declarations
                .push(Declaration::named("light", "sky").of_kind("environment"));
        }
    }
}
