//! Materials. Their directions are those of Embree's path tracer, with the nearest units of Kiln.

use shading::syntax::ast::{Declaration, Expr};

use super::array::{child, three};
use super::reader::{Element, Reader};
use crate::call::Call;
use crate::scene_value::{color, number};
use crate::xml;

/// Parameters of a material.
struct Parameters<'a>(Option<Element<'a>>);

impl<'a> Reader<'a> {
    /// Name of the material of a shape.
    pub(super) fn material_of(&mut self, shape: Element<'a>) -> Option<String> {
        let element = child(shape, "material")?;
        let id = element.attribute("id").unwrap_or_default();
        if let Some(name) = self.materials.get(id) {
            return Some(name.clone());
        }
        let name = self.material(element, if id.is_empty() { "material" } else { id });
        if !id.is_empty() {
            self.materials.insert(id, name.clone());
        }
        Some(name)
    }

    /// Declares a material and returns its name.
    pub(super) fn material(&mut self, element: Element<'a>, name: &str) -> String {
        let code = child(element, "code").and_then(|code| code.text()).unwrap_or_default();
        let parameters = Parameters(child(element, "parameters"));
        let kind = code.trim().trim_matches('"');
        let surface = surface(kind, &parameters).unwrap_or_else(|| {
            self.missing(element, &format!("the material `{kind}`"));
            Call::new("matte").with("albedo", 0.5).finish()
        });
        let textures = parameters.0.into_iter().flat_map(|list| list.children());
        if let Some(texture) = textures
            .into_iter()
            .find(|entry| entry.tag_name().name().starts_with("texture"))
        {
            self.missing(texture, "the texture of a material");
        }
        let mut material = Declaration::named("material", self.names.unique(name));
        material.value = Some(surface);
        let name = material.target.as_ref().map_or_else(String::new, |target| target.joined());
        self.declare(material, element);
        name
    }
}

/// The call of a unit; `None` for an unknown material.
fn surface(kind: &str, parameters: &Parameters<'_>) -> Option<Expr> {
    let tint = |name: &str| color(parameters.color(name, 1.0));
    Some(match kind {
        "Matte" => Call::new("matte").with("albedo", tint("reflectance")).finish(),
        "Mirror" => Call::new("mirror_surface").with("tint", tint("reflectance")).finish(),
        "OBJ" => obj(parameters, ["Kd", "Ks", "Ns"]),
        "OBJMaterial" => obj(parameters, ["kd", "ks", "ns"]),
        "Metal" => Call::new("metal")
            .with("eta", color(parameters.color("eta", 1.4)))
            .with("extinction", color(parameters.color("k", 0.0)))
            .with("tint", tint("reflectance"))
            .with("alpha", number(alpha(1.0 / parameters.number("roughness", 0.01).max(1e-6))))
            .finish(),
        "Dielectric" => Call::new("glass")
            .with(
                "ior",
                number(parameters.number("etaInside", 1.4) / parameters.number("etaOutside", 1.0)),
            )
            .with("attenuation_color", tint("transmission"))
            .with("attenuation_distance", 1)
            .finish(),
        "ThinDielectric" | "ThinGlass" => Call::new("thin_glass")
            .with("ior", number(parameters.number("eta", 1.4)))
            .with("transmission_tint", tint("transmission"))
            .finish(),
        _ => return None,
    })
}

/// Diffuse reflection with a highlight and an opacity.
fn obj(parameters: &Parameters<'_>, [diffuse, specular, exponent]: [&str; 3]) -> Expr {
    let highlight = parameters.color(specular, 0.0);
    let call = Call::new("gltf_pbr")
        .with("base_color", color(parameters.color(diffuse, 1.0)))
        .with("metallic", 0);
    let call = match highlight == [0.0; 3] {
        true => call.with("specular", 0),
        // The roughness of gltf_pbr is the square root of α.
        false => call
            .with("specular_color", color(highlight))
            .with("roughness", number(alpha(parameters.number(exponent, 10.0)).sqrt())),
    };
    match parameters.number("d", 1.0) {
        1.0 => call.finish(),
        opacity => call
            .with("alpha", number(opacity))
            .with("alpha_mode", Expr::string("blend"))
            .finish(),
    }
}

/// Roughness of a power of a cosine (Walter et al. 2007, equation 39).
fn alpha(exponent: f64) -> f64 {
    (2.0 / (exponent.max(0.0) + 2.0)).sqrt()
}

impl<'a> Parameters<'a> {
    fn text(&self, name: &str) -> Option<&'a str> {
        let mut entries = self.0?.children();
        entries.find(|entry| entry.attribute("name") == Some(name))?.text()
    }

    fn color(&self, name: &str, default: f64) -> [f64; 3] {
        self.text(name).and_then(three).unwrap_or([default; 3])
    }

    fn number(&self, name: &str, default: f64) -> f64 {
        self.text(name).and_then(|text| xml::number(text).ok()).unwrap_or(default)
    }
}
