//! Morph targets of texture coordinates and colours, which the `gltf` crate does not read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gltf::{Accessor, Document};
use serde_json::Value;
use serde_json::value::RawValue;

use super::GltfError;
use super::accessor::{components, vectors};
use super::buffers::Buffers;
use super::primitive::{UV_SETS, uv_attribute};
use super::selection::VertexSelection;
use renderer_geometry::Mesh;

/// Meshes of a document as JSON, if any of them has morph targets.
#[derive(Debug, Default)]
pub(super) struct MorphTargets(Vec<Value>);

impl MorphTargets {
    /// Reads the meshes of a document that is valid, except for parts that the crate does not check.
    pub(super) fn read(json: &[u8]) -> MorphTargets {
        let members = serde_json::from_slice::<BTreeMap<Cow<'_, str>, &RawValue>>(json);
        let meshes = members.ok().and_then(|members| members.get("meshes").copied());
        let with_targets = meshes.filter(|meshes| meshes.get().contains("\"targets\""));
        let list = with_targets.and_then(|meshes| serde_json::from_str(meshes.get()).ok());
        MorphTargets(list.unwrap_or_default())
    }

    /// Displacements of each primitive of a mesh, by the weights of its morph targets.
    pub(super) fn displacements(
        &self,
        mesh: usize,
        weights: &[f32],
        document: &Document,
        buffers: &Buffers,
    ) -> Result<Vec<Displacements>, GltfError> {
        fn list(value: Option<&Value>) -> &[Value] {
            value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
        }
        let primitives = list(self.0.get(mesh).and_then(|mesh| mesh.get("primitives")));
        let of_primitive = |primitive: &Value| {
            let mut sum = Displacements::default();
            let targets = list(primitive.get("targets"));
            for (target, &weight) in targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                sum.add(target, weight, document, buffers)?;
            }
            Ok(sum)
        };
        primitives.iter().map(of_primitive).collect()
    }
}

/// Displacements of a primitive's texture coordinates and colours; empty if there are none.
#[derive(Clone, Debug, Default)]
pub(super) struct Displacements {
    uvs: [Vec<[f32; 2]>; UV_SETS as usize],
    colors: Vec<[f32; 4]>,
}

impl Displacements {
    fn add(
        &mut self,
        target: &Value,
        weight: f32,
        document: &Document,
        buffers: &Buffers,
    ) -> Result<(), GltfError> {
        for (set, sums) in self.uvs.iter_mut().enumerate() {
            if let Some(accessor) = accessor(target, &format!("TEXCOORD_{set}"), document)? {
                add_weighted(sums, &vectors(&accessor, buffers)?, weight)?;
            }
        }
        if let Some(accessor) = accessor(target, "COLOR_0", document)? {
            let offsets: Vec<[f32; 4]> = if components(accessor.dimensions()) == 3 {
                let rgb = vectors(&accessor, buffers)?.into_iter();
                rgb.map(|[r, g, b]| [r, g, b, 0.0]).collect()
            } else {
                vectors(&accessor, buffers)?
            };
            add_weighted(&mut self.colors, &offsets, weight)?;
        }
        Ok(())
    }

    /// Displaces the vertices of a mesh. Colours are clamped to `[0,1]`, as required by glTF 2.0, section 3.7.2.2.
    pub(super) fn apply(&self, mesh: &mut Mesh, selection: &VertexSelection) -> Result<(), GltfError> {
        for (set, offsets) in (0..UV_SETS).zip(&self.uvs) {
            let vertices: Vec<[&mut f32; 2]> = match set {
                0 => mesh.uvs.iter_mut().map(|uv| [&mut uv.x, &mut uv.y]).collect(),
                1 => mesh.uvs2.iter_mut().map(|uv| [&mut uv.x, &mut uv.y]).collect(),
                _ => {
                    let name = uv_attribute(set);
                    let named = mesh.attributes.iter_mut().find(|attribute| attribute.name == name);
                    let values = named.map(|attribute| attribute.values.as_chunks_mut().0);
                    values.into_iter().flatten().map(|[u, v, _]| [u, v]).collect()
                }
            };
            let offsets = selection.pick(offsets);
            check_count(offsets.len(), vertices.len())?;
            for ([u, v], [du, dv]) in vertices.into_iter().zip(offsets) {
                *u += du;
                // In Kiln v runs up on surfaces, in glTF down.
                *v -= dv;
            }
        }
        let offsets = selection.pick(&self.colors);
        check_count(offsets.len(), mesh.colors.len())?;
        for (color, offset) in mesh.colors.iter_mut().zip(offsets) {
            *color = std::array::from_fn(|i| (color[i] + offset[i]).clamp(0.0, 1.0));
        }
        Ok(())
    }
}

/// Accessor of an attribute of a morph target, if the target has it.
fn accessor<'a>(
    target: &Value,
    name: &str,
    document: &'a Document,
) -> Result<Option<Accessor<'a>>, GltfError> {
    let Some(index) = target.get(name) else {
        return Ok(None);
    };
    let accessor = index
        .as_u64()
        .and_then(|index| document.accessors().nth(usize::try_from(index).ok()?));
    match accessor {
        Some(accessor) => Ok(Some(accessor)),
        None => Err(format!("{name} of a morph target is accessor {index}, which does not exist")),
    }
}

fn add_weighted<const N: usize>(
    sums: &mut Vec<[f32; N]>,
    offsets: &[[f32; N]],
    weight: f32,
) -> Result<(), GltfError> {
    if sums.is_empty() {
        sums.resize(offsets.len(), [0.0; N]);
    }
    check_count(offsets.len(), sums.len())?;
    for (sum, offset) in sums.iter_mut().zip(offsets) {
        *sum = std::array::from_fn(|i| sum[i] + weight * offset[i]);
    }
    Ok(())
}

/// Checks that the number of offsets equals the number of vertices. Either may be zero: vertices without the attribute
/// are not displaced.
fn check_count(offsets: usize, vertices: usize) -> Result<(), GltfError> {
    if offsets == vertices || offsets == 0 || vertices == 0 {
        return Ok(());
    }
    Err(format!("a morph target has {offsets} offsets for {vertices} vertices"))
}
