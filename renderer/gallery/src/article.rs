//! The view of one unit or group in the page.

use std::fmt::Write as _;

use shading_editor::Vocabulary;

use super::calls;
use super::entry::{Entry, Origin, Shown};
use super::highlighting::highlighted;
use super::param::Param;
use renderer_image::srgb8_from_linear;
use renderer_support::html::escaped;

/// The view of an entry.
pub(super) fn article(entry: &Entry, world: &Vocabulary) -> String {
    let mut html = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<article id=\"{}\" aria-labelledby=\"{0}-title\">\n<p class=back><a href=\"#\">← all</a></p>\n{}\
         <div class=about>\n<h2 id=\"{0}-title\" tabindex=-1>{}</h2>\n<p class=kind><code>{}</code> {} · {}{}</p>\n<p>{}</p>\n",
        entry.id,
        picture(entry),
        escaped(&entry.label),
        escaped(&entry.name),
        escaped(entry.kind),
        escaped(&entry.category),
        place(entry),
        escaped(&entry.help),
    );
    if !entry.is_wrong() {
        html.push_str(&uses(entry, world));
    }
    html.push_str("</div>\n");
    html.push_str(&table("Parameters", &entry.inputs, true));
    html.push_str(&table("Outputs", &entry.outputs, false));
    if !entry.source.is_empty() {
        let _ = write!(
            html,
            "<details open><summary>Source</summary>\n<pre class=source tabindex=0>{}</pre></details>\n",
            highlighted(world, &entry.source)
        );
    }
    html.push_str("</article>\n");
    html
}

fn picture(entry: &Entry) -> String {
    match &entry.shown {
        Shown::Picture(file, (width, height)) => format!(
            "<img class=large src=\"{}\" alt=\"{}: {}\" width={width} height={height} loading=lazy>\n",
            escaped(file),
            escaped(&entry.label),
            escaped(&entry.help)
        ),
        Shown::Wrong(errors) => format!("<pre class=\"large wrong\" tabindex=0>{}</pre>\n", escaped(errors)),
        Shown::Nothing(reason) => format!("<p class=\"large nothing\">{}</p>\n", escaped(reason)),
        Shown::Unmade => String::new(),
    }
}

fn place(entry: &Entry) -> String {
    match &entry.origin {
        Origin::Shipped => String::new(),
        Origin::File(file) => format!(" · <code>{}</code>", escaped(&file.display().to_string())),
    }
}

/// Calls to copy.
fn uses(entry: &Entry, world: &Vocabulary) -> String {
    let mut html = String::new();
    let mut add = |title: &str, kind: &str, text: &str, is_source: bool| {
        let shown = if is_source { highlighted(world, text) } else { escaped(text) };
        let _ = writeln!(
            html,
            "<div class=use><h3>{title}</h3><button type=button class=copy aria-label=\"Copy: {title}\">Copy</button>\
             <pre data-use={kind} tabindex=0>{shown}</pre></div>"
        );
    };
    if let Some(text) = calls::material(entry) {
        add("In a scene", "scene", &text, true);
    }
    add("In a group", "group", &calls::instance(entry), true);
    if matches!(entry.shown, Shown::Picture(..)) {
        add("On the command line", "command", &calls::command(entry), false);
    }
    html
}

/// A table of parameters or outputs, in their order; pages have a heading.
fn table(title: &str, params: &[Param], are_inputs: bool) -> String {
    if params.is_empty() {
        return String::new();
    }
    let heads: &[&str] = match are_inputs {
        true => &["name", "type", "default", "range", "help"],
        false => &["name", "type", "help"],
    };
    let mut html = format!("<h3>{title}</h3>\n<div class=wide tabindex=0><table>\n<thead><tr>");
    for head in heads {
        let _ = write!(html, "<th scope=col>{head}");
    }
    html.push_str("</thead>\n<tbody>\n");
    let mut page = "";
    for param in params {
        if param.page != page {
            page = &param.page;
            let _ = writeln!(html, "<tr><th scope=colgroup colspan={}>{}", heads.len(), escaped(page));
        }
        html.push_str(&row(param, are_inputs));
    }
    html.push_str("</tbody>\n</table></div>\n");
    html
}

fn row(param: &Param, is_input: bool) -> String {
    let [name, ty] = [&param.name, &param.ty].map(|text| escaped(text));
    let mut html = format!("<tr><th scope=row><code>{name}</code><td><code>{ty}</code>");
    if is_input {
        let _ = write!(
            html,
            "<td>{}<code>{}</code><td>{}",
            swatch(param),
            escaped(&param.default),
            escaped(&param.range)
        );
    }
    let _ = write!(html, "<td>{}", escaped(&param.help));
    if !param.options.is_empty() {
        let options: Vec<String> = param.options.iter().map(|option| escaped(option)).collect();
        let _ = write!(html, "<div class=options><code>{}</code></div>", options.join("</code> <code>"));
    }
    html.push('\n');
    html
}

/// A colour sample for a parameter of type color.
fn swatch(param: &Param) -> String {
    let Some(color) = param.color else {
        return String::new();
    };
    let [r, g, b] = color.map(srgb8_from_linear);
    format!("<span class=swatch style=\"background:#{r:02x}{g:02x}{b:02x}\"></span>")
}
