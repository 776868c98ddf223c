//! Passes: layers of a picture, by name.

use std::fmt;

use super::crypto::CryptoKind;
use super::expression::Expression;
use super::labels::LabelTable;
use super::parse::ExpressionError;

/// A layer of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassDesc {
    /// Name of the layer.
    pub name: String,
    /// Content.
    pub pass: Pass,
    /// Text of the content, as [`PassDesc::parse`] reads it after `NAME=`.
    pub what: String,
}

/// Content of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Light of some paths.
    Light(LightPass),
    /// A value of the first surface.
    Value(ValuePass),
    /// An output of the shader of the first surface, by its name.
    Shader(String),
    /// An attribute of the first surface, by its name.
    Attribute(String),
    /// Coverage by identifiers.
    Crypto(CryptoKind),
}

/// The light of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LightPass {
    /// Set of paths.
    pub paths: Paths,
    /// Part of their light.
    pub lighting: Lighting,
}

/// A set of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Paths that match an expression.
    Expression(String),
    /// Paths that end at a light of this group.
    Group(String),
    /// Paths that end at a light without group.
    NoGroup,
}

/// Part of the light of paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lighting {
    /// Light that arrives.
    #[default]
    Seen,
    /// Unoccluded light of light samples.
    Unoccluded,
    /// Occluded light of light samples.
    Shadow,
}

/// Values of the first surface on a ray, filtered like the picture; 0 if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValuePass {
    /// Coverage of the pixel.
    Alpha,
    /// Distance from the camera along its axis [m].
    Depth,
    /// Position in world space [m].
    Position,
    /// Shading normal in world space, on the viewer's side; of the reflected or transmitted surface for mirrors and clear
    /// glass.
    Normal,
    /// Geometric normal in world space, on the viewer's side.
    GeometricNormal,
    /// Texture coordinates.
    Uv,
    /// Albedo for the view direction; of the reflected or transmitted surface for mirrors and clear glass.
    Albedo,
    /// Albedo of the first surface, also of mirrors and glass.
    FirstAlbedo,
    /// Roughness of the strongest lobe: 0 is a mirror, 1 is diffuse.
    Roughness,
    /// Opacity of the first surface: 1 − straight-through transmittance.
    Opacity,
    /// Cosine between normal and view direction.
    Facing,
    /// Number of the object with the largest coverage, from 1; 0 for none.
    ObjectId,
    /// Number of the material with the largest coverage, from 1; 0 for none.
    MaterialId,
    /// Number of samples.
    Samples,
    /// Variance of the picture's value.
    Variance,
    /// Motion of the first surface in the picture, to the next frame (X, Y) and to the previous one (Z, W) [pixels].
    Motion,
}

impl ValuePass {
    /// Values with their names in files and the names of their channels.
    pub const ALL: [(ValuePass, &'static str, &'static [&'static str]); 16] = [
        (ValuePass::Alpha, "alpha", &["A"]),
        (ValuePass::Depth, "depth", &["Z"]),
        (ValuePass::Position, "P", XYZ),
        (ValuePass::Normal, "N", XYZ),
        (ValuePass::GeometricNormal, "Ng", XYZ),
        (ValuePass::Uv, "uv", &["U", "V"]),
        (ValuePass::Albedo, "albedo", RGB),
        (ValuePass::FirstAlbedo, "first_albedo", RGB),
        (ValuePass::Roughness, "roughness", Y),
        (ValuePass::Opacity, "opacity", RGB),
        (ValuePass::Facing, "facing", Y),
        (ValuePass::ObjectId, "object_id", Y),
        (ValuePass::MaterialId, "material_id", Y),
        (ValuePass::Samples, "samples", Y),
        (ValuePass::Variance, "variance", RGB),
        (ValuePass::Motion, "motion", &["X", "Y", "Z", "W"]),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// The names of its channels.
    pub fn channels(self) -> &'static [&'static str] {
        self.entry().2
    }

    fn entry(self) -> &'static (ValuePass, &'static str, &'static [&'static str]) {
        &ValuePass::ALL[self as usize]
    }

