//! Passes: what the layers of a picture show, by name.

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
    /// What it shows.
    pub pass: Pass,
    /// The text that says so: [`PassDesc::parse`] reads it after `NAME=`.
    pub what: String,
}

/// What a layer shows.
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
    /// Which paths.
    pub paths: Paths,
    /// Which part of their light.
    pub lighting: Lighting,
}

/// A set of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Those that an expression describes.
    Expression(String),
    /// Those that end at a light of this group.
    Group(String),
    /// Those that end at a light of no group.
    NoGroup,
}

/// Which part of the light of paths a layer shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lighting {
    /// What arrives.
    #[default]
    Seen,
    /// What would arrive if nothing were between the surface and the light.
    Unoccluded,
    /// What does not arrive because something is between.
    Shadow,
}

/// Values of the first surface that a ray hits, filtered as the picture is; 0 where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValuePass {
    /// Share of the pixel that is covered.
    Alpha,
    /// Distance from the camera along its axis [m].
    Depth,
    /// Position in world space [m].
    Position,
    /// Shading normal in world space, on the viewer's side; in mirrors and through glass that of what is seen there.
    Normal,
    /// Geometric normal in world space, on the viewer's side.
    GeometricNormal,
    /// Texture coordinates.
    Uv,
    /// Reflectance for the view direction; in mirrors and through glass that of what is seen there.
    Albedo,
    /// Reflectance of the first surface, mirrors and glass included.
    FirstAlbedo,
    /// Roughness of the strongest lobe: 0 is a mirror, 1 is diffuse.
    Roughness,
    /// Opacity of the first surface: what does not pass straight through.
    Opacity,
    /// Cosine between normal and view direction.
    Facing,
    /// Number of the object that covers most, from 1; 0 for none.
    ObjectId,
    /// Number of the material that covers most, from 1; 0 for none.
    MaterialId,
    /// Number of samples.
    Samples,
    /// Variance of the picture's value.
    Variance,
}

impl ValuePass {
    /// All values, with their names in files and the names of their channels.
    pub const ALL: [(ValuePass, &'static str, &'static [&'static str]); 15] = [
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

/// The components that together are the picture, with their expressions.
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

/// Name of the layer of light that is in no group, and of their group in expressions.
pub const NO_GROUP: &str = "light_rest";

/// What no group can be called, since its layer would be [`NO_GROUP`].
pub const REST: &str = "rest";

/// Layer of the picture before denoising.
const NOISY: &str = "noisy";

/// Most bytes of the name of a layer: EXR readers refuse names of channels beyond 255, and a channel is called as its layer,
/// with a dot and its own name.
const LONGEST_NAME: usize = 200;

/// A mistake in a pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    /// No pass has this name, and it is no expression.
    #[error("there is no pass `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The name of a layer has characters that names of channels cannot have.
    #[error("`{name}` cannot be the name of a layer: letters, digits, `_` and `-` can")]
    Name {
        /// The name.
        name: String,
    },
    /// The name of a layer is longer than files can have it.
    #[error("the name of a layer has {0} characters, at most {LONGEST_NAME} are possible")]
    LongName(usize),
    /// The name is that of a layer that denoising adds.
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
    /// The expression has a mistake.
    #[error("`{expression}` is no light path expression: {error}")]
    Expression {
        /// The expression.
        expression: String,
        /// The mistake.
        error: ExpressionError,
    },
}

impl fmt::Display for PassDesc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.what)
    }
}

impl PassDesc {
    /// Reads `NAME`, several with commas, or `NAME=WHAT`, where `WHAT` is the name of a pass or an expression, perhaps after `unoccluded;` or
    /// `shadow;`; `components` and `crypto` are several passes.
    ///
    /// # Errors
    /// When there is no such pass or the expression has a mistake.
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
                return Err(PassError::Several {
                    name: name.to_owned(),
                    what: what.to_owned(),
                });
            }
            Some(_) => {}
        }
        let pass = Pass::parse(what)?;
        let name = name.map_or_else(|| layer_name(what), str::to_owned);
        check_name(&name)?;
        Ok(vec![PassDesc {
            name,
            pass,
            what: what.to_owned(),
        }])
    }

    /// The names that [`PassDesc::parse`] knows, for hints.
    pub fn known_names() -> impl Iterator<Item = &'static str> {
        let values = ValuePass::ALL.iter().map(|(_, name, _)| *name);
        let components = COMPONENTS.iter().chain(&PARTS).map(|(name, _)| *name);
        let crypto = CryptoKind::ALL.iter().map(|kind| kind.name());
        values
            .chain(components)
            .chain(crypto)
            .chain(["components", "crypto", NO_GROUP])
    }
}

/// The passes that a name stands for, if they are several.
fn several(name: &str) -> Option<Vec<&'static str>> {
    match name {
        "components" => Some(COMPONENTS.iter().map(|(name, _)| *name).collect()),
        "crypto" => Some(CryptoKind::ALL.iter().map(|kind| kind.name()).collect()),
        _ => None,
    }
}

/// Fails if no layer of a file can have this name.
fn check_name(name: &str) -> Result<(), PassError> {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(is_valid) {
        return Err(PassError::Name {
            name: name.to_owned(),
        });
    }
    match name {
        _ if name.len() > LONGEST_NAME => Err(PassError::LongName(name.chars().count())),
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

/// The name of a layer that shows this.
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
        Ok(Pass::Light(LightPass {
            paths: Paths::parse(paths)?,
            lighting,
        }))
    }

    /// The names of its channels; those of shader outputs and attributes are the ones that colours have.
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
            Err(_) if is_word(text) => Err(PassError::Unknown {
                name: text.to_owned(),
            }),
            Err(error) => Err(PassError::Expression {
                expression: text.to_owned(),
                error,
            }),
        }
    }
}

/// Returns whether a text is meant as a name: expressions have capitals, or signs.
fn is_word(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == ' ')
        && text.chars().any(char::is_lowercase)
}
