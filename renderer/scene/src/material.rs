//! Description of materials, and of the shaders and textures of a scene.

use std::path::PathBuf;
use std::sync::Arc;

use shading::graph::GroupUse;
use shading::syntax::ast;
use shading::{SourceId, Span};

use super::nesting::{Nesting, Priority};
use renderer_image::texture::{TextureColorSpace, TextureSource};

/// Index of a material in [`SceneDesc::materials`](super::SceneDesc::materials).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MaterialId(pub u32);

/// Material with its name: a call of a unit or group, not yet compiled.
#[derive(Clone, Debug)]
pub struct MaterialDesc {
    /// Name of the material; in an import, prefixed by the import's name and a dot.
    pub name: String,
    /// Source location of the declaration.
    pub span: Span,
    /// The call `unit_or_group(name = value, …)`; a lone name is a call without arguments. Spans refer to
    /// [`SceneDesc::sources`](super::SceneDesc::sources).
    pub surface: Arc<ast::Expr>,
    /// Displacement shader of the surface: a call like that of the surface.
    pub displacement: Option<Arc<ast::Expr>>,
    /// Effect of the displacement.
    pub displacement_mode: DisplacementMode,
    /// Volume shader of the interior, which replaces media of the surface shader: a call like that of the surface.
    pub interior: Option<Arc<ast::Expr>>,
    /// Use in the scene: surface of shapes, environment, or medium.
    pub usage: GroupUse,
    /// True if the back of the surface does not scatter; straight-through transmission works from both sides.
    pub one_sided: bool,
    /// True if engines do not show the back of the surface; renders show it, bakes omit it.
    pub culled: bool,
    /// Sides that emit, if the material emits.
    pub emission: EmissionSides,
    /// Light group of shapes with this material, for passes.
    pub group: Option<Arc<str>>,
    /// Priority of the interior; by the shader if `None`.
    pub priority: Option<Priority>,
    /// Reference of indices of refraction.
    pub nesting: Nesting,
}

impl MaterialDesc {
    /// Material of a call with default settings: it scatters on both sides and emits from the front.
    pub fn of_call(name: String, span: Span, surface: Arc<ast::Expr>, usage: GroupUse) -> MaterialDesc {
        MaterialDesc {
            name,
            span,
            surface,
            usage,
            one_sided: false,
            culled: false,
            emission: EmissionSides::Front,
            group: None,
            displacement: None,
            displacement_mode: DisplacementMode::True,
            interior: None,
            priority: None,
            nesting: Nesting::Absolute,
        }
    }
}

/// Effect of a displacement shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DisplacementMode {
    /// Points move.
    #[default]
    True,
    /// Normals are those of the displaced surface, whose points stay.
    Bump,
    /// Points move, and normals have detail below the size of triangles.
    Both,
}

/// Sides of a surface that emit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmissionSides {
    /// Front side, into which the normal points.
    #[default]
    Front,
    /// Both sides.
    Both,
    /// No side: the shader's emission is ignored.
    Neither,
}

/// Source file of units and groups.
#[derive(Clone, Debug)]
pub struct ShaderFile {
    /// Id of the source.
    pub source: SourceId,
    /// Declarations of the file, scene declarations included.
    pub file: Arc<ast::File>,
}

/// Named texture, which shaders look up by this name, with a colour space.
#[derive(Clone, Debug)]
pub struct TextureDesc {
    /// Name of the texture, e.g. `ball.glb#image2`.
    pub name: String,
    /// File or bytes of the image.
    pub source: TextureSource,
    /// Colour space of the image's values.
    pub color_space: TextureColorSpace,
    /// File that contains the texture, for messages.
    pub file: PathBuf,
}
