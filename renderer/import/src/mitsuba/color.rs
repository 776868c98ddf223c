//! Translation of colours, spectra and named materials to linear Rec.709.

use shading::syntax::ast::Expr;
use shading::{Diagnostic, Span};

pub(super) use renderer_base::spectrum::Use;

use super::document::{ObjectId, PropertyValue};
use super::translator::Translator;
use crate::scene_value::triple;
use renderer_base::color::Rgb;
use renderer_base::files;
use renderer_base::spectrum::{self, Spectrum, SpectrumError, named};

pub(super) const SPECTRA: &[&str] =
    &["blackbody", "d65", "irregular", "rawconstant", "regular", "rgb", "srgb", "uniform"];

impl Translator<'_> {
    /// Converts a value to a colour; `None` after reporting an error.
    pub(super) fn rgb(&mut self, value: &PropertyValue, place: Span, used_as: Use) -> Option<[f64; 3]> {
        match value {
            PropertyValue::Rgb(rgb) => Some(*rgb),
            PropertyValue::Float(value) => Some([*value; 3]),
            PropertyValue::Integer(value) => Some([*value as f64; 3]),
            PropertyValue::Spectrum(text) => match text.trim().parse() {
                Ok(value) => Some(channels(spectrum::uniform(value, used_as))),
                Err(_) => self.spectrum(spectrum::parse_pairs(text), place, used_as),
            },
            PropertyValue::SpectrumFile(path) => {
                match self
                    .document
                    .file_system
                    .read(path)
                    .map(|bytes| files::text_of(&bytes).into_owned())
                {
                    Ok(text) => self.spectrum(spectrum::read_spd(&text), place, used_as),
                    Err(error) => {
                        self.error(place, format!("cannot read {}: {error}", path.display()));
                        None
                    }
                }
            }
            _ => {
                self.error(place, "this is to be a number, a colour or a texture");
                None
            }
        }
    }

    fn spectrum(
        &mut self,
        spectrum: Result<Spectrum, SpectrumError>,
        place: Span,
        used_as: Use,
    ) -> Option<[f64; 3]> {
        match spectrum {
            Ok(spectrum) => Some(channels(spectrum.to_rgb(used_as))),
            Err(error) => {
                self.error(place, error.to_string());
                None
            }
        }
    }

    /// Converts a spectrum object to a colour.
    pub(super) fn rgb_of_object(&mut self, id: ObjectId, used_as: Use) -> Option<[f64; 3]> {
        let place = self.object(id).place;
        match self.object(id).plugin.as_str() {
            "uniform" => Some([self.float(id, "value").unwrap_or(1.0); 3]),
            "rawconstant" => match self.find(id, "value") {
                Some((PropertyValue::Vector(value), _)) => Some(value.to_array()),
                Some((value, place)) => self.rgb(value, place, used_as),
                None => Some([1.0; 3]),
            },
            "rgb" | "srgb" | "d65" => {
                let rgb = match self.find(id, "color").or_else(|| self.find(id, "value")) {
                    Some((value, place)) => self.rgb(value, place, used_as)?,
                    None => [1.0; 3],
                };
                let scale = self.float(id, "scale").unwrap_or(1.0);
                Some(rgb.map(|channel| channel * scale))
            }
            "blackbody" => {
                let Some(kelvin) = self.float(id, "temperature").filter(|&kelvin| kelvin > 0.0) else {
                    self.error(place, "a blackbody needs a `temperature` of more than 0 (K)");
                    return None;
                };
                Some(channels(spectrum::blackbody(kelvin).to_rgb(used_as)))
            }
            "irregular" => {
                let wavelengths = self.list(id, "wavelengths")?;
                let values = self.list(id, "values")?;
                self.spectrum(Spectrum::new(wavelengths, values), place, used_as)
            }
            "regular" => {
                let first = self.float(id, "wavelength_min").unwrap_or(360.0);
                let last = self.float(id, "wavelength_max").unwrap_or(830.0);
                let values = self.list(id, "values")?;
                self.spectrum(Spectrum::regular(first, last, values), place, used_as)
            }
            _ => {
                self.unknown_plugin(id, SPECTRA, "; replaced by grey");
                None
            }
        }
    }

    fn list(&mut self, id: ObjectId, name: &str) -> Option<Vec<f64>> {
        let text = self.text(id, name).unwrap_or_default();
        match spectrum::parse_list(text) {
            Ok(values) => Some(values),
            Err(error) => {
                let place = self.place_of(id, name);
                self.error(place, error.to_string());
                None
            }
        }
    }

    /// Index of refraction of a named material.
    pub(super) fn named_index(&mut self, id: ObjectId, property: &str, material: &str) -> f64 {
        named::dielectric(material).map_or_else(
            || {
                let diagnostic = Diagnostic::error(format!("there is no material `{material}`"));
                let place = self.place_of(id, property);
                self.say(diagnostic.nearest(material, named::dielectrics()), place);
                1.5
            },
            f64::from,
        )
    }

    /// Index of refraction and extinction coefficient of a named metal.
    pub(super) fn named_metal(&mut self, id: ObjectId, material: &str) -> [Expr; 2] {
        let metal = named::metal(material).unwrap_or_else(|| {
            let diagnostic = Diagnostic::error(format!("there is no metal `{material}`"));
            let place = self.place_of(id, "material");
            self.say(diagnostic.nearest(material, named::metals()), place);
            [Rgb::WHITE; 2]
        });
        metal.map(|rgb| triple(channels(rgb).into()))
    }
}

fn channels(rgb: Rgb) -> [f64; 3] {
    rgb.to_array().map(f64::from)
}
