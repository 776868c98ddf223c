//! Long texts of random programs: shapes of any size, and shipped sources whose parts are repeated, nested and joined.

use crate::damage::{damage, texts};
use crate::generate::Random;
use crate::shapes::SHAPES;

/// Maximum length of a text in bytes.
pub const MAX_BYTES: usize = 64 << 10;

/// Maximum length of the parts that are repeated.
const MAX_PART: usize = 600;

/// Source of long texts.
pub struct Scaled {
    texts: Vec<String>,
}

impl Default for Scaled {
    fn default() -> Scaled {
        Scaled { texts: texts() }
    }
}

impl Scaled {
    /// Returns a text of up to [`MAX_BYTES`], which usually compiles.
    pub fn text(&self, random: &mut Random) -> String {
        let goal = match random.below(3) {
            0 => 4 << random.below(15),
            _ => MAX_BYTES - random.below(MAX_BYTES / 8),
        };
        let text = match random.below(8) {
            0..=2 => shape(goal, random),
            3 | 4 => self.repeated(goal, random),
            5 => self.nested(goal, random),
            6 => self.joined(goal, random),
            _ => self.layers(goal, random),
        };
        let changes = *random.pick(&[0, 0, 0, 1, 2]);
        let text = damage(text, &self.texts, changes, random);
        if text.len() <= MAX_BYTES { text } else { self.text(random) }
    }

    fn pick(&self, random: &mut Random) -> &str {
        &self.texts[random.below(self.texts.len())]
    }

    /// Returns a source with some of its statements repeated, with or without a block around each repetition.
    fn repeated(&self, goal: usize, random: &mut Random) -> String {
        let text = self.pick(random);
        let Some((start, end)) = statements(text, random) else {
            return text.to_owned();
        };
        let part = match random.below(3) {
            0 => text[start..end].to_owned(),
            _ => format!("{{ {} }}\n", &text[start..end]),
        };
        let room = goal.saturating_sub(text.len());
        format!("{}{}{}", &text[..end], part.repeat(room / part.len()), &text[end..])
    }

    /// Returns a source with some of its statements in many nested constructs.
    fn nested(&self, goal: usize, random: &mut Random) -> String {
        let text = self.pick(random);
        let Some((start, end)) = statements(text, random) else {
            return text.to_owned();
        };
        let part = &text[start..end];
        let mut inner = part.to_owned();
        for _ in 0..1 + random.below(80) {
            let head = random.pick(&[
                "for (int i = 0; i < 3; i++)",
                "if (u > 0.5)",
                "while (u < v)",
                "if (v > 0.5) u; else",
                "do",
            ]);
            let tail = if *head == "do" { " while (v > 1);" } else { "" };
            let again = if random.once_in(6) { part } else { "" };
            let next = format!("{head} {{ {again} {inner} }}{tail}");
            if text.len() + next.len() > goal {
                break;
            }
            inner = next;
        }
        format!("{}{inner}{}", &text[..start], &text[end..])
    }

    /// Returns several sources, one after the other.
    fn joined(&self, goal: usize, random: &mut Random) -> String {
        let mut all = String::new();
        for _ in 0..200 {
            let text = self.pick(random);
            let joins = !text.contains("struct") && !text.contains('#');
            if joins && all.len() + text.len() < goal {
                all += text;
                all += "\n";
            }
        }
        all
    }

    /// Returns a source with a group of many instances of its last unit, in a chain if it has a float output and input.
    fn layers(&self, goal: usize, random: &mut Random) -> String {
        let text = self.pick(random);
        let kinds = ["shader ", "surface ", "volume "];
        let start = kinds.iter().filter_map(|kind| Some(text.rfind(kind)? + kind.len())).max();
        let Some((name, params)) = start.and_then(|start| text[start..].split_once('(')) else {
            return text.to_owned();
        };
        let params = params.split_once(") {").map_or("", |(params, _)| params);
        let word_after = |key: &str| -> Option<&str> {
            let after = &params[params.find(key)? + key.len()..];
            after.split(|c: char| !c.is_alphanumeric() && c != '_').next()
        };
        let ty = *random.pick(&["float", "color", "closure color"]);
        let output = word_after(&format!("output {ty} "));
        let input = word_after(&format!(", {ty} ")).or(word_after(&format!("\n{ty} ")));
        let mut group = format!("\ngroup many(output {ty} last_of_all) {{ {name} l0();");
        let mut count = 1;
        while text.len() + group.len() + 80 < goal && count < 2000 {
            group += &match (input, output) {
                (Some(input), Some(output)) => {
                    format!(" {name} l{count}({input} = l{}.{output});", count - 1)
                }
                _ => format!(" {name} l{count}();"),
            };
            count += 1;
        }
        if let Some(output) = output {
            group += &format!(" last_of_all = l{}.{output};", count - 1);
        }
        format!("{text}{group} }}\n")
    }
}

/// Returns a shape of at most about `goal` bytes.
fn shape(goal: usize, random: &mut Random) -> String {
    let (_, _, text) = random.pick(SHAPES);
    let mut size = 1;
    while size < goal && text(size * 2).len() <= goal {
        size *= 2;
    }
    let mut step = size / 2;
    while step > 0 {
        if text(size + step).len() <= goal {
            size += step;
        }
        step /= 2;
    }
    text(size)
}

/// Returns the range of a few whole statements of one block of a text, chosen at random.
fn statements(text: &str, random: &mut Random) -> Option<(usize, usize)> {
    let (mut braces, mut parentheses) = (0_i32, 0_i32);
    // Ends of statements and starts of blocks, each with the number of blocks around it.
    let mut ends = vec![];
    for (at, c) in text.char_indices() {
        match c {
            '{' => braces += 1,
            '}' => braces -= 1,
            '(' | '[' => parentheses += 1,
            ')' | ']' => parentheses -= 1,
            _ => {}
        }
        if matches!(c, ';' | '{' | '}') && parentheses == 0 && braces > 0 {
            ends.push((at + 1, braces));
        }
    }
    for _ in 0..20 {
        let first = random.below(ends.len().max(1));
        let (start, depth) = *ends.get(first)?;
        let inside = ends[first + 1..].iter().take_while(|(_, braces)| *braces >= depth);
        let short = inside.take_while(|(end, _)| end - start <= MAX_PART);
        // The start of an inner block has more blocks around it than the end of a statement.
        let found: Vec<usize> = short.filter(|(_, braces)| *braces == depth).map(|(end, _)| *end).collect();
        if !found.is_empty() {
            return Some((start, *random.pick(&found)));
        }
    }
    None
}
