//! Points that shaders write (`pointcloud_write`), stored until the embedder retrieves them.
//!
//! `pointcloud_write(file, point, attribute, value, …)` records a point with ints, floats, triples, matrices and strings
//! in the context, in the order of the calls, and returns 1. `ShadingContext::take_written` returns the points, grouped by
//! file and attributes. The host decides for each file ([`ShaderHost::cloud_refusal`]); by default no file may be written,
//! which is reported once, and the call returns 0. Like `printf`, the call is a side effect: it is neither removed, nor
//! repeated, nor moved.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::ShaderHost;
use super::cloud::CloudValue;

/// Maximum total size of stored points, in bytes; further points are discarded.
const MAX_BYTES: usize = 256 << 20;

/// Type of an attribute of written points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointValueType {
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// Any of the four triples.
    Triple,
    /// `matrix`.
    Matrix,
    /// `string`.
    Text,
}

impl PointValueType {
    /// Number of 32-bit words of a value; a string is stored as an index.
    pub fn count(self) -> usize {
        match self {
            PointValueType::Int | PointValueType::Float | PointValueType::Text => 1,
            PointValueType::Triple => 3,
            PointValueType::Matrix => 16,
        }
    }
}

impl fmt::Display for PointValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PointValueType::Int => "int",
            PointValueType::Float => "float",
            PointValueType::Triple => "triple",
            PointValueType::Matrix => "matrix",
            PointValueType::Text => "string",
        })
    }
}

/// Points of one file with the same attributes, in the order in which they were written.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenCloud {
    /// File name as in the shader.
    pub file: String,
    /// Names and types of the attributes, in the order of the call.
    pub attributes: Vec<(String, PointValueType)>,
    /// Bits of the numbers, point by point: the position, then the attributes. Strings are indices into `texts`.
    pub words: Vec<u32>,
    /// Distinct strings of all points, in order of first use.
    pub texts: Vec<Arc<str>>,
}

/// Written points, grouped by file and attributes.
#[derive(Clone, Debug, Default)]
pub struct WrittenClouds {
    list: Vec<WrittenCloud>,
    /// For each cloud, the indices of its strings.
    texts: Vec<FxHashMap<Arc<str>, u32>>,
    /// Indices of the clouds, by the hash of file and attributes.
    places: FxHashMap<u64, Vec<usize>>,
    /// Index of the cloud that was written last.
    last: usize,
    bytes: usize,
}

impl PartialEq for WrittenClouds {
    fn eq(&self, other: &WrittenClouds) -> bool {
        self.list == other.list
    }
}

/// Reasons why a point is not recorded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum WriteError {
    /// The host does not allow writing to the file.
    Host(Cow<'static, str>),
    /// The size limit is reached.
    Full,
}

impl WriteError {
    #[cold]
    pub(crate) fn message(&self, file: &str) -> String {
        match self {
            WriteError::Host(why) => format!("no point is written to {file:?}: {why}"),
            WriteError::Full => format!("no point is written to {file:?}: there are too many"),
        }
    }
}

/// Records a point with its attributes, unless the host refuses.
pub(crate) fn write<'a>(
    host: &dyn ShaderHost,
    clouds: &mut WrittenClouds,
    file: &str,
    position: [f32; 3],
    attributes: impl Iterator<Item = (&'a str, CloudValue<'a>)> + Clone,
) -> Result<(), WriteError> {
    if let Some(why) = host.cloud_refusal(file) {
        return Err(WriteError::Host(why));
    }
    if clouds.push(file, position, attributes) {
        Ok(())
    } else {
        Err(WriteError::Full)
    }
}

impl WrittenClouds {
    /// Returns whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the clouds in the order of their first points.
    pub fn clouds(&self) -> &[WrittenCloud] {
        &self.list
    }

    /// Returns the clouds by value.
    pub fn into_clouds(self) -> Vec<WrittenCloud> {
        self.list
    }

    /// Returns the memory used by the points, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends other points.
    pub fn append(&mut self, other: WrittenClouds) {
        for cloud in other.list {
            let attributes = || cloud.attributes.iter().map(|(name, ty)| (name.as_str(), *ty));
            let at = self.place(&cloud.file, attributes());
            self.bytes += size_of_val(&cloud.words[..]);
            // Maps the cloud's strings to the indices of equal strings here.
            let texts = cloud.texts.iter().map(|text| self.text(at, text));
            let texts: Vec<u32> = texts.collect();
            let mut others = cloud.words;
            if !texts.is_empty() {
                let rows = others.chunks_exact_mut(3 + width(&cloud.attributes));
                rows.for_each(|row| renumber(&mut row[3..], &cloud.attributes, &texts));
            }
            let words = &mut self.list[at].words;
            if words.is_empty() {
                *words = others;
            } else {
                words.extend_from_slice(&others);
            }
        }
    }

