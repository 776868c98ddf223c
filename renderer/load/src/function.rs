//! Built-in functions of scene files: `blackbody`, `sun_at`.

use super::value::SceneValue;
use renderer_base::sky::position::{GeoLocation, Moment, sun_position};
use renderer_base::spectrum::{Use, blackbody};

/// Functions with their usage.
pub(super) const FUNCTIONS: [(&str, &str); 2] = [
    (
        "blackbody",
        "blackbody(kelvin), at least 500: colour of a black body at that temperature, with luminance 1: 2700 for light \
              bulbs, 6500 for daylight",
    ),
    (
        "sun_at",
        "sun_at(latitude, longitude, timezone, year, month, day, hours): the vector towards the sun, with +x to the \
         east, +y up, +z to the south; degrees north and east, hours ahead of universal time, hours of local time \
         since midnight",
    ),
];

/// Evaluates a call, or returns an error message; `None` if there is no function of this name.
pub(super) fn call(name: &str, args: &[SceneValue]) -> Option<Result<Vec<f64>, String>> {
    let (_, usage) = FUNCTIONS.iter().find(|(function, _)| *function == name)?;
    let made = match name {
        "blackbody" => blackbody_rgb(args),
        _ => sun_at(args),
    };
    Some(made.ok_or_else(|| format!("wrong arguments of `{name}`: {usage}")))
}

/// Minimum temperature, below which there is no visible glow [K].
const MIN_TEMPERATURE: f64 = 500.0;
/// Maximum temperature for which Planck's law is useful [K].
const MAX_TEMPERATURE: f64 = 1e9;

fn blackbody_rgb(args: &[SceneValue]) -> Option<Vec<f64>> {
    let &[SceneValue::Number(kelvin)] = args else {
        return None;
    };
    if !(MIN_TEMPERATURE..=MAX_TEMPERATURE).contains(&kelvin) {
        return None;
    }
    let color = blackbody(kelvin).to_rgb(Use::Emission);
    let channels = color.to_array().map(f64::from);
    Some(channels.map(|channel| channel / f64::from(color.luminance())).to_vec())
}

fn sun_at(args: &[SceneValue]) -> Option<Vec<f64>> {
    let numbers: Option<Vec<f64>> = args
        .iter()
        .map(|arg| match arg {
            SceneValue::Number(x) => Some(*x),
            _ => None,
        })
        .collect();
    let &[latitude, longitude, timezone, year, month, day, hours] = numbers?.as_slice() else {
        return None;
    };
    let whole = |x: f64, first: i32, last: i32| {
        let fits = x.fract() == 0.0 && (f64::from(first)..=f64::from(last)).contains(&x);
        fits.then_some(x as i32)
    };
    let moment = Moment {
        year: whole(year, 1, 9999)?,
        month: whole(month, 1, 12)?,
        day: whole(day, 1, 31)?,
        hours,
        timezone,
    };
    let on_earth =
        latitude.abs() <= 90.0 && longitude.abs() <= 360.0 && timezone.abs() <= 24.0 && hours.abs() <= 48.0;
    let direction = sun_position(moment, GeoLocation { latitude, longitude }).direction();
    on_earth.then(|| direction.to_array().map(f64::from).to_vec())
}
