//! Translation of `bsdf` objects to nested calls of shipped units.
//!
//! In Mitsuba most surfaces scatter only on the side of their normal, unless `twosided` is used; Kiln materials have
//! the key `one_sided` for this.

use shading::syntax::ast::Expr;

use super::color::Use;
use super::document::{ObjectId, PropertyValue};
use super::translator::Translator;
use crate::call::Call;
use crate::scene_value::{number, triple};

const BSDFS: &[&str] = &[
    "diffuse",
    "dielectric",
    "thindielectric",
    "roughdielectric",
    "conductor",
    "roughconductor",
    "plastic",
    "roughplastic",
    "principled",
    "principledthin",
    "twosided",
    "mask",
    "blendbsdf",
    "bumpmap",
    "normalmap",
    "null",
];

/// Call of a diffuse grey.
fn matte(albedo: f64) -> Expr {
    Call::new("matte").with("albedo", number(albedo)).finish()
}

/// Translated surface.
#[derive(Clone, Debug)]
pub(super) struct BsdfCall {
    /// Call of the surface, the same for both sides.
    pub(super) call: Expr,
    /// True if the back is black.
    pub(super) front_only: bool,
    is_black: bool,
}

impl BsdfCall {
    fn front(call: Expr) -> BsdfCall {
        BsdfCall { call, front_only: true, is_black: false }
    }

    fn both(call: Expr) -> BsdfCall {
        BsdfCall { front_only: false, ..BsdfCall::front(call) }
    }

    /// Default of shapes without a material.
    pub(super) fn grey() -> BsdfCall {
        BsdfCall::front(matte(0.5))
    }

    /// Default of emitters without a material.
    pub(super) fn black() -> BsdfCall {
        BsdfCall { is_black: true, ..BsdfCall::front(matte(0.0)) }
    }

    /// No surface: light goes through.
    pub(super) fn none() -> BsdfCall {
        BsdfCall::both(Call::new("cutout").with("opacity", 0).finish())
    }

    /// Call of the surface; `None` if it only emits.
    pub(super) fn scattering_call(&self) -> Option<Expr> {
        (!self.is_black).then(|| self.call.clone())
    }

    /// Call of the surface as a part of a surface with two-sided parts.
    fn on_its_sides(self) -> Expr {
        if self.front_only {
            Call::new("sides").with("front", self.call).finish()
        } else {
            self.call
        }
    }
}

