//! State shared by the functions of one compilation: imported functions, data, registry.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::ir;
use cranelift_codegen::isa::CallConv;
use cranelift_entity::SecondaryMap;
use cranelift_module::FuncId;
use rustc_hash::FxHashMap;

use super::codegen_unit::CodegenUnit;
use super::data::DataPool;
use super::global_set::GlobalSet;
use super::layout::POINTER;
use super::place::PlaceTable;
use super::statistics::NamedTexture;
use crate::runtime::text::TextPool;
use crate::runtime::{CloudHandle, HostFunctions, TextureHandle, TextureRequest, UnreadableTexture};
use shading_compiler::eval::library;
use shading_compiler::hir::{ClosureId, ClosureRegistry, FunctionId, Numbers, TextureOptions, Unit};
use shading_syntax::source::Span;

/// State shared by the functions of one compilation.
pub(super) struct UnitContext<'u> {
    pub(super) unit: &'u Unit,
    pub(super) registry: &'u ClosureRegistry,
    pub(super) host: &'u HostFunctions,
    pub(super) call_conv: CallConv,
    pub(super) functions: SecondaryMap<FunctionId, Option<FuncId>>,
    pub(super) texts: TextPool,
    pub(super) data: DataPool,
    /// Library functions called by the code, referenced by address.
    #[expect(clippy::vec_box, reason = "the code refers to each by its address")]
    pub(super) library: Vec<Box<library::Function>>,
    places: &'u PlaceTable,
    /// Table of the numbers that the code reads from memory.
    pub(super) numbers: &'u Numbers,
    textures: FxHashMap<TextureRequest, WantedTexture>,
    /// Textures in order of appearance in the code, with the place of the first lookup.
    pub(super) texture_list: Vec<(NamedTexture, u32)>,
    /// Files that lookups cannot read.
    pub(super) missing: BTreeMap<(String, UnreadableTexture), FailedLookup>,
    /// Files that the code looks up by constant names at run time.
    pub(super) late_files: BTreeSet<String>,
    /// True if a lookup's name is not a constant.
    pub(super) chooses_texture_names: bool,
    /// True if the name of a point cloud is not a constant.
    pub(super) chooses_cloud_names: bool,
    /// Point clouds with constant names.
    pub(super) clouds: BTreeMap<String, Option<CloudHandle>>,
    pub(super) closures: BTreeSet<ClosureId>,
    /// Size in bytes of the nodes with fixed offsets.
    pub(super) node_bytes: usize,
    pub(super) shows_closures: bool,
    pub(super) reads: GlobalSet,
    /// True if the code counts its work.
    pub(super) counts_work: bool,
    pub(super) queries_host: bool,
    pub(super) reads_derivatives: bool,
    pub(super) reads_surface_area: bool,
    pub(super) reads_ray_kind: bool,
}

/// A lookup of a texture that cannot be read.
#[derive(Clone, Copy)]
pub(super) struct FailedLookup {
    pub(super) place: u32,
    /// True if the shader handles the missing texture.
    pub(super) is_optional: bool,
}

/// A texture with a constant name.
#[derive(Clone, Copy)]
struct WantedTexture {
    handle: Option<TextureHandle>,
    /// True if a lookup requires it.
    is_required: bool,
}

impl<'u> UnitContext<'u> {
    pub(super) fn new(
        prepared: &'u CodegenUnit,
        registry: &'u ClosureRegistry,
        host: &'u HostFunctions,
        call_conv: CallConv,
    ) -> UnitContext<'u> {
        UnitContext {
            unit: &prepared.unit,
            registry,
            host,
            call_conv,
            functions: SecondaryMap::new(),
            texts: TextPool::default(),
            data: DataPool::default(),
            library: vec![],
            places: &prepared.places,
            numbers: &prepared.numbers,
            textures: FxHashMap::default(),
            missing: BTreeMap::new(),
            texture_list: vec![],
            late_files: BTreeSet::new(),
            chooses_texture_names: false,
            chooses_cloud_names: false,
            clouds: BTreeMap::new(),
            closures: BTreeSet::new(),
            node_bytes: 0,
            shows_closures: false,
            reads: GlobalSet::default(),
            counts_work: false,
            queries_host: false,
            reads_derivatives: false,
            reads_surface_area: false,
            reads_ray_kind: false,
        }
    }

    /// Returns the number of bytes that a run reserves for the nodes with fixed offsets. The store of the last node may
    /// exceed it by 16 bytes, which must not overwrite other data of the arena.
    pub(super) fn reserved_bytes(&self) -> usize {
        match self.node_bytes {
            0 => 0,
            bytes => bytes + 16,
        }
    }

    /// Returns the index of a location.
    pub(super) fn place(&self, span: Span) -> u32 {
        let known = self.places.known(span);
        debug_assert!(known.is_some(), "what reports is no silent operation");
        known.unwrap_or(0)
    }

    /// Returns the handle of a texture with a constant name. Queries the host once per texture, and again if a lookup
    /// requires it.
    pub(super) fn texture_handle(
        &mut self,
        request: TextureRequest,
        options: TextureOptions,
        span: Span,
    ) -> Option<TextureHandle> {
        let optional = options.optional;
        let place = self.place(span);
        let known = self.textures.get(&request).copied();
        let handle = match known.filter(|known| optional || known.is_required) {
            Some(known) => known.handle,
            None => {
                let host = &self.host.host;
                let handle = match optional {
                    true => host.optional_texture_handle(&request),
                    false => host.texture_handle(&request),
                };
                let wanted = WantedTexture { handle, is_required: !optional };
                if self.textures.insert(request.clone(), wanted).is_none() {
                    let named = NamedTexture { request: request.clone(), label: None };
                    self.texture_list.push((named, place));
                }
                handle
            }
        };
        let problem = match handle {
            None => UnreadableTexture::NotFound,
            Some(_) => match UnreadableTexture::of_picture(&*self.host.host, &request, options.mapping) {
                Some(problem) => problem,
                None => return handle,
            },
        };
        let lookup = FailedLookup { place, is_optional: optional };
        let known = self.missing.entry((request.file, problem)).or_insert(lookup);
        if known.is_optional && !optional {
            *known = lookup;
        }
        None
    }

    /// Returns the handle of a point cloud with a constant name. Queries the host once per cloud.
    pub(super) fn cloud_handle(&mut self, file: &str) -> Option<CloudHandle> {
        let host = &self.host.host;
        let known = self.clouds.entry(file.to_owned());
        *known.or_insert_with(|| host.cloud_handle(file))
    }

    /// Signature of all functions: globals, context, and outputs or arguments.
    pub(super) fn signature(&self) -> ir::Signature {
        let mut signature = ir::Signature::new(self.call_conv);
        signature.params = vec![ir::AbiParam::new(POINTER); 3];
        signature
    }
}
