//! Calls of a unit or group, to be copied: in a scene, in a group, on the command line.

use shading::syntax::ast::Expr;

use super::entry::{Entry, Origin};
use super::param::Param;

/// Maximum number of arguments of a call; the first ones are the most important.
const MAX_ARGUMENTS: usize = 4;

/// Lines of a scene with a material of a unit or group; `None` if none can be made of it.
pub(super) fn material(entry: &Entry) -> Option<String> {
    let name = &entry.name;
    let call = || format!("{name}({})", arguments(entry));
    match entry.kind {
        "background" => {
            let light = format!("light {name}_1 : environment {{ shader = {}; }}", call());
            return Some(import(entry) + &light);
        }
        "displacement" => {
            let material = format!("material {name}_1 {{ surface = matte(); displacement = {}; }}", call());
            return Some(import(entry) + &material);
        }
        "volume" => return Some(format!("{}material {name}_1 = {};", import(entry), call())),
        kind if entry.example.is_none() && (kind == "surface" || entry.surface().is_some()) => {
            return Some(format!("{}material {name}_1 = {};", import(entry), call()));
        }
        _ => {}
    }
    let (mut lines, shown, is_surface) = match &entry.example {
        Some(example) => (statements(&example.lines), example.shown.clone(), example.is_surface),
        None => {
            let output = shown(entry)?;
            let line = format!("{name} pattern({});", arguments(entry));
            (vec![line], format!("pattern.{}", output.name), false)
        }
    };
    if !is_surface {
        lines.push(format!("matte look(albedo = {shown});"));
    }
    let surface = if is_surface { &shown } else { "look.surface" };
    Some(format!(
        "{}group {name}_look(output closure color surface)\n{{\n    {}\n    surface = {surface};\n}}\n\
         material {name}_1 = {name}_look();",
        import(entry),
        lines.join("\n    ")
    ))
}

/// An instance in a group.
pub(super) fn instance(entry: &Entry) -> String {
    format!("{} {}_1({});", entry.name, entry.name, arguments(entry))
}

/// A command that renders it.
pub(super) fn command(entry: &Entry) -> String {
    let word = quoted(&entry.word());
    let picture = quoted(&format!("{}.png", entry.name));
    if entry.example.is_some() {
        return format!("kiln render {word} --example -o {picture}");
    }
    let first = plain(entry).into_iter().find(|param| param.is_number);
    let param =
        first.map(|param| format!(" --param {}", quoted(&format!("{}={}", param.name, param.default))));
    format!("kiln render {word}{} -o {picture}", param.unwrap_or_default())
}

/// The line that makes the units of a file known to a scene.
fn import(entry: &Entry) -> String {
    match &entry.origin {
        Origin::Shipped => String::new(),
        Origin::File(file) => format!("import {};\n", Expr::string(file.to_string_lossy())),
    }
}

/// The lines of an example, one for each instance.
fn statements(text: &str) -> Vec<String> {
    let lines = text.split_inclusive(';').map(|line| line.trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// The output that shows a pattern: a colour, else a number.
fn shown(entry: &Entry) -> Option<&Param> {
    let numbers = || entry.outputs.iter().filter(|output| output.is_number);
    numbers().find(|output| output.ty == "color").or_else(|| numbers().next())
}

/// Inputs whose defaults can be written down.
fn plain(entry: &Entry) -> Vec<&Param> {
    let is_given = |param: &&Param| param.is_plain && param.default != "\"\"" && !param.name.contains('.');
    entry.inputs.iter().filter(is_given).collect()
}

fn arguments(entry: &Entry) -> String {
    let list = plain(entry).into_iter().take(MAX_ARGUMENTS);
    let list: Vec<String> = list.map(|param| format!("{} = {}", param.name, param.default)).collect();
    list.join(", ")
}

/// A word of a command line.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=,".contains(c);
    if word.chars().all(is_plain) {
        return word.to_owned();
    }
    let mut text = String::from("\"");
    for c in word.chars() {
        if "\"\\$`".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text + "\""
}
