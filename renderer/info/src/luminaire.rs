//! Output of `kiln info` for IES files: data of the luminaire, and a polar plot of its intensity.

use std::fmt::Write as _;
use std::path::Path;

use glam::Vec3;
use serde_json::{Value as Json, json};

use renderer_base::files::DiskFiles;
use renderer_base::math::{acos, sin_cos};
use renderer_import::{ImportError, load_ies};
use renderer_scene::{Luminaire, Symmetry};

/// Returns whether a path has the extension of IES files.
pub(super) fn is_ies_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ies"))
}

/// Reads an IES file.
pub(super) fn read(path: &Path) -> Result<Luminaire, ImportError> {
    load_ies(&DiskFiles, path)
}

/// Planes of the plot: direction towards the side, characters of the curve, name.
const PLANES: [(Vec3, char, &str); 2] =
    [(Vec3::X, 'o', "0° and 180°, side to side"), (Vec3::Y, '+', "90° and 270°, down and up")];

/// A luminaire as text.
pub(super) fn text(luminaire: &Luminaire) -> String {
    let mut text = format!("IES file, LM-63-{}, type {}\n", luminaire.edition, luminaire.photometry.name());
    let (peak, direction) = luminaire.web.maximum();
    let off_axis = acos((-direction.z).clamp(-1.0, 1.0)).to_degrees();
    let [width, length, height] = luminaire.opening;
    let lamps = match luminaire.lumens_per_lamp {
        Some(lumens) => format!("{} of {lumens} lm", luminaire.lamps),
        None => format!("{}, absolute photometry", luminaire.lamps),
    };
    let facts = [
        ("luminous flux", format!("{:.1} lm", luminaire.web.lumens())),
        ("maximum", format!("{peak:.1} cd, at {off_axis:.1}° to the axis")),
        ("vertical", angles(&luminaire.vertical)),
        (
            "horizontal",
            format!("{}, {}", angles(&luminaire.horizontal), symmetry(luminaire.symmetry)),
        ),
        ("lamps", lamps),
        ("power", format!("{} W", luminaire.watts)),
        ("opening", format!("{width:.3} × {length:.3} × {height:.3} m")),
    ];
    // Writing to a string cannot fail.
    for (name, fact) in facts {
        let _ = writeln!(text, "  {name:<15} {fact}");
    }
    for (key, value) in &luminaire.keywords {
        let (key, value) = (key.escape_debug().to_string(), value.escape_debug());
        let _ = writeln!(text, "  {key:<15} {value}");
    }
    if peak > 0.0 {
        text.push_str(&plot(luminaire, peak));
    }
    text.push_str(&table(luminaire));
    text
}

/// A luminaire as JSON.
pub(super) fn json(luminaire: &Luminaire) -> Json {
    let (peak, direction) = luminaire.web.maximum();
    let keywords = luminaire.keywords.iter().map(|(key, value)| json!([key, value]));
    json!({
        "luminaire": luminaire.photometry.name(),
        "edition": luminaire.edition,
        "lumens": luminaire.web.lumens(),
        "max_candela": peak,
        "max_direction": direction.to_array(),
        "vertical": luminaire.vertical,
        "horizontal": luminaire.horizontal,
        "lamps": luminaire.lamps,
        "lumens_per_lamp": luminaire.lumens_per_lamp,
        "watts": luminaire.watts,
        "opening": luminaire.opening,
        "keywords": keywords.collect::<Json>(),
    })
}

fn angles(angles: &[f32]) -> String {
    match angles {
        [first, .., last] => format!("{} angles, {first}° to {last}°", angles.len()),
        _ => "1 angle".to_owned(),
    }
}

fn symmetry(symmetry: Symmetry) -> &'static str {
    match symmetry {
        Symmetry::Rotational => "the same about the axis",
        Symmetry::Quadrant => "four equal quadrants",
        Symmetry::Lengthwise => "equal on both sides of 0° and 180°",
        Symmetry::Crosswise => "equal on both sides of 90° and 270°",
        Symmetry::Lateral => "equal on both sides",
        Symmetry::None => "all around",
    }
}

/// Intensity at an angle to the axis, negative on the other side, in a plane.
fn candela(luminaire: &Luminaire, side: Vec3, degrees: f32) -> f32 {
    let (sin, cos) = sin_cos(degrees.to_radians());
    luminaire.web.candela(side * sin - Vec3::Z * cos)
}

/// Polar plot of both planes: the axis points down, the distance from the centre is the intensity.
fn plot(luminaire: &Luminaire, peak: f32) -> String {
    /// Columns on each side of the centre, and rows: a character is twice as high as it is wide.
    const RADIUS: (i32, i32) = (24, 12);
    let (columns, rows) = (2 * RADIUS.0 + 1, 2 * RADIUS.1 + 1);
    let mut marks = vec![' '; (columns * rows) as usize];
    let mut set = |x: f32, y: f32, mark: char| {
        let (column, row) = ((x * RADIUS.0 as f32).round() as i32, (y * RADIUS.1 as f32).round() as i32);
        let cell = &mut marks[((row + RADIUS.1) * columns + column + RADIUS.0) as usize];
        *cell = if *cell == ' ' || *cell == '.' || *cell == mark { mark } else { '*' };
    };
    for degrees in (0..360).step_by(15) {
        let (sin, cos) = sin_cos((degrees as f32).to_radians());
        set(sin, cos, '.');
    }
    for (side, mark, _) in PLANES {
        for degrees in -180..180 {
            let degrees = degrees as f32;
            let share = candela(luminaire, side, degrees) / peak;
            let (sin, cos) = sin_cos(degrees.to_radians());
            if share > 0.0 {
                set(share * sin, share * cos, mark);
            }
        }
    }
    let names: Vec<String> = PLANES.iter().map(|(_, mark, name)| format!("{mark} {name}")).collect();
    let mut text = format!("  {}; the axis is down, the circle is {peak:.1} cd\n", names.join("; "));
    let first = marks
        .chunks(columns as usize)
        .position(|row| row.iter().any(|&c| c != ' ' && c != '.'));
    for row in marks.chunks(columns as usize).skip(first.unwrap_or(0)) {
        let row: String = row.iter().collect();
        let _ = writeln!(text, "    {}", row.trim_end());
    }
    text
}

/// Intensities of both planes by the angle to the axis.
fn table(luminaire: &Luminaire) -> String {
    let mut text = format!("  {:>7} {:>10} {:>10} {:>10} {:>10}  cd\n", "axis", "0°", "90°", "180°", "270°");
    for degrees in (0..=180).step_by(15) {
        let at = |side: Vec3| candela(luminaire, side, degrees as f32);
        let values = [Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y].map(at);
        let _ = write!(text, "  {degrees:>6}°");
        for value in values {
            let _ = write!(text, " {value:>10.1}");
        }
        text.push('\n');
    }
    text
}
