//! `printf` and its kin: what the format asks for against what is given.

use super::Checker;
use super::argument::Given;
use super::warning::Warning;
use crate::hir::Operand;
use crate::ty::{Base, Type};

impl<'a> Checker<'a> {
    /// Warns where a constant format and the arguments do not go together.
    pub(super) fn check_format(&mut self, name: &'static str, args: &[Operand], given: &[Given<'a>]) {
        let (Some(format), Some(first)) = (args.first(), given.first()) else {
            return;
        };
        let Some(text) = self.body.known_string(*format) else {
            return;
        };
        let directives = directives(&text);
        let values: Vec<&Given<'a>> = given[1..].iter().collect();
        // An array fills as many directives as it has elements.
        let total: usize = values
            .iter()
            .filter_map(|g| g.ty())
            .map(|ty| ty.count() as usize)
            .sum();
        if directives.len() != total {
            let warning = Warning::FormatCount {
                name,
                expected: directives.len(),
                found: total,
            };
            self.warn(first.span, warning);
            return;
        }
        let mut directives = directives.into_iter();
        for given in values {
            let Some(ty) = given.ty() else {
                continue;
            };
            for directive in directives.by_ref().take(ty.count() as usize) {
                if !fits(directive, ty.element()) {
                    let found = self.show(ty);
                    self.warn(given.span, Warning::FormatType { directive, found });
                    break;
                }
            }
        }
    }
}

/// The conversion letters of a format, in order.
fn directives(text: &str) -> Vec<char> {
    let mut list = vec![];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        let letter = chars.find(|c| c.is_ascii_alphabetic() && !matches!(c, 'l' | 'h') || *c == '%');
        list.extend(letter.filter(|c| *c != '%'));
    }
    list
}

fn fits(directive: char, ty: Type) -> bool {
    match directive {
        'd' | 'i' | 'x' | 'X' | 'o' | 'u' | 'c' => matches!(ty.base, Base::Int | Base::Closure),
        'f' | 'g' | 'e' | 'F' | 'G' | 'E' | 'a' => {
            matches!(ty.base, Base::Float | Base::Matrix | Base::Int) || ty.base.is_triple()
        }
        's' => matches!(ty.base, Base::String | Base::Closure),
        _ => true,
    }
}
