//! Attributes of XML elements: numbers, vectors, transform steps.

use glam::{DAffine3, DMat3, DMat4, DVec3};
use shading::Span;

use crate::xml::{number, numbers};
use renderer_base::math::{coordinate_system, sin_cos};

/// Element with its attributes after parameter substitution.
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    pub(super) place: Span,
    pub(super) attributes: Vec<(&'a str, String)>,
}

impl Element<'_> {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Matrix of one step of a transform.
pub(super) fn step(element: &Element<'_>) -> Result<DMat4, String> {
    let need = |name: &str| element.get(name).ok_or_else(|| format!("<{}> needs `{name}`", element.name));
    Ok(match element.name {
        "translate" => DMat4::from_translation(vector(element, 0.0)?),
        "scale" => DMat4::from_scale(vector(element, 1.0)?),
        "rotate" => {
            let axis = vector(element, 0.0)?;
            if axis == DVec3::ZERO {
                return Err("the axis of a rotation has no length".to_owned());
            }
            rotation(axis, number(need("angle")?)?.to_radians())
        }
        // Files older than version 2 use a capital letter; Mitsuba 3 renames their properties, but not this element.
        "lookat" | "lookAt" => {
            let point = |name: &str| -> Result<DVec3, String> {
                let values = numbers(need(name)?)?;
                <[f64; 3]>::try_from(values)
                    .map(DVec3::from)
                    .map_err(|_| format!("`{name}` takes three numbers"))
            };
            let (origin, target) = (point("origin")?, point("target")?);
            let up = match element.get("up") {
                Some(_) => Some(point("up")?).filter(|up| up.length_squared() > 0.0),
                None => None,
            };
            look_at(origin, target, up)
                .ok_or("`lookat` needs a target away from its origin, and another `up`")?
        }
        "matrix" => match numbers(need("value")?)?[..] {
            [a, b, c, d, e, f, g, h, i] => {
                DMat4::from_mat3(DMat3::from_cols_array(&[a, d, g, b, e, h, c, f, i]))
            }
            ref values if values.len() == 16 => {
                let mut rows = [0.0; 16];
                rows.copy_from_slice(values);
                DMat4::from_cols_array(&rows).transpose()
            }
            _ => return Err("a matrix has 9 numbers or 16, row by row".to_owned()),
        },
        other => return Err(format!("<{other}> is not a step of a transform")),
    })
}

/// Rodrigues' formula without normalization of the axis: as in Mitsuba, an axis that is not unit length stretches.
fn rotation(axis: DVec3, angle: f64) -> DMat4 {
    let (sin, cos) = sin_cos(angle);
    let column = |unit: DVec3| unit * cos + axis.cross(unit) * sin + axis * (axis.dot(unit) * (1.0 - cos));
    DMat4::from_mat3(DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z)))
}

/// Transform with its origin at `origin`, +z towards `target` and +y near `up`, as in Mitsuba: +x is to the left.
/// Without `up` the frame is that of Mitsuba's `coordinate_system`.
fn look_at(origin: DVec3, target: DVec3, up: Option<DVec3>) -> Option<DMat4> {
    let forward = (target - origin).try_normalize()?;
    let up = up.unwrap_or_else(|| coordinate_system(forward.as_vec3()).0.as_dvec3());
    let left = up.cross(forward).try_normalize()?;
    let up = forward.cross(left);
    Some(DMat4::from(DAffine3::from_cols(left, up, forward, origin)))
}

/// Reads a vector: `x`, `y` and `z`, or `value` with one number or three.
pub(super) fn vector(element: &Element<'_>, default: f64) -> Result<DVec3, String> {
    if let Some(value) = element.get("value") {
        if ["x", "y", "z"].iter().any(|axis| element.get(axis).is_some()) {
            return Err(format!("<{}> takes `value` or `x`, `y` and `z`, not both", element.name));
        }
        return match numbers(value)?[..] {
            [all] => Ok(DVec3::splat(all)),
            [x, y, z] => Ok(DVec3::new(x, y, z)),
            _ => Err("a vector is one number or three".to_owned()),
        };
    }
    let axis = |name: &str| element.get(name).map_or(Ok(default), number);
    Ok(DVec3::new(axis("x")?, axis("y")?, axis("z")?))
}
