//! Description of materials, and the shaders and textures that a scene brings along.

use std::path::PathBuf;
use std::sync::Arc;

use shading::syntax::ast;
use shading::{SourceId, Span};

use renderer_image::texture::{TextureColorSpace, TextureSource};

/// Index of a material in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MaterialId(pub u32);

/// A material with its name: a unit or group with arguments, not yet compiled.
#[derive(Clone, Debug)]
pub struct MaterialDesc {
    /// Its name; that of an imported material begins with the import's name and a dot.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The call `unit_or_group(name = value, …)`; a lone name is a call without arguments. Its spans belong to
    /// [`SceneDesc::sources`](super::SceneDesc::sources).
    pub surface: Arc<ast::Expr>,
    /// Whether the back of the surface scatters nothing; what passes straight through does so from both sides.
    pub one_sided: bool,
    /// Whether engines do not show the back of the surface: it is rendered all the same, but not baked.
    pub culled: bool,
    /// The sides that emit, where the surface emits at all.
    pub emission: EmissionSides,
}

/// The sides from which a surface emits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmissionSides {
    /// That of its normal.
    #[default]
    Front,
    /// Both.
    Both,
}

/// A text that declares units and groups.
#[derive(Clone, Debug)]
pub struct ShaderFile {
    /// Its text.
    pub source: SourceId,
    /// The declarations, scene declarations among them.
    pub file: Arc<ast::File>,
}

/// A texture under a name of its own: a shader that asks for the name gets it with its colour space.
#[derive(Clone, Debug)]
pub struct TextureDesc {
    /// The name, such as `ball.glb#image2`.
    pub name: String,
    /// The file or the bytes.
    pub source: TextureSource,
    /// How its numbers are to be understood.
    pub color_space: TextureColorSpace,
    /// What brings it along, for messages.
    pub file: PathBuf,
}
