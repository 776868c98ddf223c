//! The option `--light`: replaces or extends the lights of a scene.

use std::path::Path;

use shading::Source;
use shading::syntax::ast::{Declaration, Expr, Path as NamePath};

use super::context::LoadContext;

/// Light that a user wants, besides what the scene says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lighting {
    /// What kind of light.
    pub kind: LightingKind,
    /// Whether the scene keeps its own lights.
    pub adds: bool,
}

/// The kinds of light that `--light` knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LightingKind {
    /// An environment without colour, brighter above than below.
    Neutral,
    /// Soft boxes in a dim room.
    Studio,
    /// A clear sky with its sun.
    Sky,
    /// A latitude-longitude image.
    Map(String),
}

impl Lighting {
    /// Reads `neutral`, `studio`, `sky` or the name of an image; a `+` before it keeps the scene's own lights.
    ///
    /// # Errors
    /// When it is neither a kind of light nor a file.
    pub fn parse(text: &str) -> Result<Lighting, String> {
        let (name, adds) = match text.strip_prefix('+') {
            Some(name) => (name, true),
            None => (text, false),
        };
        let map = || {
            Path::new(name)
                .is_file()
                .then(|| LightingKind::Map(name.to_owned()))
        };
        let kind = LightingKind::named(name)
            .or_else(map)
            .ok_or("it is neither `neutral`, `studio` nor `sky`, nor an image file (.hdr, .exr)")?;
        Ok(Lighting { kind, adds })
    }

    /// Takes the scene's own lights away, unless they are to stay, and adds this one. What models bring goes with
    /// [`Builder::keep_model_lights`](super::builder::Builder).
    pub(super) fn apply(&self, declarations: &mut Vec<Declaration>, context: &mut LoadContext) {
        if !self.adds {
            declarations.retain(|declaration| declaration.keyword.text != "light");
        }
        let mut name = NAME.to_owned();
        let taken = |name: &str| {
            declarations.iter().any(|declaration| {
                declaration.keyword.text == "light"
                    && declaration.target.as_ref().map(NamePath::joined).as_deref() == Some(name)
            })
        };
        while taken(&name) {
            name.push('_');
        }
        let mut light = self.kind.declaration(&name);
        // Names of files are relative to where the user is.
        light.set_span(context.add_source(Source::new("--light", self.kind.name()), Path::new("")));
        declarations.push(light);
    }
}

/// What lights are called that no scene has named.
const NAME: &str = "surroundings";

impl LightingKind {
    /// The kind of that name; none of them is of an image.
    pub fn named(name: &str) -> Option<LightingKind> {
        let kinds = [LightingKind::Neutral, LightingKind::Studio, LightingKind::Sky];
        kinds.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name on the command line.
    pub fn name(&self) -> &str {
        match self {
            LightingKind::Neutral => "neutral",
            LightingKind::Studio => "studio",
            LightingKind::Sky => "sky",
            LightingKind::Map(file) => file,
        }
    }

    /// The declaration of the light.
    fn declaration(&self, name: &str) -> Declaration {
        let light = Declaration::named("light", name);
        match self {
            LightingKind::Neutral => {
                let mut light = light.of_kind("environment");
                light.set("color", 1.2);
                light.set("ground", 0.3);
                light
            }
            LightingKind::Studio => light.of_kind("studio"),
            LightingKind::Sky => light.of_kind("sky"),
            LightingKind::Map(file) => {
                let mut light = light.of_kind("environment");
                light.set("map", Expr::string(file));
                light
            }
        }
    }
}

/// The light of a model that brings none.
pub(super) fn default_light() -> Declaration {
    LightingKind::Neutral.declaration(NAME)
}
