//! `kiln info --needs`: inputs that a unit, a group or a material requires (attributes, spaces, textures, kinds of
//! rays), and whether a scene has them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use shading::builtins::{Builtin, Global};
use shading::hir::{Code, Const, Op, Operand, Unit, walk};
use shading::{Diagnostics, InstanceOptions, RayKind, ShaderInstance, ShadingSystem, Template};

use renderer_geometry::Shape;
use renderer_scene::{MaterialId, SceneDesc};
use renderer_transport::material::{Host, has_attribute, is_space, is_standard};
use renderer_transport::scene::MaterialUnits;

/// Inputs that a shader with its defaults, or a material with its arguments, requires.
pub(super) struct Needs {
    name: String,
    /// True for a material of the scene, which is checked against its own shapes only.
    is_material: bool,
    attributes: Vec<AttributeNeed>,
    /// Names of spaces, and whether scenes have them.
    spaces: Vec<(String, bool)>,
    /// Files of textures, and whether they are found.
    textures: Vec<(String, bool)>,
    /// Files of point clouds, and whether they are found.
    clouds: Vec<(String, bool)>,
    /// Kinds of rays that change its result, other than camera rays.
    ray_kinds: Vec<&'static str>,
    globals: Vec<&'static str>,
    derivatives: bool,
    traces: bool,
}

/// An attribute that a shader reads by name.
struct AttributeNeed {
    name: String,
    /// True if the shader does without.
    optional: bool,
    /// True if all points have it.
    standard: bool,
    /// The shapes of the scene that have it, if there is a scene.
    shapes: Option<Vec<Arc<str>>>,
    /// The shapes of the material that lack it.
    lacking: Vec<Arc<str>>,
}

/// Shapes on which a shader is, or may be.
#[derive(Clone, Copy)]
pub(super) struct Users<'a> {
    scene: &'a SceneShapes,
    /// The material; `None` for every shape.
    material: Option<MaterialId>,
}

impl Needs {
    /// The inputs that each material of a scene requires, with its arguments.
    pub(super) fn of_materials(desc: &SceneDesc, scene: &SceneShapes) -> Result<Vec<Needs>, Diagnostics> {
        let units = MaterialUnits::new(desc, &[])?;
        let of_material = |index: usize| {
            let material = MaterialId(index as u32);
            let users = Users { scene, material: Some(material) };
            let template = units.template(material)?;
            let needs = Needs::of(units.system(), units.host(), &template, Some(users))?;
            Ok(Needs { name: desc.material(material).name.clone(), ..needs })
        };
        (0..desc.materials.len()).map(of_material).collect()
    }

    /// The inputs that a unit or group requires; `users` are the shapes of a scene, if there is one.
    pub(super) fn of(
        system: &ShadingSystem,
        host: &Host,
        template: &Template,
        users: Option<Users<'_>>,
    ) -> Result<Needs, Diagnostics> {
        let instance = |ray_kind| {
            let options = InstanceOptions { ray_kind, ..InstanceOptions::default() };
            system.instantiate(template.clone(), &options)
        };
        let whole: Arc<ShaderInstance> = instance(None)?;
        let known = whole.statistics();
        let mut ray_kinds = vec![];
        if known.reads_ray_kind {
            let camera = instance(Some(RayKind::CAMERA))?.statistics().fingerprint;
            for (name, kind) in RayKind::NAMES {
                if instance(Some(kind))?.statistics().fingerprint != camera {
                    ray_kinds.push(name);
                }
            }
        }
        let is_material = users.is_some_and(|users| users.material.is_some());
        let attributes = known.attributes.iter().map(|(name, optional)| AttributeNeed {
            name: name.clone(),
            optional: *optional,
            standard: is_standard(name),
            shapes: users.map(|users| users.names(|shape| has_attribute(shape, name))),
            lacking: match users {
                Some(users) if is_material => users.names(|shape| !has_attribute(shape, name)),
                Some(_) | None => vec![],
            },
        });
        let (unit, ..) = system.optimized(template, &InstanceOptions::default())?;
        let globals = Global::ALL.into_iter().filter(|global| known.reads_globals.contains(*global));
        Ok(Needs {
            name: template.name().to_owned(),
            is_material,
            attributes: attributes.collect(),
            spaces: (spaces(&unit).into_iter())
                .map(|name| (name.clone(), is_space(&name)))
                .collect(),
            textures: textures(&whole),
            clouds: (known.clouds.iter())
                .map(|name| (name.clone(), host.finds_cloud(name)))
                .collect(),
            ray_kinds,
            globals: globals.map(Global::name).collect(),
            derivatives: known.reads_derivatives,
            traces: unit.calls(Builtin::Trace),
        })
    }

