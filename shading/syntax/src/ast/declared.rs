//! Index of the functions and structures that a file declares, with the call graph of the functions.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::{File, Item};
use crate::source::Span;

/// Index of a file's items, made when it is first asked for.
#[derive(Clone, Debug, Default)]
pub struct Declared(OnceLock<DeclaredNames>);

/// Declarations of a file outside of units.
#[derive(Clone, Debug, Default)]
pub(super) struct DeclaredNames {
    /// Indices of the items that are functions, by name.
    pub(super) functions: FxHashMap<String, Vec<usize>>,
    /// For each item that is a function or declares variables, the functions that its text names.
    mentions: FxHashMap<usize, Vec<usize>>,
    /// True if there is a structure.
    pub(super) has_structures: bool,
}

/// Start of the names of functions that define operators, which are called without their names.
const OPERATOR: &str = "__operator__";

impl Declared {
    /// Returns the index of `file`, whose index this is.
    pub(super) fn names(&self, file: &File) -> &DeclaredNames {
        self.0.get_or_init(|| DeclaredNames::of(file))
    }
}

impl DeclaredNames {
    fn of(file: &File) -> DeclaredNames {
        let mut names = DeclaredNames::default();
        for (index, item) in file.items.iter().enumerate() {
            match item {
                Item::Function(function) => {
                    let name = function.name.text.clone();
                    names.functions.entry(name).or_default().push(index);
                }
                Item::Struct(_) => names.has_structures = true,
                Item::Unit(_) | Item::Variables(_) | Item::Group(_) | Item::Declaration(_) => {}
            }
        }
        for (index, item) in file.items.iter().enumerate() {
            let (Item::Function(super::Function { span, .. }) | Item::Variables(super::Stmt { span, .. })) =
                item
            else {
                continue;
            };
            let mentioned = names.mentioned(file, *span);
            names.mentions.insert(index, mentioned);
        }
        names
    }

    /// Returns the functions that the text at a location names.
    fn mentioned(&self, file: &File, span: Span) -> Vec<usize> {
        let mut found: Vec<usize> = words_at(file, span)
            .filter_map(|word| self.functions.get(word))
            .flatten()
            .copied()
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the functions that code with these names in it may call, directly or through others, in the order of the
    /// file.
    pub(super) fn reachable<'n>(&self, file: &File, names: impl Iterator<Item = &'n str>) -> Vec<usize> {
        let named = names.filter_map(|name| self.functions.get(name));
        let mut open: Vec<usize> = named.flatten().copied().collect();
        let variables = file.items.iter().enumerate();
        let variables = variables.filter(|(_, item)| matches!(item, Item::Variables(_)));
        open.extend(variables.flat_map(|(index, _)| &self.mentions[&index]));
        if self.has_structures {
            let operators = self
                .functions
                .iter()
                .filter(|(name, _)| name.starts_with(OPERATOR));
            open.extend(operators.flat_map(|(_, list)| list));
        }
        let mut is_found = vec![false; file.items.len()];
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut is_found[index], true) {
                open.extend(&self.mentions[&index]);
            }
        }
        (0..is_found.len()).filter(|&index| is_found[index]).collect()
    }
}

/// The words of the text at a location.
pub(super) fn words_at(file: &File, span: Span) -> impl Iterator<Item = &str> {
    let text = &file.sources.get(span.source).text;
    let text = text.get(span.start as usize..span.end as usize);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.unwrap_or_default().split(move |c: char| !is_part(c))
}