    /// Records a point; returns whether the size limit allowed it.
    fn push<'a>(
        &mut self,
        file: &str,
        position: [f32; 3],
        attributes: impl Iterator<Item = (&'a str, CloudValue<'a>)> + Clone,
    ) -> bool {
        if self.bytes >= MAX_BYTES {
            return false;
        }
        let at = self.place(file, attributes.clone().map(|(name, value)| (name, type_of(value))));
        let before = self.list[at].words.len();
        self.list[at].words.extend(position.map(f32::to_bits));
        for (_, value) in attributes {
            let text = match value {
                CloudValue::Text(x) => self.text(at, x),
                _ => 0,
            };
            let words = &mut self.list[at].words;
            match value {
                CloudValue::Text(_) => words.push(text),
                CloudValue::Int(x) => words.push(x.cast_unsigned()),
                CloudValue::Float(x) => words.push(x.to_bits()),
                CloudValue::Triple(x) => words.extend(x.map(f32::to_bits)),
                CloudValue::Matrix(x) => words.extend(x.map(f32::to_bits)),
            }
        }
        self.bytes += size_of_val(&self.list[at].words[before..]);
        true
    }

    /// Returns the index of a string among the texts of a cloud; adds it if it is new.
    fn text(&mut self, at: usize, text: &str) -> u32 {
        let (places, list) = (&mut self.texts[at], &mut self.list[at].texts);
        if let Some(&place) = places.get(text) {
            return place;
        }
        let (place, text) = (list.len() as u32, Arc::<str>::from(text));
        // Memory of two pointers to the string, and of its index.
        self.bytes += text.len() + 40;
        list.push(text.clone());
        places.insert(text, place);
        place
    }

    /// Returns the index of a cloud; creates it if there is none.
    fn place<'a>(
        &mut self,
        file: &str,
        attributes: impl Iterator<Item = (&'a str, PointValueType)> + Clone,
    ) -> usize {
        let is_meant = |cloud: &WrittenCloud| {
            let mut own = cloud.attributes.iter();
            let mut is_next = |(name, ty)| own.next().is_some_and(|(own, of)| *own == name && *of == ty);
            cloud.file == file && attributes.clone().all(&mut is_next) && own.next().is_none()
        };
        if self.list.get(self.last).is_some_and(is_meant) {
            return self.last;
        }
        let mut hasher = FxHasher::default();
        file.hash(&mut hasher);
        attributes.clone().for_each(|attribute| attribute.hash(&mut hasher));
        let places = self.places.entry(hasher.finish()).or_default();
        let known = places.iter().copied().find(|&at| is_meant(&self.list[at]));
        self.last = known.unwrap_or_else(|| {
            places.push(self.list.len());
            self.list.push(WrittenCloud {
                file: file.to_owned(),
                attributes: attributes.map(|(name, ty)| (name.to_owned(), ty)).collect(),
                words: vec![],
                texts: vec![],
            });
            self.texts.push(FxHashMap::default());
            self.list.len() - 1
        });
        self.last
    }
}

/// Returns the number of 32-bit words of a point's attributes.
fn width(attributes: &[(String, PointValueType)]) -> usize {
    attributes.iter().map(|(_, ty)| ty.count()).sum()
}

/// Replaces the string indices of a point.
fn renumber(row: &mut [u32], attributes: &[(String, PointValueType)], places: &[u32]) {
    let mut at = 0;
    for (_, ty) in attributes {
        if *ty == PointValueType::Text {
            row[at] = places[row[at] as usize];
        }
        at += ty.count();
    }
}

fn type_of(value: CloudValue<'_>) -> PointValueType {
    match value {
        CloudValue::Int(_) => PointValueType::Int,
        CloudValue::Float(_) => PointValueType::Float,
        CloudValue::Triple(_) => PointValueType::Triple,
        CloudValue::Matrix(_) => PointValueType::Matrix,
        CloudValue::Text(_) => PointValueType::Text,
    }
}
