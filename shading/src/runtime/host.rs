//! What the language asks of the program that embeds it.

use crate::hir::{Const, Kind, TextureOptions};
use crate::runtime::ShaderGlobals;

/// The embedder's number for a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct TextureHandle(pub u32);

/// The embedder's number for the name of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct AttributeHandle(pub u32);

/// Textures, spaces and attributes. Called from many threads at once, on the per-hit path: nothing here may lock.
/// A feature that the embedder does not have keeps its default, which finds nothing.
pub trait ShaderHost: Send + Sync + 'static {
    /// The handle of a texture file named in a shader, looked up with these options, or `None` where there is no such file. Asked while an instance
    /// is compiled when the name is constant, else at run time.
    fn texture_handle(&self, name: &str, options: TextureOptions) -> Option<TextureHandle> {
        let _ = (name, options);
        None
    }

    /// RGBA at `(s, t)`, t from the top row down, linear Rec.709. `footprint` is dsdx, dtdx, dsdy, dtdy.
    fn texture(
        &self,
        handle: TextureHandle,
        st: [f32; 2],
        footprint: [f32; 4],
        options: TextureOptions,
    ) -> [f32; 4] {
        let _ = (handle, st, footprint, options);
        [0.0; 4]
    }

    /// The matrix (row vectors, OSL's convention) that takes space `from` to space `to` at a shading point. The names
    /// are never "common".
    fn matrix(&self, globals: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        let _ = (globals, from, to);
        None
    }

    /// Up to four floats of a named attribute at a shading point, the rest zero.
    fn attribute(&self, globals: &ShaderGlobals, object: &str, name: &str) -> Option<[f32; 4]> {
        let _ = (globals, object, name);
        None
    }

    /// An attribute that may be a string, a matrix or an array, as a value of the kind asked for; its element at an index
    /// where there is one. Not asked for what fits four floats without an index: that is [`ShaderHost::attribute`].
    fn any_attribute(
        &self,
        globals: &ShaderGlobals,
        object: &str,
        name: &str,
        index: Option<u32>,
        kind: Kind,
    ) -> Option<Const> {
        let _ = (globals, object, name, index, kind);
        None
    }

    /// The handle by which the attribute of that name, of the shaded object itself, is found without looking at names.
    /// Asked while an instance is compiled, when the name is constant. Without one, [`ShaderHost::attribute`] is asked.
    fn attribute_handle(&self, name: &str) -> Option<AttributeHandle> {
        let _ = name;
        None
    }

    /// [`ShaderHost::attribute`] by handle: the same value.
    fn attribute_by_handle(&self, globals: &ShaderGlobals, handle: AttributeHandle) -> Option<[f32; 4]> {
        let _ = (globals, handle);
        None
    }
}

/// A host that has nothing, for programs and tests that only compute.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl ShaderHost for NoHost {}
