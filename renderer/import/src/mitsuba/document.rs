//! Mitsuba scene documents: objects with parameters substituted, files included and references resolved.

use std::path::{Path, PathBuf};

use glam::{DMat4, DVec3};
use shading::{SourceMap, Span};

use renderer_base::files::SharedFiles;

/// Index of an object in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ObjectId(pub(super) u32);

/// An element that makes something: `<bsdf type="diffuse">…</bsdf>`.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// The name of the element: `bsdf`, `shape`, …
    pub(super) tag: String,
    /// What kind of that: its `type`.
    pub(super) plugin: String,
    pub(super) id: Option<String>,
    /// Its id, or what its element is called where it has none.
    pub(super) name: Option<String>,
    pub(super) properties: Vec<Property>,
    pub(super) place: Span,
}

/// What an object is given, in the order of the file.
#[derive(Clone, Debug)]
pub(super) struct Property {
    /// Empty for an object without a name.
    pub(super) name: String,
    pub(super) value: PropertyValue,
    pub(super) place: Span,
}

/// The value of a property.
#[derive(Clone, Debug)]
pub(super) enum PropertyValue {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Vector(DVec3),
    Rgb([f64; 3]),
    /// `value` of `<spectrum>`: one number, or `wavelength:value` pairs.
    Spectrum(String),
    /// `filename` of `<spectrum>`.
    SpectrumFile(PathBuf),
    Transform(DMat4),
    Object(ObjectId),
    /// A reference that has not been followed yet; none are left in a document that has been read.
    Reference(String),
}

/// A scene file and all that it includes.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// The files among which those that it names are found.
    pub(super) file_system: SharedFiles,
    pub(super) sources: SourceMap,
    pub(super) objects: Vec<Object>,
    /// The files that were read, the scene file first.
    pub(super) files: Vec<PathBuf>,
    /// Where files are looked for, in this order.
    pub(super) folders: Vec<PathBuf>,
}

impl Document {
    pub(super) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// The outermost object.
    pub(super) fn root(&self) -> &Object {
        &self.objects[0]
    }

    /// Whether a shape has the object, inside its element or by reference.
    pub(super) fn is_part_of_shape(&self, id: ObjectId) -> bool {
        let holds = |property: &Property| matches!(property.value, PropertyValue::Object(part) if part == id);
        let mut shapes = self.objects.iter().filter(|object| object.tag == "shape");
        shapes.any(|shape| shape.properties.iter().any(holds))
    }

    /// The file of that name; where there is none, where it was looked for first.
    pub(super) fn resolve(&self, name: &str) -> PathBuf {
        let path = Path::new(name);
        let mut candidates = self.folders.iter().map(|folder| folder.join(path));
        candidates
            .find(|candidate| self.file_system.kind(candidate).is_ok())
            .unwrap_or_else(|| {
                self.folders
                    .first()
                    .map_or(path.into(), |folder| folder.join(path))
            })
    }
}
