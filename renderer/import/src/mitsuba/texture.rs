//! Translation of `texture` objects: images, checkerboards, mesh attributes, and properties that accept textures.
//!
//! Mitsuba's images have their first row at v = 0. For OBJ files v is flipped on loading, see [`mesh`](super::mesh).

use std::path::PathBuf;

use glam::{DMat4, DVec3};
use shading::syntax::ast::{BinaryOp, Expr};

use super::color::{SPECTRA, Use};
use super::document::{ObjectId, PropertyValue};
use super::translator::Translator;
use crate::call::Call;
use crate::scene_value::{call, color, number};
use crate::stem;

const TEXTURES: &[&str] = &["bitmap", "checkerboard", "mesh_attribute"];

impl Translator<'_> {
    /// Translates a property to a colour: a number, a tuple or a call of a unit.
    pub(super) fn color_argument(&mut self, id: ObjectId, name: &str, default: [f64; 3], usage: Use) -> Expr {
        self.given_color(id, name, usage).unwrap_or_else(|| color(default))
    }

    /// Translates a property to a colour, if it is given.
    pub(super) fn given_color(&mut self, id: ObjectId, name: &str, usage: Use) -> Option<Expr> {
        let (value, place) = self.find(id, name)?;
        if let PropertyValue::Object(texture) = *value {
            return Some(self.texture(texture, usage));
        }
        let rgb = self.rgb(value, place, usage)?;
        let out_of_range = |v: f64| !(0.0..=1.0).contains(&v);
        if usage == Use::Reflectance && rgb.into_iter().any(out_of_range) {
            self.error(place, format!("`{name}` is to be between 0 and 1"));
            return None;
        }
        Some(color(rgb))
    }

    /// Translates a property to a number, if it is given.
    pub(super) fn given_float(&mut self, id: ObjectId, name: &str, usage: Use) -> Option<Expr> {
        let (value, place) = self.find(id, name)?;
        if let PropertyValue::Object(texture) = *value {
            return Some(self.float_texture(texture));
        }
        let rgb = self.rgb(value, place, usage)?;
        Some(number(mean(rgb)))
    }

    /// Returns whether a texture is constant.
    fn is_spectrum(&self, id: ObjectId) -> bool {
        let object = self.object(id);
        object.tag == "spectrum" || SPECTRA.contains(&object.plugin.as_str())
    }

    /// Texture inside a `d65`: the illuminant D65 is white here, so its colour has no effect. Mitsuba ignores its
    /// `scale`.
    fn under_d65(&mut self, id: ObjectId) -> Option<ObjectId> {
        if self.object(id).plugin != "d65" {
            return None;
        }
        let nested = ["texture", "spectrum"].map(|tag| self.parts(id, tag).pop());
        let nested = nested.into_iter().flatten().next()?;
        self.ignore(id, &["scale"]);
        Some(nested)
    }

    /// Translates a texture to a colour.
    pub(super) fn texture(&mut self, id: ObjectId, usage: Use) -> Expr {
        self.bounded(id, |translator| translator.any_texture(id, usage), |expr| expr)
            .unwrap_or_else(|| number(0.5))
    }

    fn any_texture(&mut self, id: ObjectId, usage: Use) -> Expr {
        self.mark_translated(id);
        if let Some(nested) = self.under_d65(id) {
            return self.texture(nested, usage);
        }
        if self.is_spectrum(id) {
            return color(self.rgb_of_object(id, usage).unwrap_or([0.5; 3]));
        }
        match self.object(id).plugin.as_str() {
            "bitmap" => self.bitmap(id),
            "checkerboard" => {
                // Spectra of a checkerboard are reflectances, even if it is used for emission.
                let usage = match usage {
                    Use::Emission => Use::Unbounded,
                    Use::Reflectance | Use::Unbounded => usage,
                };
                let colors = [("color0", 0.4), ("color1", 0.2)]
                    .map(|(name, default)| self.color_argument(id, name, [default; 3], usage));
                self.checkerboard(id, colors)
            }
            "mesh_attribute" => self.mesh_attribute(id),
            _ => {
                self.unknown_plugin(id, TEXTURES, "; replaced by grey");
                number(0.5)
            }
        }
    }

    /// Translates a texture to a number: the luminance of its colour, or the mean of the channels of a constant colour.
    fn float_texture(&mut self, id: ObjectId) -> Expr {
        self.bounded(id, |translator| translator.any_float_texture(id), |expr| expr)
            .unwrap_or_else(|| number(0.5))
    }

    fn any_float_texture(&mut self, id: ObjectId) -> Expr {
        self.mark_translated(id);
        if let Some(nested) = self.under_d65(id) {
            return self.float_texture(nested);
        }
        if self.is_spectrum(id) {
            let rgb = self.rgb_of_object(id, Use::Unbounded).unwrap_or([0.5; 3]);
            return number(mean(rgb));
        }
        if self.object(id).plugin == "checkerboard" {
            // Mitsuba exchanges the squares of a checkerboard that is evaluated as a number.
            let numbers = [("color1", 0.2), ("color0", 0.4)].map(|(name, default)| {
                self.given_float(id, name, Use::Unbounded).unwrap_or_else(|| number(default))
            });
            return self.checkerboard(id, numbers).index(0);
        }
        call("luminance", [self.texture(id, Use::Unbounded)])
    }

    fn bitmap(&mut self, id: ObjectId) -> Expr {
        let raw = self.boolean(id, "raw") == Some(true);
        let Some(call) = self.bitmap_call(id, "image") else {
            return number(0.5);
        };
        let call = self.unfiltered(id, call);
        let call = if raw { call.with("colorspace", Expr::string("raw")) } else { call };
        call.finish()
    }

    /// Adds the lookup coordinates of a bitmap. Mitsuba does not filter textures: a lookup ignores the pixel footprint.
    pub(super) fn unfiltered(&mut self, id: ObjectId, call: Call) -> Call {
        let [s, t] = self.coordinates(id);
        let call = call.with("s", s).with("t", t).with("width", number(0.0));
        if self.is_nearest(id, "bilinear") {
            call.with("interp", Expr::string("closest"))
        } else {
            call
        }
    }

    /// Returns whether a lookup is `nearest`; otherwise it is `linear`.
    pub(super) fn is_nearest(&mut self, id: ObjectId, linear: &str) -> bool {
        match self.text(id, "filter_type").unwrap_or(linear) {
            "nearest" => true,
            other if other == linear => false,
            _ => {
                let place = self.place_of(id, "filter_type");
                self.error(place, format!("`filter_type` is `{linear}` or `nearest`"));
                false
            }
        }
    }

    /// Creates the call of a unit that looks up an image.
    pub(super) fn bitmap_call(&mut self, id: ObjectId, unit: &'static str) -> Option<Call> {
        let file = self.image_file(id, "filename")?;
        let call = Call::new(unit).with("file", Expr::string(file));
        self.ignore(id, &["raw", "format", "accel", "filter_type"]);
        Some(match self.text(id, "wrap_mode").unwrap_or("repeat") {
            "repeat" => call,
            wrap @ ("mirror" | "clamp") => call.with("wrap", Expr::string(wrap)),
            _ => {
                let place = self.place_of(id, "wrap_mode");
                self.error(place, "`wrap_mode` is `repeat`, `mirror` or `clamp`");
                call
            }
        })
    }

    /// Name in the scene of the image file given by a property.
    pub(super) fn image_file(&mut self, id: ObjectId, property: &str) -> Option<String> {
        let Some(name) = self.text(id, property) else {
            let place = self.object(id).place;
            let plugin = &self.object(id).plugin;
            self.error(place, format!("a {plugin} needs a `{property}`"));
            return None;
        };
        let path = self.document.resolve(name);
        if !self.document.file_system.is_file(&path) {
            let place = self.place_of(id, property);
            self.error(place, format!("there is no file {}", path.display()));
            return None;
        }
        Some(self.image_name(path))
    }

    /// Name of an image in the scene.
    fn image_name(&mut self, path: PathBuf) -> String {
        if let Some((name, _)) = self.images.iter().find(|(_, known)| *known == path) {
            return name.clone();
        }
        let name = match &self.folder {
            None => {
                let near = path.strip_prefix(&self.source_folder).unwrap_or(&path);
                near.to_string_lossy().into_owned()
            }
            Some(folder) => {
                let extension = path.extension().unwrap_or_default().to_string_lossy();
                format!("{folder}/{}.{extension}", self.file_names.unique(&stem(&path)))
            }
        };
        self.images.push((name.clone(), path));
        name
    }

    /// Texture coordinates after `to_uv`, as expressions.
    pub(super) fn coordinates(&mut self, id: ObjectId) -> [Expr; 2] {
        self.coordinate_rows(id).map(|row| linear(&[(row.x, "u"), (row.y, "v")], row.z))
    }

    /// Texture coordinates after `to_uv`, as rows to be multiplied by (u, v, 1).
    pub(super) fn coordinate_rows(&mut self, id: ObjectId) -> [DVec3; 2] {
        self.lookups += 1;
        let matrix = self.matrix(id, "to_uv").unwrap_or(DMat4::IDENTITY);
        [0, 1].map(|row| {
            let row = matrix.row(row);
            DVec3::new(row.x, row.y, row.w)
        })
    }

    fn checkerboard(&mut self, id: ObjectId, [first, second]: [Expr; 2]) -> Expr {
        let [s, t] = self.coordinates(id);
        // One period has two by two squares.
        Call::new("checker")
            .with("a", first)
            .with("b", second)
            .with("columns", 2)
            .with("rows", 2)
            .with("s", s)
            .with("t", t)
            .finish()
    }

    fn mesh_attribute(&mut self, id: ObjectId) -> Expr {
        let Some(name) = self.text(id, "name") else {
            let place = self.object(id).place;
            self.error(place, "a mesh_attribute needs a `name`");
            return number(0.5);
        };
        let attribute = (name.to_owned(), self.place_of(id, "name"));
        let call = Call::new("attribute_color").with("name", Expr::string(name)).finish();
        self.attributes.push(attribute);
        match self.float(id, "scale") {
            Some(scale) if scale != 1.0 => Expr::binary(BinaryOp::Mul, number(scale), call),
            _ => call,
        }
    }
}

/// Number for a constant colour.
fn mean([r, g, b]: [f64; 3]) -> f64 {
    if r == g && g == b { r } else { (r + g + b) / 3.0 }
}

/// Linear combination: `2 * u + 0.5`.
fn linear(factors: &[(f64, &str)], constant: f64) -> Expr {
    let factors = factors.iter().filter(|(factor, _)| *factor != 0.0);
    let product = |&(factor, name): &(f64, &str)| {
        if factor == 1.0 {
            Expr::name(name)
        } else {
            Expr::binary(BinaryOp::Mul, number(factor), Expr::name(name))
        }
    };
    let constant_term = (constant != 0.0).then(|| number(constant));
    let terms = factors.map(product).chain(constant_term);
    let sum = terms.reduce(|left, right| Expr::binary(BinaryOp::Add, left, right));
    sum.unwrap_or_else(|| number(constant))
}
