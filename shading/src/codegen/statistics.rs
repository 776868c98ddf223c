//! Statistics of compiled code.

use std::collections::{BTreeMap, BTreeSet};

use super::global_set::GlobalSet;
use crate::runtime::{TextureRequest, UnreadableTexture};
use shading_compiler::hir::ClosureId;
use shading_compiler::hir::closures::ClosureConstants;
use shading_syntax::diagnostic::Label;

/// Facts about compiled code.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Compile time of the code for single points, in milliseconds.
    pub jit_ms: f64,
    /// Size of the machine code in bytes.
    pub code_bytes: usize,
    /// True if there is code for packets of points.
    pub has_packets: bool,
    /// Compile time of the packet code, in milliseconds.
    pub packet_ms: f64,
    /// Number of operations of the HIR.
    pub ops: usize,
    /// Number of variables of the HIR.
    pub symbols: usize,
    /// Textures with constant names that cannot be read; lookups return black.
    pub missing_textures: Vec<MissingTexture>,
    /// Closures that a run can create.
    pub closures: BTreeSet<ClosureId>,
    /// Constant parameters of the closures that the code may create.
    pub closure_constants: ClosureConstants,
    /// Globals that the code reads directly.
    pub reads_globals: GlobalSet,
    /// True if the code queries the host for attributes or spaces, which may depend on the whole shading point.
    pub queries_host: bool,
    /// True if it reads derivatives of globals directly.
    pub reads_derivatives: bool,
    /// True if it reads the surface area of the object.
    pub reads_surface_area: bool,
    /// True if it tests the ray kind.
    pub reads_ray_kind: bool,
    /// True if every run creates the same closures and has no other effects, independent of the shading point, except
    /// for `N` and `dPdu` if these are passed to closures as a normal and as a vector.
    pub is_uniform: bool,
    /// Textures with constant names, in order of appearance.
    pub textures: Vec<NamedTexture>,
    /// Names of files that the code may look up at run time, if they are constants: textures with options that are not
    /// constant; if the code selects names of textures or point clouds, all its strings.
    pub late_files: BTreeSet<String>,
    /// True if the code looks up textures by names composed at run time, which `late_files` lacks.
    pub computes_texture_names: bool,
    /// Point clouds with constant names.
    pub clouds: BTreeSet<String>,
    /// True if the code searches point clouds by names composed at run time, which `late_files` lacks.
    pub computes_cloud_names: bool,
    /// Geometry attributes that the code reads by constant names; true if an attribute is optional:
    /// [`shading_compiler::hir::attributes::read_by`].
    pub attributes: BTreeMap<String, bool>,
    /// Hash of the HIR. Shaders with equal behaviour usually have equal hashes, and different shaders almost never. Names
    /// are not hashed; names in `textures` are replaced by their index in the list.
    pub fingerprint: u64,
}

/// A texture with a constant name.
#[derive(Clone, Debug)]
pub struct NamedTexture {
    /// Request to the host.
    pub request: TextureRequest,
    /// Location of its first lookup, if the sources are known.
    pub label: Option<Label>,
}

/// A texture with a constant name that cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingTexture {
    /// File name.
    pub name: String,
    /// Reason.
    pub problem: UnreadableTexture,
    /// Location of a lookup, if the sources are known.
    pub label: Option<Label>,
    /// True if the shader handles the missing texture.
    pub optional: bool,
}
