//! Shader host: the services that running shaders and the shader compiler request from a [`Host`].

use std::borrow::Cow;
use std::sync::PoisonError;

use glam::{Affine3A, Mat4, Vec2};
use shading::hir::{Axis, Const, Kind, TextureMapping};
use shading::{
    AttributeHandle, CloudHandle, PointCloud, ShaderGlobals, ShaderHost, TextureHandle, TextureInfo,
    TextureLookup, TextureRequest, TextureSample, TraceHit, TraceRay,
};

use super::attribute;
use super::grid::is_grid;
use super::host::{BuildPhase, Frozen, GRID_FLAG, Host, INDEX_BITS};
use super::standard_attribute::{
    LENS, NumberAttribute, ObjectInfo, numbers_of_kind, of_camera, of_face, of_lens, pair_of_kind,
};
use super::texture::{self, ResolvedTexture};
use crate::cloud::CloudId;
use renderer_base::math::inverse;
use renderer_geometry::{AttributeSource, ObjectValue};
use renderer_grid::GridId;
use renderer_image::texture::{TextureId, TextureNeed};

impl ShaderHost for Host {
    fn texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        self.handle_of(request, TextureNeed::Required)
    }

    fn optional_texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        self.handle_of(request, TextureNeed::Optional)
    }

    fn texture(&self, handle: TextureHandle, lookup: &TextureLookup) -> TextureSample {
        let index = handle.0 ^ self.tag;
        let Some(frozen) = self.frozen.get().filter(|_| index >> INDEX_BITS == 0) else {
            return lookup.absent();
        };
        let (store, id) = (&frozen.inputs.store, TextureId(index));
        let is_grid = index & GRID_FLAG != 0;
        let found = match lookup.options.mapping {
            TextureMapping::Volume if is_grid => {
                let found = frozen.inputs.grids.sample(GridId(index ^ GRID_FLAG), lookup);
                return found.unwrap_or_else(|| lookup.absent());
            }
            TextureMapping::Plane if !is_grid => store.sample(id, &texture::plane(lookup)),
            TextureMapping::Environment if !is_grid => {
                store.sample_environment(id, &texture::direction(lookup))
            }
            // See `is_picture` and `is_volume`.
            TextureMapping::Plane | TextureMapping::Environment | TextureMapping::Volume => None,
        };
        found.map_or_else(|| lookup.absent(), texture::sample)
    }

    fn is_picture(&self, request: &TextureRequest) -> bool {
        !is_grid(request)
    }

    fn is_volume(&self, request: &TextureRequest) -> bool {
        is_grid(request)
    }

    fn is_environment(&self, request: &TextureRequest) -> bool {
        match self.frozen.get() {
            Some(frozen) => frozen.inputs.texture(request).is_ok_and(|id| !frozen.inputs.store.is_set(id)),
            None => self.with_build_phase(|building| {
                matches!(building.names.resolve(request), Some(ResolvedTexture::Image(_)))
            }),
        }
    }

    fn texture_error(&self, request: &TextureRequest, st: [f32; 2]) -> Option<String> {
        let frozen = self.frozen.get()?;
        let error = if is_grid(request) {
            frozen.inputs.grids.id(&frozen.inputs.names, request).err()?
        } else {
            match frozen.inputs.texture(request) {
                Ok(id) => {
                    // A tile set may lack the tile at that position.
                    let found = frozen.inputs.store.id_at(id, Vec2::from_array(st));
                    return found.is_none().then(|| "unknown".to_owned());
                }
                Err(error) => error,
            }
        };
        // As in OpenImageIO, each failure is reported once and then remembered.
        let mut reported = frozen.inputs.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = reported.insert(request.file.clone());
        Some(if is_new { error } else { "unknown".to_owned() })
    }

    fn texture_info(
        &self,
        request: &TextureRequest,
        name: &str,
        st: Option<[f32; 2]>,
    ) -> Option<TextureInfo> {
        let frozen = self.frozen.get()?;
        if is_grid(request) {
            return match frozen.inputs.grids.id(&frozen.inputs.names, request) {
                Ok(id) => frozen.inputs.grids.info(id, name),
                Err(_) => (name == "exists").then(|| TextureInfo::Ints(vec![0])),
            };
        }
        let Ok(id) = frozen.inputs.texture(request) else {
            return (name == "exists").then(|| TextureInfo::Ints(vec![0]));
        };
        let id = match st {
            Some(st) => frozen.inputs.store.id_at(id, Vec2::from_array(st))?,
            None => id,
        };
        // The value of a tile set is the common value of its tiles, if there is one.
        let mut answers = vec![];
        frozen.inputs.store.each(id, &mut |one| answers.push(texture::info(one, name)));
        let first = answers.first()?.clone();
        first.filter(|first| answers.iter().all(|answer| answer.as_ref() == Some(first)))
    }

    fn matrix(&self, globals: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        let frozen = self.frozen.get()?;
        let to_from = frozen.space_from_world(globals, to)? * frozen.world_from_space(globals, from)?;
        // Row vectors: the rows of the language's matrices are the columns of `Mat4`.
        Some(to_from.to_cols_array())
    }

    fn attribute(&self, globals: &ShaderGlobals, object: &str, name: &str) -> Option<[f32; 4]> {
        if !object.is_empty() {
            return None;
        }
        let frozen = self.frozen.get()?;
        // Backgrounds have no shape.
        let shape = frozen.shapes.get(globals.object as usize);
        let given = shape.map_or(AttributeSource::None, |shape| AttributeSource::of(shape, name));
        if let (AttributeSource::None, Some(standard)) = (given, NumberAttribute::named(name)) {
            let object = ObjectInfo {
                island: frozen.islands.as_ref().and_then(|islands| islands.at(globals)),
                random: self.trace_geometry.get().and_then(|geometry| geometry.random(globals.object)),
                lacks_inputs: frozen.inputs.lacks_inputs.get(globals.object as usize) == Some(&true),
            };
            let x = standard.value(&frozen.camera, globals, shape, object)?;
            return Some([x, x, x, 0.0]);
        }
        if let Some([x, y]) = of_lens(&frozen.camera, globals, name) {
            return Some([x, y, 0.0, 0.0]);
        }
        attribute::value(given, shape?, globals, frozen.space)
    }

    fn any_attribute(
        &self,
        globals: &ShaderGlobals,
        object: &str,
        name: &str,
        index: Option<u32>,
        kind: Kind,
    ) -> Option<Const> {
        if !object.is_empty() {
            return None;
        }
        let frozen = self.frozen.get()?;
        let shape = frozen.shapes.get(globals.object as usize);
        if let Some(of_face) =
            shape.and_then(|shape| of_face(shape, frozen.space, globals, name, index, kind))
        {
            return Some(of_face);
        }
        if index.is_none()
            && let Some(pair) = of_lens(&frozen.camera, globals, name)
        {
            return pair_of_kind(pair, kind);
        }
        let value = match shape.and_then(|shape| shape.attributes.get(name)) {
            Some(given) => given.clone(),
            None if name == "geom:name" => {
                ObjectValue::Text(self.trace_geometry.get()?.name(globals.object)?.clone())
            }
            None => of_camera(&frozen.camera, name)?,
        };
        match value {
            ObjectValue::Numbers(numbers) => numbers_of_kind(&numbers, index, kind),
            ObjectValue::Text(text) => {
                (index.is_none() && kind == Kind::STRING).then_some(Const::String(text))
            }
        }
    }

    fn cloud_handle(&self, file: &str) -> Option<CloudHandle> {
        let id = match self.frozen.get() {
            Some(frozen) => frozen.inputs.clouds.id(&frozen.inputs.names, file),
            None => self.with_build_phase(|building| {
                let BuildPhase { clouds, names, .. } = building;
                clouds.request(names, file)
            }),
        };
        id.filter(|id| id.0 >> INDEX_BITS == 0).map(|id| CloudHandle(self.tag | id.0))
    }

    fn cloud(&self, handle: CloudHandle) -> Option<&dyn PointCloud> {
        let index = handle.0 ^ self.tag;
        let frozen = self.frozen.get().filter(|_| index >> INDEX_BITS == 0)?;
        let cloud = frozen.inputs.clouds.store.get(CloudId(index))?.ok()?;
        Some(cloud)
    }

    fn cloud_error(&self, file: &str) -> Option<String> {
        let frozen = self.frozen.get()?;
        frozen.inputs.clouds.error(&frozen.inputs.names, file)
    }

    fn cloud_refusal(&self, _: &str) -> Option<Cow<'static, str>> {
        Some(Cow::Borrowed("point clouds are written by `kiln shade` only"))
    }

    fn trace(&self, globals: &ShaderGlobals, ray: &TraceRay<'_>) -> Option<TraceHit> {
        self.trace_geometry.get()?.trace(globals, ray)
    }

    fn traced_point(&self, hit: &TraceHit) -> Option<ShaderGlobals> {
        self.trace_geometry.get()?.point(hit)
    }

    fn attribute_derivative(
        &self,
        globals: &ShaderGlobals,
        object: &str,
        name: &str,
        axis: Axis,
    ) -> [f32; 4] {
        let shapes = self.frozen.get().map(|frozen| &frozen.shapes);
        let shape = shapes.and_then(|shapes| shapes.get(globals.object as usize));
        let change = shape
            .filter(|_| object.is_empty())
            .and_then(|shape| attribute::derivative(AttributeSource::of(shape, name), shape, globals, axis));
        change.unwrap_or_default()
    }

    fn attribute_handle(&self, name: &str) -> Option<AttributeHandle> {
        if let Some(standard) = NumberAttribute::named(name) {
            if standard.is_of_island() && self.frozen.get().is_none() {
                self.with_build_phase(|building| building.needs_islands = true);
            }
            return None;
        }
        if LENS.contains(&name) {
            return None;
        }
        let index = match self.frozen.get() {
            Some(frozen) => frozen.attributes.names.iter().position(|known| known == name),
            None => self.with_build_phase(|building| {
                let names = &mut building.attributes;
                let known = names.iter().position(|known| known == name);
                Some(known.unwrap_or_else(|| {
                    names.push(name.to_owned());
                    names.len() - 1
                }))
            }),
        };
        let index = index.and_then(|index| u32::try_from(index).ok());
        index
            .filter(|index| index >> INDEX_BITS == 0)
            .map(|index| AttributeHandle(self.tag | index))
    }

    fn attribute_by_handle(&self, globals: &ShaderGlobals, handle: AttributeHandle) -> Option<[f32; 4]> {
        let frozen = self.frozen.get()?;
        let shape = frozen.shapes.get(globals.object as usize)?;
        let source = frozen.attributes.source(handle.0 ^ self.tag, globals.object)?;
        attribute::value(source, shape, globals, frozen.space)
    }
}

