//! `kiln info --needs`: what a unit or group asks of where it is used (attributes, spaces, textures, kinds of rays), and
//! whether a scene has it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use shading::builtins::{Builtin, Global};
use shading::hir::{Code, Const, Op, Operand, Unit, walk};
use shading::{Diagnostics, InstanceOptions, RayKind, ShaderInstance, ShadingSystem, Template};

use renderer_geometry::Shape;
use renderer_scene::SceneDesc;
use renderer_transport::material::{has_attribute, is_standard};

/// What a shader with its defaults asks for.
pub(super) struct Needs {
    name: String,
    attributes: Vec<AttributeNeed>,
    /// Names of spaces.
    spaces: BTreeSet<String>,
    /// Files of textures, and whether they are found.
    textures: Vec<(String, bool)>,
    /// Files of point clouds.
    clouds: BTreeSet<String>,
    /// Kinds of rays by which it is not the same as by rays of the camera.
    ray_kinds: Vec<&'static str>,
    globals: Vec<&'static str>,
    derivatives: bool,
    traces: bool,
}

/// An attribute that is asked for by name.
struct AttributeNeed {
    name: String,
    /// True if the shader does without.
    optional: bool,
    /// True if all points have it.
    standard: bool,
    /// The shapes of the scene that have it, if there is a scene.
    shapes: Option<Vec<Arc<str>>>,
}

impl Needs {
    pub(super) fn of(
        system: &ShadingSystem,
        template: &Template,
        scene: Option<&SceneShapes>,
    ) -> Result<Needs, Diagnostics> {
        let instance = |ray_kind| {
            let options = InstanceOptions {
                ray_kind,
                ..InstanceOptions::default()
            };
            system.instantiate(template.clone(), &options)
        };
        let whole: Arc<ShaderInstance> = instance(None)?;
        let known = whole.statistics();
        let mut ray_kinds = vec![];
        if known.asks_ray_kind {
            let camera = instance(Some(RayKind::CAMERA))?.statistics().fingerprint;
            for (name, kind) in RayKind::NAMES {
                if instance(Some(kind))?.statistics().fingerprint != camera {
                    ray_kinds.push(name);
                }
            }
        }
        let attributes = known.attributes.iter().map(|(name, optional)| AttributeNeed {
            name: name.clone(),
            optional: *optional,
            standard: is_standard(name),
            shapes: scene.map(|scene| scene.having(name)),
        });
        let is_missing = |file: &str| known.missing_textures.iter().any(|missing| missing.name == file);
        let mut textures: Vec<(String, bool)> = vec![];
        for texture in &known.textures {
            let file = &texture.request.file;
            if !textures.iter().any(|(known, _)| known == file) {
                textures.push((file.clone(), !is_missing(file)));
            }
        }
        for missing in &known.missing_textures {
            if !textures.iter().any(|(known, _)| *known == missing.name) {
                textures.push((missing.name.clone(), false));
            }
        }
        let (unit, ..) = system.optimized(template, &InstanceOptions::default())?;
        let globals = Global::ALL
            .into_iter()
            .filter(|global| known.reads_globals.contains(*global));
        Ok(Needs {
            name: template.name().to_owned(),
            attributes: attributes.collect(),
            spaces: spaces(&unit),
            textures,
            clouds: known.clouds.clone(),
            ray_kinds,
            globals: globals.map(Global::name).collect(),
            derivatives: known.asks_derivatives,
            traces: unit.calls(Builtin::Trace),
        })
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("needs of \"{}\"\n", self.name);
        let mut line = |words: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {words}");
        };
        for attribute in &self.attributes {
            let optional = if attribute.optional { ", optional" } else { "" };
            let place = match &attribute.shapes {
                _ if attribute.standard => ": at all points".to_owned(),
                Some(shapes) if shapes.is_empty() => ": on no shape".to_owned(),
                Some(shapes) => format!(": on {}", shapes.join(", ")),
                None => String::new(),
            };
            line(&format!("attribute \"{}\"{optional}{place}", attribute.name));
        }
        for space in &self.spaces {
            line(&format!("space \"{space}\""));
        }
        for (file, is_found) in &self.textures {
            let missing = if *is_found { "" } else { ": not found" };
            line(&format!("texture \"{file}\"{missing}"));
        }
        for cloud in &self.clouds {
            line(&format!("point cloud \"{cloud}\""));
        }
        if !self.ray_kinds.is_empty() {
            line(&format!(
                "is not the same by rays of {}",
                self.ray_kinds.join(", ")
            ));
        }
        if !self.globals.is_empty() {
            line(&format!("globals {}", self.globals.join(", ")));
        }
        if self.derivatives {
            line("derivatives of globals");
        }
        if self.traces {
            line("rays that it traces");
        }
        if text.lines().count() == 1 {
            text.push_str("    nothing\n");
        }
        text
    }

    pub(super) fn json(&self) -> Json {
        let attribute = |attribute: &AttributeNeed| {
            json!({
                "name": attribute.name,
                "optional": attribute.optional,
                "standard": attribute.standard,
                "shapes": attribute.shapes.as_ref().map(|shapes| {
                    shapes.iter().map(|name| json!(&**name)).collect::<Json>()
                }),
            })
        };
        let texture = |(file, is_found): &(String, bool)| json!({ "file": file, "found": is_found });
        json!({
            "name": self.name,
            "attributes": self.attributes.iter().map(attribute).collect::<Json>(),
            "spaces": self.spaces,
            "textures": self.textures.iter().map(texture).collect::<Json>(),
            "clouds": self.clouds,
            "ray_kinds": self.ray_kinds,
            "globals": self.globals,
            "derivatives": self.derivatives,
            "traces": self.traces,
        })
    }
}

/// The shapes of a scene with their names.
pub(super) struct SceneShapes {
    list: Vec<(Arc<str>, Shape)>,
}

impl SceneShapes {
    pub(super) fn of(desc: &SceneDesc) -> SceneShapes {
        let shapes = desc
            .shapes
            .iter()
            .map(|shape| (shape.name.clone(), shape.build()));
        SceneShapes {
            list: shapes.collect(),
        }
    }

    /// Names of the shapes that have an attribute.
    fn having(&self, attribute: &str) -> Vec<Arc<str>> {
        let having = self
            .list
            .iter()
            .filter(|(_, shape)| has_attribute(shape, attribute));
        let mut names: Vec<Arc<str>> = having.map(|(name, _)| name.clone()).collect();
        names.dedup();
        names
    }
}

/// Names of the spaces that a linked unit asks for.
fn spaces(unit: &Unit) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let functions = unit.functions.values().map(|function| &function.code);
    for code in functions.chain([&unit.code]) {
        walk::ops(&code.body, &mut |op, args| {
            if matches!(op, Op::Builtin(Builtin::SpaceMatrix | Builtin::IsSpace)) {
                found.extend(args.iter().filter_map(|arg| text(code, *arg)));
            }
        });
    }
    // Points are in this space before they are elsewhere.
    found.remove("common");
    found.remove("world");
    found
}

fn text(code: &Code, operand: Operand) -> Option<String> {
    let Operand::Const(id) = operand else { return None };
    match &code.consts[id] {
        Const::String(text) => Some(text.to_string()),
        _ => None,
    }
}
