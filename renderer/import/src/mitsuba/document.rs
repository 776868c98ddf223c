//! Mitsuba scene documents: objects after parameter substitution, inclusion of files and resolution of references.

use std::path::{Path, PathBuf};

use glam::{DMat4, DVec3};
use shading::{SourceMap, Span};

use renderer_base::files::SharedFiles;

/// Index of an object in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ObjectId(pub(super) u32);

/// Element that creates an object: `<bsdf type="diffuse">…</bsdf>`.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// Name of the element: `bsdf`, `shape`, …
    pub(super) tag: String,
    /// Plugin name: the attribute `type`.
    pub(super) plugin: String,
    pub(super) id: Option<String>,
    /// Id, or the name of the element if it has no id.
    pub(super) name: Option<String>,
    pub(super) properties: Vec<Property>,
    pub(super) place: Span,
    /// True if it is in a file older than version 2.
    pub(super) is_old: bool,
}

/// Property of an object; properties are in the order of the file.
#[derive(Clone, Debug)]
pub(super) struct Property {
    /// Name; empty for a nested object without a name.
    pub(super) name: String,
    pub(super) value: PropertyValue,
    pub(super) place: Span,
}

/// Value of a property.
#[derive(Clone, Debug)]
pub(super) enum PropertyValue {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Vector(DVec3),
    Rgb([f64; 3]),
    /// Attribute `value` of `<spectrum>`: one number, or `wavelength:value` pairs.
    Spectrum(String),
    /// Attribute `filename` of `<spectrum>`.
    SpectrumFile(PathBuf),
    Transform(DMat4),
    Object(ObjectId),
    /// Unresolved reference; a complete document has none.
    Reference(String),
}

/// Scene file with all files that it includes.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// File system in which named files are looked up.
    pub(super) file_system: SharedFiles,
    pub(super) sources: SourceMap,
    pub(super) objects: Vec<Object>,
    /// Paths of all files that were read, the scene file first.
    pub(super) files: Vec<PathBuf>,
    /// Search path for files, in this order.
    pub(super) folders: Vec<PathBuf>,
}

impl Document {
    pub(super) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// Outermost object.
    pub(super) fn root(&self) -> &Object {
        &self.objects[0]
    }

    /// Returns whether the object is a property of a shape, nested or by reference.
    pub(super) fn is_part_of_shape(&self, id: ObjectId) -> bool {
        let holds = |property: &Property| matches!(property.value, PropertyValue::Object(part) if part == id);
        let mut shapes = self.objects.iter().filter(|object| object.tag == "shape");
        shapes.any(|shape| shape.properties.iter().any(holds))
    }

    /// Path of a named file; if it does not exist, the first candidate.
    pub(super) fn resolve(&self, name: &str) -> PathBuf {
        let path = Path::new(name);
        let mut candidates = self.folders.iter().map(|folder| folder.join(path));
        candidates
            .find(|candidate| self.file_system.kind(candidate).is_ok())
            .unwrap_or_else(|| self.folders.first().map_or(path.into(), |folder| folder.join(path)))
    }
}