/// Returns whether `name` is a coordinate space.
pub fn is_space(name: &str) -> bool {
    const SPACES: [&str; 9] =
        ["world", "common", "object", "model", "shader", "camera", "screen", "raster", "NDC"];
    SPACES.contains(&name)
}

impl Frozen {
    /// Matrix from a space to world space.
    fn world_from_space(&self, globals: &ShaderGlobals, space: &str) -> Option<Mat4> {
        Some(match self.affine_space(globals, space) {
            Some(world_from_space) => world_from_space.into(),
            None => {
                let [camera_from_space, _] = self.camera.projected_space(space)?;
                Mat4::from(self.camera.world_from_camera) * camera_from_space
            }
        })
    }

    /// Matrix from world space to a space.
    fn space_from_world(&self, globals: &ShaderGlobals, space: &str) -> Option<Mat4> {
        Some(match self.affine_space(globals, space) {
            Some(world_from_space) => inverse(&world_from_space).into(),
            None => {
                let [_, space_from_camera] = self.camera.projected_space(space)?;
                space_from_camera * Mat4::from(inverse(&self.camera.world_from_camera))
            }
        })
    }

    fn affine_space(&self, globals: &ShaderGlobals, space: &str) -> Option<Affine3A> {
        match space {
            "world" | "common" => Some(Affine3A::IDENTITY),
            "object" | "model" | "shader" => {
                let shape = self.shapes.get(globals.object as usize)?;
                let to_rendering = shape.placement().at(globals.time);
                Some(self.space.transform_to_world(to_rendering.world_from_object()))
            }
            "camera" => Some(self.camera.world_from_camera),
            _ => None,
        }
    }
}