    pub(super) fn text(&self) -> String {
        let kind = if self.is_material { "material " } else { "" };
        let mut text = format!("needs of {kind}\"{}\"\n", self.name);
        let mut line = |words: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {words}");
        };
        for attribute in &self.attributes {
            let optional = if attribute.optional { ", optional" } else { "" };
            let place = match &attribute.shapes {
                _ if attribute.standard => ": at all points".to_owned(),
                Some(shapes) if !shapes.is_empty() => format!(": on {}", shapes.join(", ")),
                Some(_) if attribute.lacking.is_empty() => ": on no shape".to_owned(),
                Some(_) | None => String::new(),
            };
            let lacking = match (&attribute.lacking[..], place.is_empty()) {
                ([], _) => String::new(),
                (names, true) => format!(": missing on {}", names.join(", ")),
                (names, false) => format!(", missing on {}", names.join(", ")),
            };
            line(&format!("attribute \"{}\"{optional}{place}{lacking}", attribute.name));
        }
        let files = [("space", &self.spaces), ("texture", &self.textures), ("point cloud", &self.clouds)];
        for (what, list) in files {
            for (name, is_found) in list {
                let missing = if *is_found { "" } else { ": not found" };
                line(&format!("{what} \"{name}\"{missing}"));
            }
        }
        if !self.ray_kinds.is_empty() {
            line(&format!("is not the same by rays of {}", self.ray_kinds.join(", ")));
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
                "lacking": attribute.lacking.iter().map(|name| json!(&**name)).collect::<Json>(),
            })
        };
        let file = |(file, is_found): &(String, bool)| json!({ "file": file, "found": is_found });
        let space = |(name, is_found): &(String, bool)| json!({ "name": name, "found": is_found });
        json!({
            "name": self.name,
            "material": self.is_material,
            "attributes": self.attributes.iter().map(attribute).collect::<Json>(),
            "spaces": self.spaces.iter().map(space).collect::<Json>(),
            "textures": self.textures.iter().map(file).collect::<Json>(),
            "clouds": self.clouds.iter().map(file).collect::<Json>(),
            "ray_kinds": self.ray_kinds,
            "globals": self.globals,
            "derivatives": self.derivatives,
            "traces": self.traces,
        })
    }
}

/// The shapes of a scene with their names and materials.
pub(super) struct SceneShapes {
    list: Vec<(Arc<str>, MaterialId, Shape)>,
}

impl SceneShapes {
    pub(super) fn of(desc: &SceneDesc) -> SceneShapes {
        let shutter = desc.film.shutter.instant();
        let shapes =
            (desc.shapes.iter()).map(|shape| (shape.name.clone(), shape.material, shape.build(&shutter)));
        SceneShapes { list: shapes.collect() }
    }

    /// Every shape.
    pub(super) fn all(&self) -> Users<'_> {
        Users { scene: self, material: None }
    }
}

impl Users<'_> {
    /// Names of the shapes of which something is true.
    fn names(&self, is_so: impl Fn(&Shape) -> bool) -> Vec<Arc<str>> {
        let users = self.scene.list.iter().filter(|(_, material, shape)| {
            self.material.is_none_or(|wanted| wanted == *material) && is_so(shape)
        });
        let mut names: Vec<Arc<str>> = users.map(|(name, ..)| name.clone()).collect();
        names.dedup();
        names
    }
}

/// The files of textures, each once, and whether they are found.
fn textures(instance: &ShaderInstance) -> Vec<(String, bool)> {
    let known = instance.statistics();
    let missing = || known.missing_textures.iter().map(|missing| &missing.name);
    let mut list: Vec<(String, bool)> = vec![];
    for file in known.textures.iter().map(|texture| &texture.request.file).chain(missing()) {
        if !list.iter().any(|(known, _)| known == file) {
            list.push((file.clone(), !missing().any(|missing| missing == file)));
        }
    }
    list
}

/// Names of the spaces that a linked unit uses.
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