    fn named(name: &str) -> Option<ValuePass> {
        let found = ValuePass::ALL.iter().find(|(_, known, _)| *known == name);
        found.map(|&(value, ..)| value)
    }
}

const RGB: &[&str] = &["R", "G", "B"];
const XYZ: &[&str] = &["X", "Y", "Z"];
const Y: &[&str] = &["Y"];

/// Components, which add up to the picture, with their expressions.
pub const COMPONENTS: [(&str, &str); 10] = [
    ("emission", "C[LO]"),
    ("background", "CB"),
    ("direct_diffuse", "C<RD>[LBO]"),
    ("indirect_diffuse", "C<RD>.+[LBO]"),
    ("direct_specular", "C<R[GS]>[LBO]"),
    ("indirect_specular", "C<R[GS]>.+[LBO]"),
    ("direct_transmission", "C<T[DGS]>[LBO]"),
    ("indirect_transmission", "C<T[DGS]>.+[LBO]"),
    ("direct_volume", "CV[LBO]"),
    ("indirect_volume", "CV.+[LBO]"),
];

/// Parts of components that have names of their own, with their expressions.
const PARTS: [(&str, &str); 1] = [("subsurface", "C<RD'subsurface'>.*[LBO]")];

/// Prefix of the layers of light groups.
const GROUP_PREFIX: &str = "light_";

/// Layer of the light without group, and the name of their group in expressions.
pub const NO_GROUP: &str = "light_rest";

/// Reserved group name: its layer would be [`NO_GROUP`].
pub const REST: &str = "rest";

/// Layer of the picture before denoising.
const NOISY: &str = "noisy";

/// Maximum length of a layer name [bytes]: EXR readers reject channel names beyond 255 bytes, and a channel name is the
/// layer name, a dot and the channel's name.
const MAX_NAME_BYTES: usize = 200;

/// Error in a pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    /// Neither the name of a pass nor an expression.
    #[error("there is no pass `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The name of a layer has characters that are invalid in channel names.
    #[error("`{name}` cannot be the name of a layer: letters, digits, `_` and `-` can")]
    Name {
        /// The name.
        name: String,
    },
    /// The name of a layer is too long for files.
    #[error("the name of a layer has {0} characters, at most {MAX_NAME_BYTES} are possible")]
    LongName(usize),
    /// The name is reserved for a layer of denoising.
    #[error("`{NOISY}` is the layer of the picture before denoising")]
    Noisy,
    /// One name is given to several passes.
    #[error("`{what}` is several passes, which cannot have the name `{name}` together")]
    Several {
        /// The name.
        name: String,
        /// The passes.
        what: String,
    },
    /// Syntax error in an expression.
    #[error("`{expression}` is no light path expression: {error}")]
    Expression {
        /// The expression.
        expression: String,
        /// The error.
        error: ExpressionError,
    },
}

impl fmt::Display for PassDesc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.what)
    }
}

impl PassDesc {
    /// Parses `NAME`, several names with commas, or `NAME=WHAT`, where `WHAT` is the name of a pass or an expression,
    /// optionally after `unoccluded;` or `shadow;`. `components` and `crypto` are several passes.
    ///
    /// # Errors
    /// If there is no such pass, or the expression has a syntax error.
    pub fn parse(text: &str) -> Result<Vec<PassDesc>, PassError> {
        let (name, what) = match text.split_once('=') {
            Some((name, what)) => (Some(name.trim()), what.trim()),
            None => (None, text.trim()),
        };
        let is_list = what.contains(',') && !what.contains(['<', '{', '[', '\'']);
        match name {
            None if is_list => {
                let lists = what.split(',').map(PassDesc::parse);
                return Ok(lists.collect::<Result<Vec<_>, _>>()?.concat());
            }
            None => {
                if let Some(names) = several(what) {
                    return names.into_iter().map(|name| one(name, name)).collect();
                }
            }
            Some(name) if is_list || several(what).is_some() => {
                return Err(PassError::Several { name: name.to_owned(), what: what.to_owned() });
            }
            Some(_) => {}
        }
        let pass = Pass::parse(what)?;
        let name = name.map_or_else(|| layer_name(what), str::to_owned);
        check_name(&name)?;
        Ok(vec![PassDesc { name, pass, what: what.to_owned() }])
    }