impl Translator<'_> {
    /// Translates a bsdf with the normal `n`, an expression, or with the surface's own normal.
    pub(super) fn bsdf(&mut self, id: ObjectId, n: Option<&Expr>) -> BsdfCall {
        self.bounded(id, |translator| translator.any_bsdf(id, n), |surface| &surface.call)
            .unwrap_or_else(BsdfCall::grey)
    }

    fn any_bsdf(&mut self, id: ObjectId, n: Option<&Expr>) -> BsdfCall {
        self.mark_translated(id);
        let own = || n.cloned();
        match self.object(id).plugin.as_str() {
            "diffuse" => {
                let albedo = self.color_argument(id, "reflectance", [0.5; 3], Use::Reflectance);
                BsdfCall::front(Call::new("matte").with("albedo", albedo).with_optional("n", own()).finish())
            }
            "dielectric" => self.dielectric(id, Call::new("glass"), own()),
            "roughdielectric" => {
                let call = Call::new("glass");
                let call = self.roughness(id, call);
                self.dielectric(id, call, own())
            }
            "thindielectric" => self.dielectric(id, Call::new("thin_glass"), own()),
            "conductor" => self.conductor(id, false, own()),
            "roughconductor" => self.conductor(id, true, own()),
            "plastic" => self.plastic(id, false, own()),
            "roughplastic" => self.plastic(id, true, own()),
            "principled" => self.principled(id, own()),
            "principledthin" => self.principled_thin(id, own()),
            "twosided" => self.twosided(id, n),
            "mask" => self.mask(id, n),
            "blendbsdf" => self.blend(id, n),
            plugin @ ("normalmap" | "bumpmap") => {
                if n.is_some() {
                    let place = self.object(id).place;
                    let message = format!(
                        "this `{plugin}` is within another, which has no effect on it: one alone bends normals"
                    );
                    self.missing(place, message);
                }
                match plugin {
                    "normalmap" => self.normal_map(id),
                    _ => self.bump_map(id),
                }
            }
            "null" => BsdfCall::none(),
            _ => {
                self.unknown_plugin(id, BSDFS, "; replaced by a grey diffuse surface");
                BsdfCall::both(matte(0.5))
            }
        }
    }

    /// Relative index of refraction: inside over outside.
    fn ior(&mut self, id: ObjectId, inside: &str) -> Expr {
        let [int, ext] =
            [("int_ior", inside), ("ext_ior", "air")].map(|(name, default)| self.index(id, name, default));
        if int > 0.0 && ext > 0.0 {
            return number(int / ext);
        }
        let place = self.object(id).place;
        self.error(place, "indices of refraction are to be more than 0");
        number(1.5)
    }

    fn index(&mut self, id: ObjectId, name: &str, default: &str) -> f64 {
        let material = match self.find(id, name) {
            Some((PropertyValue::Float(value), _)) => return *value,
            Some((PropertyValue::Integer(value), _)) => return *value as f64,
            Some((PropertyValue::Text(material), _)) => material.as_str(),
            Some((_, place)) => {
                self.wrong_type::<()>(place, name, "a number or the name of a material");
                return 1.5;
            }
            None => default,
        };
        self.named_index(id, name, material)
    }

    fn dielectric(&mut self, id: ObjectId, call: Call, n: Option<Expr>) -> BsdfCall {
        let ior = self.ior(id, "bk7");
        let reflection = self.given_color(id, "specular_reflectance", Use::Reflectance);
        let transmission = self.given_color(id, "specular_transmittance", Use::Reflectance);
        let call = call
            .with("ior", ior)
            .with_optional("reflection_tint", reflection)
            .with_optional("transmission_tint", transmission);
        BsdfCall::both(call.with_optional("n", n).finish())
    }

    /// Adds the arguments for `alpha`, or `alpha_u` and `alpha_v`, and for the distribution.
    fn roughness(&mut self, id: ObjectId, call: Call) -> Call {
        let uneven = self.has(id, "alpha_u") || self.has(id, "alpha_v");
        let call = if uneven {
            let [u, v] = ["alpha_u", "alpha_v"].map(|name| self.alpha(id, name));
            if u == v {
                call.with("alpha", u)
            } else {
                self.lookups += 1;
                call.with("alpha_u", u).with("alpha_v", v)
            }
        } else {
            let alpha = self.alpha(id, "alpha");
            call.with("alpha", alpha)
        };
        self.distribution(id, call.with("energy_compensation", 0))
    }

    fn alpha(&mut self, id: ObjectId, name: &str) -> Expr {
        self.given_float(id, name, Use::Unbounded).unwrap_or_else(|| number(0.1))
    }

    fn distribution(&mut self, id: ObjectId, call: Call) -> Call {
        self.ignore(id, &["sample_visible"]);
        match self
            .text(id, "distribution")
            .unwrap_or("beckmann")
            .to_ascii_lowercase()
            .as_str()
        {
            "ggx" => call,
            "beckmann" => call.with("distribution", Expr::string("beckmann")),
            other => {
                let place = self.place_of(id, "distribution");
                self.error(place, format!("`distribution` is `beckmann` or `ggx`, not `{other}`"));
                call
            }
        }
    }

    fn conductor(&mut self, id: ObjectId, rough: bool, n: Option<Expr>) -> BsdfCall {
        let given = self.has(id, "eta") || self.has(id, "k");
        let mut call = Call::new("metal");
        match self.text(id, "material").unwrap_or("none").to_owned() {
            material if given || material == "none" => {
                let eta = self.color_argument(id, "eta", [0.0; 3], Use::Unbounded);
                let k = self.color_argument(id, "k", [1.0; 3], Use::Unbounded);
                call = call.with("eta", eta).with("extinction", k);
            }
            material => {
                let [eta, k] = self.named_metal(id, &material);
                call = call.with("eta", eta).with("extinction", k);
            }
        }
        call = if rough { self.roughness(id, call) } else { call };
        let tint = self.given_color(id, "specular_reflectance", Use::Reflectance);
        BsdfCall::front(call.with_optional("tint", tint).with_optional("n", n).finish())
    }

    fn plastic(&mut self, id: ObjectId, rough: bool, n: Option<Expr>) -> BsdfCall {
        let albedo = self.color_argument(id, "diffuse_reflectance", [0.5; 3], Use::Reflectance);
        let ior = self.ior(id, "polypropylene");
        let mut call = Call::new("coated_diffuse").with("albedo", albedo).with("ior", ior);
        if rough {
            let alpha = self.alpha(id, "alpha");
            call = call.with("alpha", alpha).with("energy_compensation", 0);
            call = self.distribution(id, call);
        } else {
            call = call.with("alpha", 0);
        }
        let specular = self.given_color(id, "specular_reflectance", Use::Reflectance);
        call = call.with_optional("specular", specular);
        if self.boolean(id, "nonlinear") == Some(true) {
            call = call.with("nonlinear", 1);
        }
        BsdfCall::front(call.with_optional("n", n).finish())
    }

    fn principled(&mut self, id: ObjectId, n: Option<Expr>) -> BsdfCall {
        let call =
            self.principled_call(id, "principled", &["specular", "clearcoat", "clearcoat_gloss", "metallic"]);
        let refracts = self.refracts(id);
        let rates = [
            "main_specular_sampling_rate",
            "clearcoat_sampling_rate",
            "diffuse_reflectance_sampling_rate",
        ];
        self.ignore(id, &rates);
        let call = call.with_optional("n", n).finish();
        if refracts { BsdfCall::both(call) } else { BsdfCall::front(call) }
    }

    /// Returns whether a `principled` transmits light; its back is black if `spec_trans` is 0.
    fn refracts(&mut self, id: ObjectId) -> bool {
        match self.find(id, "spec_trans") {
            Some((PropertyValue::Float(share), _)) => *share != 0.0,
            Some((PropertyValue::Integer(share), _)) => *share != 0,
            share => share.is_some(),
        }
    }

    fn principled_thin(&mut self, id: ObjectId, n: Option<Expr>) -> BsdfCall {
        let call = self.principled_call(id, "principled_thin", &["diff_trans"]);
        let rates = [
            "specular_reflectance_sampling_rate",
            "specular_transmittance_sampling_rate",
            "diffuse_transmittance_sampling_rate",
            "diffuse_reflectance_sampling_rate",
        ];
        self.ignore(id, &rates);
        BsdfCall::both(call.with_optional("n", n).finish())
    }

    fn principled_call(&mut self, id: ObjectId, unit: &'static str, own: &[&str]) -> Call {
        let albedo = self.color_argument(id, "base_color", [0.5; 3], Use::Reflectance);
        let mut call = Call::new(unit).with("base_color", albedo).with("published", 1);
        let common = [
            "roughness",
            "anisotropic",
            "eta",
            "spec_tint",
            "spec_trans",
            "sheen",
            "sheen_tint",
            "flatness",
        ];
        if self.has(id, "anisotropic") {
            self.lookups += 1;
        }
        for name in common.iter().chain(own) {
            let value = self.given_float(id, name, Use::Unbounded);
            call = call.with_optional(name, value);
        }
        call
    }

    /// Returns the nested bsdf of a bsdf that holds exactly one; reports an error otherwise.
    fn nested(&mut self, id: ObjectId) -> Option<ObjectId> {
        match self.parts(id, "bsdf")[..] {
            [nested] => Some(nested),
            _ => {
                let (place, plugin) = (self.object(id).place, &self.object(id).plugin);
                self.error(place, format!("a bsdf of type `{plugin}` holds one other bsdf"));
                None
            }
        }
    }

    fn twosided(&mut self, id: ObjectId, n: Option<&Expr>) -> BsdfCall {
        self.ignore(id, &["allow_transmission"]);
        let sides: Vec<_> = self.parts(id, "bsdf").into_iter().map(|side| self.front_of(side)).collect();
        match sides[..] {
            [both] => BsdfCall { front_only: false, ..self.bsdf(both, n) },
            [front, back] => {
                let [front, back] = [front, back].map(|side| self.bsdf(side, n).call);
                BsdfCall::both(Call::new("sides").with("front", front).with("back", back).finish())
            }
            _ => {
                let place = self.object(id).place;
                self.error(place, "`twosided` holds one bsdf, or one for each side");
                BsdfCall::grey()
            }
        }
    }

    /// Front side of nested `twosided` objects, where one is a side of another.
    fn front_of(&mut self, mut id: ObjectId) -> ObjectId {
        while self.object(id).plugin == "twosided" {
            self.mark_translated(id);
            self.ignore(id, &["allow_transmission"]);
            let Some(&front) = self.parts(id, "bsdf").first() else {
                break;
            };
            id = front;
        }
        id
    }

    fn mask(&mut self, id: ObjectId, n: Option<&Expr>) -> BsdfCall {
        let Some(nested) = self.nested(id) else {
            return BsdfCall::grey();
        };
        let base = self.bsdf(nested, n);
        let opacity = self.given_float(id, "opacity", Use::Reflectance).unwrap_or_else(|| number(0.5));
        let call = Call::new("cutout").with("base", base.call).with("opacity", opacity).finish();
        BsdfCall { call, is_black: false, ..base }
    }

    fn blend(&mut self, id: ObjectId, n: Option<&Expr>) -> BsdfCall {
        let &[a, b] = &self.parts(id, "bsdf")[..] else {
            let place = self.object(id).place;
            self.error(place, "a blendbsdf holds two bsdfs");
            return BsdfCall::grey();
        };
        let [a, b] = [a, b].map(|part| self.bsdf(part, n));
        let amount = self.given_float(id, "weight", Use::Reflectance).unwrap_or_else(|| {
            let place = self.object(id).place;
            self.error(place, "a blendbsdf needs a `weight`");
            number(0.5)
        });
        let front_only = a.front_only && b.front_only;
        let [a, b] = [a, b].map(|part| if front_only { part.call } else { part.on_its_sides() });
        let call = Call::new("blend").with("a", a).with("b", b).with("amount", amount).finish();
        BsdfCall { call, front_only, is_black: false }
    }

    /// Texture of a normal or bump map: the only texture of the bsdf.
    fn relief(&mut self, id: ObjectId) -> Option<ObjectId> {
        match self.parts(id, "texture")[..] {
            [texture] if self.object(texture).plugin == "bitmap" => {
                self.mark_translated(texture);
                Some(texture)
            }
            [texture] => {
                let place = self.object(texture).place;
                self.missing(place, "Kiln bends normals by images only: the surface stays smooth");
                None
            }
            _ => {
                let (place, plugin) = (self.object(id).place, &self.object(id).plugin);
                self.error(place, format!("a bsdf of type `{plugin}` holds one texture"));
                None
            }
        }
    }

    fn normal_map(&mut self, id: ObjectId) -> BsdfCall {
        self.with_normal_from_texture(id, |translator, texture| {
            let call = translator.bitmap_call(texture, "normal_map")?;
            let call = translator.unfiltered(texture, call).with("along_v", 0);
            Some(translator.numbers_of(texture, call))
        })
    }

    fn bump_map(&mut self, id: ObjectId) -> BsdfCall {
        let height = self.float(id, "scale").unwrap_or(1.0);
        self.with_normal_from_texture(id, |translator, texture| {
            // The slope of a nearest-neighbour lookup is taken to be 0.
            if translator.is_nearest(texture, "bilinear") {
                return None;
            }
            let [s, t] = translator.coordinate_rows(texture).map(triple);
            let call = translator.bitmap_call(texture, "bump_image")?;
            let call = call
                .with("height", number(height))
                .with("s_of_uv", s)
                .with("t_of_uv", t)
                .with("width", 0);
            Some(translator.numbers_of(texture, call))
        })
    }

    /// Adds the colour space of an image of normals or heights, which is not `raw` by default.
    fn numbers_of(&mut self, texture: ObjectId, call: Call) -> Call {
        if self.boolean(texture, "raw") == Some(true) {
            call
        } else {
            call.with("colorspace", Expr::string("auto"))
        }
    }

    /// Nested surface of a bsdf, with the normal that a unit computes from the texture.
    fn with_normal_from_texture(
        &mut self,
        id: ObjectId,
        unit: impl FnOnce(&mut Self, ObjectId) -> Option<Call>,
    ) -> BsdfCall {
        let [flips, softens] = ["flip_invalid_normals", "use_shadowing_function"]
            .map(|key| self.boolean(id, key).unwrap_or(true));
        let (Some(nested), relief) = (self.nested(id), self.relief(id)) else {
            return BsdfCall::grey();
        };
        let n = relief
            .and_then(|texture| unit(self, texture))
            .map(|call| if flips { call.with("flip", 1) } else { call })
            .map(|call| call.finish().member("n"));
        let surface = self.bsdf(nested, n.as_ref());
        if !softens || n.is_none() {
            return surface;
        }
        let call = Call::new("soft_terminator").with("base", surface.call).finish();
        BsdfCall { call, ..surface }
    }
}
