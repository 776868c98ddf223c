//! Parsed text that is parsed again quickly after a change, because scenes are long and edits are short.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ast::{DeclarationIndex, File, Item};
use crate::lower::{Lowerer, STACK};
use crate::scan;
use crate::source::{Source, SourceId, SourceMap};

/// The syntax tree of a text. Errors are not kept: [`crate::parse`] reports them.
#[derive(Debug)]
pub struct ParsedText {
    /// The tree.
    pub file: File,
    /// Declarations that were parsed without errors.
    whole: Vec<WholeDeclaration>,
}

#[derive(Debug)]
struct WholeDeclaration {
    /// Bytes of the declaration.
    range: Range<usize>,
    /// Index among the items of the file.
    index: usize,
}

impl ParsedText {
    /// Parses a text.
    pub fn new(source: Arc<Source>) -> ParsedText {
        parsed(source, &FxHashMap::default())
    }

    /// Parses a changed text. Unchanged declarations are reused; the tree equals that of [`ParsedText::new`].
    #[must_use]
    pub fn changed(&self, source: Arc<Source>) -> ParsedText {
        let text = &self.file.sources.get(SourceId::default()).text;
        let known = self.whole.iter().filter_map(|whole| {
            let item = self.file.items.get(whole.index)?;
            Some((text.get(whole.range.clone())?, (whole.range.start, item)))
        });
        parsed(source, &known.collect())
    }
}

/// Parses a text. `known` contains declarations by their text, with their offsets.
fn parsed(source: Arc<Source>, known: &FxHashMap<&str, (usize, &Item)>) -> ParsedText {
    let mut sources = SourceMap::default();
    let scan = scan::scan(&source.text);
    let mut lowerer = Lowerer::new(sources.add(source.clone()));
    let mut whole = vec![];
    stacker::maybe_grow(STACK / 2, STACK, || {
        for scanned in &scan.items {
            let (range, index) = (scanned.range.clone(), lowerer.items.len());
            let is_whole = scanned.unclosed == 0 && scanned.marks.is_empty();
            match known.get(&scan.text[range.clone()]).filter(|_| is_whole) {
                Some((before, item)) => lowerer.items.push(moved(item, *before, range.start)),
                None => {
                    let errors = lowerer.error_count();
                    lowerer.item(&scan.text, scanned);
                    let is_one = matches!(lowerer.items[index..], [Item::Declaration(_)]);
                    if !is_whole || !is_one || lowerer.error_count() > errors {
                        continue;
                    }
                }
            }
            whole.push(WholeDeclaration { range, index });
        }
    });
    for range in scan.unparsed {
        lowerer.skip_item(&scan.text[range]);
    }
    let (items, unparsed, _) = lowerer.finish();
    let file = File {
        sources,
        items,
        unparsed,
        declaration_index: DeclarationIndex::default(),
    };
    ParsedText { file, whole }
}

/// Returns a declaration moved to another offset.
fn moved(item: &Item, from: usize, to: usize) -> Item {
    let mut item = item.clone();
    if let Item::Declaration(declaration) = &mut item
        && from != to
    {
        let at = |offset: u32| (offset as usize + to - from) as u32;
        declaration.for_each_span_mut(&mut |span| (span.start, span.end) = (at(span.start), at(span.end)));
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "film { size = (64, 32); }
# define X
camera main : perspective { from = (0, 1, 4); \"fov\" = -35; look { at = [1, {2, u > 1 ? 2 : 3}]; } }
group g(output closure color surface) { matte m(albedo = 1); surface = m.surface; }
import \"a.glb\" as ball;
material a = wet(tint = color(1, 0, 0), b = f(x).y[2], c = (float) !u, d = matrix(1, 0, typeof(u)(2)));
material b = make_closure<lambert>(N);
assign ball.\"Body\" = a;
";

    #[track_caller]
    fn same(before: &ParsedText, text: &str) -> ParsedText {
        let source = || Source::new("a.kiln", text);
        let (changed, new) = (before.changed(source()), ParsedText::new(source()));
        assert_eq!(changed.file.items, new.file.items, "{text}");
        assert_eq!(changed.file.unparsed, new.file.unparsed, "{text}");
        assert_eq!(new.file.items, crate::parse(source()).0.items);
        changed
    }

    #[test]
    fn a_changed_text_has_the_tree_of_a_new_one() {
        let mut parsed = ParsedText::new(Source::new("a.kiln", BEFORE));
        assert_eq!(parsed.file.items.len(), 7);
        // Insertions and removals at many characters, including strings and brackets without an end.
        for (at, _) in BEFORE.char_indices().step_by(5) {
            for inserted in ["x", "\"", "{", ")", "\n#"] {
                parsed = same(&parsed, &format!("{}{inserted}{}", &BEFORE[..at], &BEFORE[at..]));
            }
            parsed = same(&parsed, &BEFORE[at..]);
        }
    }
}
