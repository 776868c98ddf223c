//! Light links of a scene in words.

use std::fmt::Write as _;

use renderer_scene::{LightLinks, LightVisibility, ShapeFilter, ShapePattern};

/// Which shapes a light illuminates, which block it, and which rays receive it; empty without links.
pub(super) fn words(links: Option<&LightLinks>) -> String {
    let Some(LightLinks { receivers, blockers, visible_to }) = links else {
        return String::new();
    };
    let mut text = match receivers {
        ShapeFilter::All => String::new(),
        ShapeFilter::Only(patterns) => format!(", illuminates {}", list(patterns)),
        ShapeFilter::Except(patterns) => format!(", does not illuminate {}", list(patterns)),
    };
    // Writing to a string cannot fail.
    let _ = match blockers {
        ShapeFilter::All => Ok(()),
        ShapeFilter::Only(patterns) => write!(text, ", shadows of {}", list(patterns)),
        ShapeFilter::Except(patterns) => write!(text, ", no shadows of {}", list(patterns)),
    };
    if *visible_to != LightVisibility::ALL {
        let names = LightVisibility::NAMES.iter().filter(|(_, member)| visible_to.contains(*member));
        let names: Vec<&str> = names.map(|(name, _)| *name).collect();
        let _ = match names.is_empty() {
            true => write!(text, ", visible to nothing"),
            false => write!(text, ", visible to {}", names.join(", ")),
        };
    }
    text
}

fn list(patterns: &[ShapePattern]) -> String {
    let names: Vec<String> = patterns.iter().map(|pattern| format!("\"{}\"", pattern.text)).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
