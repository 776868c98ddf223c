//! Call graph of a file's functions.

use super::declaration_index::Declarations;
use super::{Expr, ExprKind, File, Function, Item, Stmt, Unit};
use crate::source::Span;

/// Start of the names of functions that define operators, which are called without their names.
const OPERATOR: &str = "__operator__";

impl File {
    /// Returns whether the file declares a function of that name outside of units.
    pub fn declares_function(&self, name: &str) -> bool {
        self.names().functions.contains_key(name)
    }

    /// Returns whether the file declares a structure.
    pub fn declares_structures(&self) -> bool {
        self.names().has_structures
    }

    /// Returns the indices of the functions that a unit of the file may call, directly or through others.
    pub fn functions_of_unit(&self, unit: &Unit) -> Vec<usize> {
        self.names().reachable(self, words_at(self, unit.span))
    }

    /// Returns the indices of the functions that an expression may call, directly or through others.
    pub fn functions_of_expr(&self, expr: &Expr) -> Vec<usize> {
        let mut names = vec![];
        called(expr, &mut names);
        self.names().reachable(self, names.into_iter())
    }

    fn names(&self) -> &Declarations {
        self.declaration_index.names(|| Declarations::of(self))
    }
}

impl Declarations {
    fn of(file: &File) -> Declarations {
        let mut names = Declarations::default();
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
            let (Item::Function(Function { span, .. }) | Item::Variables(Stmt { span, .. })) = item else {
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
    fn reachable<'n>(&self, file: &File, names: impl Iterator<Item = &'n str>) -> Vec<usize> {
        let named = names.filter_map(|name| self.functions.get(name));
        let mut open: Vec<usize> = named.flatten().copied().collect();
        let variables = file.items.iter().enumerate();
        let variables = variables.filter(|(_, item)| matches!(item, Item::Variables(_)));
        open.extend(variables.flat_map(|(index, _)| &self.mentions[&index]));
        if self.has_structures {
            let operators = self.functions.iter().filter(|(name, _)| name.starts_with(OPERATOR));
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
fn words_at(file: &File, span: Span) -> impl Iterator<Item = &str> {
    let text = &file.sources.get(span.source).text;
    let text = text.get(span.start as usize..span.end as usize);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.unwrap_or_default().split(move |c: char| !is_part(c))
}

fn called<'e>(expr: &'e Expr, names: &mut Vec<&'e str>) {
    if let ExprKind::Call { name, .. } = &expr.kind {
        names.push(&name.text);
    }
    expr.for_each_operand(&mut |operand| called(operand, names));
}
