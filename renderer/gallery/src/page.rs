//! The page of a gallery: cards of all units, and the view of each. It fetches nothing but its pictures.

use std::fmt::Write as _;

use shading_editor::Vocabulary;

use super::article::article;
use super::entry::{Entry, Origin, Shown};
use renderer_support::html::escaped;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page.
pub(super) fn text(entries: &[Entry]) -> String {
    let is_shipped = entries.iter().all(|entry| entry.origin == Origin::Shipped);
    let title = if is_shipped { "Kiln’s shader library" } else { "Shader library" };
    let world = Vocabulary::default();
    let cards: String = entries.iter().map(card).collect();
    let articles: String = entries.iter().map(|entry| article(entry, &world)).collect();
    format!(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=generator content=\"Kiln {version}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n\
         <script>document.documentElement.classList.add(\"live\")</script>\n</head>\n<body>\n\
         <a class=skip href=\"#all\">Skip to the list</a>\n\
         <header>\n<h1><a href=\"#\">{title}</a></h1>\n\
         <input id=search type=search placeholder=\"Search: name, parameter, help … ( / )\" \
         aria-label=\"Search units by name, help, category and parameters\" autocomplete=off spellcheck=false>\n\
         <nav aria-label=Categories>\n{chips}</nav>\n\
         <p id=count role=status aria-live=polite>{count}</p>\n</header>\n\
         <main>\n<ul id=all tabindex=-1>\n{cards}</ul>\n<p id=none hidden>Nothing matches.</p>\n{articles}</main>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        version = env!("CARGO_PKG_VERSION"),
        chips = chips(entries),
        count = entries.len(),
    )
}

/// Categories in alphabetical order, with the number of entries of each.
pub(super) fn categories(entries: &[Entry]) -> Vec<(&str, usize)> {
    let mut list: Vec<&str> = entries.iter().map(|entry| entry.category.as_str()).collect();
    list.sort_unstable();
    list.dedup();
    let count = |name: &str| entries.iter().filter(|entry| entry.category == name).count();
    list.into_iter().map(|name| (name, count(name))).collect()
}

fn chips(entries: &[Entry]) -> String {
    let chip = |category: &str, label: &str, count: usize| {
        format!(
            "<button type=button data-category=\"{}\" aria-pressed={}>{} <small>{count}</small></button>\n",
            escaped(category),
            category.is_empty(),
            escaped(label),
        )
    };
    let mut text = chip("", "all", entries.len());
    for (category, count) in categories(entries) {
        text.push_str(&chip(category, category, count));
    }
    text
}

fn card(entry: &Entry) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<li data-category=\"{}\" data-search=\"{}\"><a href=\"#{}\">{}<b>{}</b> <span>{}</span></a></li>",
        escaped(&entry.category),
        escaped(&searched(entry)),
        entry.id,
        face(entry),
        escaped(&entry.label),
        escaped(&entry.help),
    );
    text
}

/// The picture on a card, or its substitute.
fn face(entry: &Entry) -> String {
    match &entry.shown {
        // The image needs no `alt` text: the name follows.
        Shown::Picture(file, (width, height)) => format!(
            "<img src=\"{}\" alt=\"{}\" width={width} height={height} loading=lazy>",
            escaped(file),
            escaped(&entry.label)
        ),
        Shown::Wrong(_) => "<span class=\"face wrong\">has errors</span>".to_owned(),
        Shown::Unmade | Shown::Nothing(_) => {
            let signature = entry.outputs.iter().map(|output| output.ty.as_str());
            let signature: Vec<&str> = signature.collect();
            format!(
                "<span class=face>{}<br>{}</span>",
                escaped(entry.kind),
                escaped(&signature.join(", "))
            )
        }
    }
}

/// Words for the search, in lower case.
fn searched(entry: &Entry) -> String {
    let mut words = vec![
        entry.name.clone(),
        entry.label.clone(),
        entry.help.clone(),
        entry.category.clone(),
        entry.kind.to_owned(),
        entry.aliases.clone(),
    ];
    for param in entry.inputs.iter().chain(&entry.outputs) {
        words.push(param.name.clone());
        words.extend(param.options.iter().cloned());
    }
    words.retain(|word| !word.is_empty());
    words.join(" ").to_lowercase()
}