    /// Names that [`PassDesc::parse`] accepts, for hints.
    pub fn known_names() -> impl Iterator<Item = &'static str> {
        let values = ValuePass::ALL.iter().map(|(_, name, _)| *name);
        let components = COMPONENTS.iter().chain(&PARTS).map(|(name, _)| *name);
        let crypto = CryptoKind::ALL.iter().map(|kind| kind.name());
        values.chain(components).chain(crypto).chain(["components", "crypto", NO_GROUP])
    }
}

/// Passes of a name that denotes several.
fn several(name: &str) -> Option<Vec<&'static str>> {
    match name {
        "components" => Some(COMPONENTS.iter().map(|(name, _)| *name).collect()),
        "crypto" => Some(CryptoKind::ALL.iter().map(|kind| kind.name()).collect()),
        _ => None,
    }
}

/// Validates the name of a layer.
fn check_name(name: &str) -> Result<(), PassError> {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(is_valid) {
        return Err(PassError::Name { name: name.to_owned() });
    }
    match name {
        _ if name.len() > MAX_NAME_BYTES => Err(PassError::LongName(name.chars().count())),
        NOISY => Err(PassError::Noisy),
        _ => Ok(()),
    }
}

fn one(name: &str, what: &str) -> Result<PassDesc, PassError> {
    Ok(PassDesc {
        name: name.to_owned(),
        pass: Pass::parse(what)?,
        what: what.to_owned(),
    })
}

/// Default name of a layer with this content.
fn layer_name(what: &str) -> String {
    let name = match what.split_once(':') {
        Some(("shader" | "attribute", name)) => name,
        _ => what,
    };
    name.replace(';', "_")
}

impl Pass {
    fn parse(what: &str) -> Result<Pass, PassError> {
        if let Some(value) = ValuePass::named(what) {
            return Ok(Pass::Value(value));
        }
        if let Some(kind) = CryptoKind::ALL.into_iter().find(|kind| kind.name() == what) {
            return Ok(Pass::Crypto(kind));
        }
        match what.split_once(':') {
            Some(("shader", name)) => return Ok(Pass::Shader(name.trim().to_owned())),
            Some(("attribute", name)) => return Ok(Pass::Attribute(name.trim().to_owned())),
            _ => {}
        }
        let (lighting, paths) = match what.split_once(';') {
            Some(("unoccluded", paths)) => (Lighting::Unoccluded, paths.trim()),
            Some(("shadow", paths)) => (Lighting::Shadow, paths.trim()),
            _ => (Lighting::Seen, what),
        };
        Ok(Pass::Light(LightPass { paths: Paths::parse(paths)?, lighting }))
    }

    /// Names of the channels; those of colours for shader outputs and attributes.
    pub fn channels(&self) -> &'static [&'static str] {
        match self {
            Pass::Light(_) | Pass::Shader(_) | Pass::Attribute(_) => RGB,
            Pass::Value(value) => value.channels(),
            Pass::Crypto(_) => &[],
        }
    }
}

impl Paths {
    fn parse(text: &str) -> Result<Paths, PassError> {
        if text == NO_GROUP {
            return Ok(Paths::NoGroup);
        }
        if let Some(group) = text.strip_prefix(GROUP_PREFIX) {
            return Ok(Paths::Group(group.to_owned()));
        }
        let component = COMPONENTS.iter().chain(&PARTS).find(|(name, _)| *name == text);
        let expression = component.map_or(text, |(_, expression)| expression);
        match Expression::parse(expression, &mut LabelTable::new()) {
            Ok(_) => Ok(Paths::Expression(expression.to_owned())),
            Err(_) if is_word(text) => Err(PassError::Unknown { name: text.to_owned() }),
            Err(error) => Err(PassError::Expression { expression: text.to_owned(), error }),
        }
    }
}

/// Returns whether a text looks like a name: expressions contain capitals or signs.
fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == ' ')
        && text.chars().any(char::is_lowercase)
}
