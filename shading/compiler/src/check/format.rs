//! Format strings of `printf` and similar functions, checked against their arguments.

use super::Checker;
use super::argument::CallArgument;
use super::error::CheckError;
use crate::hir::Operand;
use crate::ty::{Base, Type};

impl<'a> Checker<'a> {
    /// Reports conversions of a constant format string that do not match the arguments.
    pub(super) fn check_format(&mut self, name: &'static str, args: &[Operand], given: &[CallArgument<'a>]) {
        let (Some(format), Some(first)) = (args.first(), given.first()) else {
            return;
        };
        let Some(text) = self.body.known_string(*format) else {
            return;
        };
        let directives = directives(&text);
        let values: Vec<&CallArgument<'a>> = given[1..].iter().collect();
        // An array provides one value per element.
        let total: usize = values.iter().filter_map(|g| g.ty()).map(|ty| ty.count() as usize).sum();
        // Alternatively, one conversion prints the whole array.
        let is_one_each = directives.len() == values.len();
        if directives.len() != total && !is_one_each {
            let error = CheckError::FormatCount { name, expected: directives.len(), found: total };
            self.report(first.span, error);
            return;
        }
        let mut directives = directives.into_iter();
        for given in values {
            let Some(ty) = given.ty() else {
                continue;
            };
            let count = if is_one_each { 1 } else { ty.count() as usize };
            for directive in directives.by_ref().take(count) {
                if !fits(directive, ty.element()) {
                    let found = self.show(ty);
                    self.report(given.span, CheckError::FormatType(directive, found));
                    break;
                }
            }
        }
    }
}

/// Returns the conversion letters of a format string, in order.
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
        'd' | 'i' | 'x' | 'X' | 'o' | 'u' => ty.base == Base::Int,
        'f' | 'g' | 'e' | 'F' | 'G' | 'E' | 'a' | 'c' | 'm' | 'n' | 'p' | 'v' => {
            matches!(ty.base, Base::Float | Base::Matrix) || ty.base.is_triple()
        }
        's' => matches!(ty.base, Base::String | Base::Closure),
        _ => true,
    }
}
