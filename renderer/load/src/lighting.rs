//! The option `--light`: replaces or extends the lights of a scene.

use std::path::Path;

use shading::Source;
use shading::syntax::ast::{Declaration, Expr, Path as NamePath};

use super::context::LoadContext;

/// Light chosen by the user, in place of the scene's lights or in addition to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lighting {
    /// Kind of light.
    pub kind: LightingKind,
    /// True if the scene keeps its own lights.
    pub adds: bool,
}

/// Kinds of light for `--light`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LightingKind {
    /// Colourless environment, brighter above than below.
    Neutral,
    /// Soft boxes in a dim room.
    Studio,
    /// Clear sky with its sun.
    Sky,
    /// Latitude-longitude image.
    Map(String),
}

impl Lighting {
    /// Parses `neutral`, `studio`, `sky` or the name of an image; a leading `+` keeps the scene's own lights.
    ///
    /// # Errors
    /// If the name is neither a kind of light nor a file.
    pub fn parse(text: &str) -> Result<Lighting, String> {
        let (name, adds) = match text.strip_prefix('+') {
            Some(name) => (name, true),
            None => (text, false),
        };
        let map = || Path::new(name).is_file().then(|| LightingKind::Map(name.to_owned()));
        let kind = LightingKind::named(name)
            .or_else(map)
            .ok_or("it is neither `neutral`, `studio` nor `sky`, nor an image file (.hdr, .exr)")?;
        Ok(Lighting { kind, adds })
    }

    /// Removes the scene's lights, unless they are kept, and adds this one.
    /// [`Builder::keep_model_lights`](super::builder::Builder) decides about the lights of models.
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
        // File names are relative to the working directory.
        light.set_span(context.add_source(Source::new("--light", self.kind.name()), Path::new("")));
        declarations.push(light);
    }
}

/// Name of lights that the scene file does not name.
const NAME: &str = "surroundings";

impl LightingKind {
    /// Kind of this name; `None` for an image.
    pub fn named(name: &str) -> Option<LightingKind> {
        let kinds = [LightingKind::Neutral, LightingKind::Studio, LightingKind::Sky];
        kinds.into_iter().find(|kind| kind.name() == name)
    }

    /// Name on the command line.
    pub fn name(&self) -> &str {
        match self {
            LightingKind::Neutral => "neutral",
            LightingKind::Studio => "studio",
            LightingKind::Sky => "sky",
            LightingKind::Map(file) => file,
        }
    }

    /// Declaration of the light.
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

/// Light for models without lights.
pub(super) fn default_light() -> Declaration {
    LightingKind::Neutral.declaration(NAME)
}
