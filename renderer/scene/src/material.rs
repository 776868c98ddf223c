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
    /// What is inside, in place of what the surface's shader says: a call as for the surface.
    pub interior: Option<Arc<ast::Expr>>,
    /// What the scene uses it for: the surface of shapes, the light of an environment, a medium.
    pub usage: GroupUse,
    /// True if the back of the surface does not scatter; straight-through transmission works from both sides.
    pub one_sided: bool,
    /// True if engines do not show the back of the surface; it is rendered nevertheless, but not baked.
    pub culled: bool,
    /// Sides that emit, if the material emits.
    pub emission: EmissionSides,
    /// Group of lights that shapes of it belong to, for passes.
    pub group: Option<Arc<str>>,
    /// Priority of what is inside; `None` leaves it to the shader.
    pub priority: Option<Priority>,
    /// What indices of refraction refer to.
    pub nesting: Nesting,
}

impl MaterialDesc {
    /// Material of a call that has no settings of its own: it scatters from both sides and emits from the front.
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
            interior: None,
            priority: None,
            nesting: Nesting::Absolute,
        }
    }
}

/// Sides of a surface that emit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmissionSides {
    /// Front side, into which the normal points.
    #[default]
    Front,
    /// Both sides.
    Both,
    /// No side, whatever the shader says.
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

/// Texture under a name of its own; a shader that looks up this name gets the texture in its colour space.
#[derive(Clone, Debug)]
pub struct TextureDesc {
    /// Name of the texture, e.g. `ball.glb#image2`.
    pub name: String,
    /// File or bytes of the image.
    pub source: TextureSource,
    /// Colour space of the image's values.
    pub color_space: TextureColorSpace,
    /// File that brings the texture, for messages.
    pub file: PathBuf,
}
