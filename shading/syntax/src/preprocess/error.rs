//! Errors of preprocessing, with their messages.

use std::ops::Range;

use super::token::Token;
use crate::diagnostic::Diagnostic;
use crate::source::{FileIndex, Origin};

/// An error with its location.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) file: FileIndex,
    pub(super) range: Range<u32>,
    pub(super) error: PreprocessError,
}

impl Failure {
    pub(super) fn at(token: &Token, error: PreprocessError) -> Failure {
        Failure { file: token.file, range: token.range.clone(), error }
    }
}

#[derive(Debug)]
pub(super) enum PreprocessError {
    // Files.
    NoFile(String),
    Unreadable {
        name: String,
        reason: String,
    },
    BadInclude,
    IncludesTooDeep(usize),
    TooManyFiles(usize),
    // Macros.
    NoMacroName,
    BadMacroName(String),
    BadParameters,
    PasteAtEnd,
    HashWithoutParameter,
    BadPaste {
        left: String,
        right: String,
    },
    Redefined {
        name: String,
        place: (FileIndex, Range<u32>),
    },
    UseNotClosed(String),
    ArgumentCount {
        name: String,
        expected: usize,
        found: usize,
        place: Option<(FileIndex, Range<u32>)>,
    },
    MacrosTooDeep(usize),
    TooMuch,
    // Conditions.
    BadDefined,
    BadCondition(Option<String>),
    ConditionTooDeep,
    DividedByZero,
    NoIf(String),
    AfterElse(String),
    NoEndif,
    // Others.
    BadLine,
    UnknownDirective {
        word: String,
        near: Option<String>,
    },
    /// `#error`
    Custom(String),
    /// `#warning`
    CustomWarning(String),
}

impl PreprocessError {
    /// Returns whether a limit was reached, which ends preprocessing.
    pub(super) fn ends_work(&self) -> bool {
        use PreprocessError as E;
        matches!(
            self,
            E::IncludesTooDeep(..) | E::TooManyFiles(..) | E::MacrosTooDeep(..) | E::TooMuch
        )
    }

    pub(super) fn diagnostic(self, origin: &Origin, file: FileIndex, range: Range<u32>) -> Diagnostic {
        use PreprocessError as E;
        let place = origin.file_location(file, range);
        let error = |message: String| Diagnostic::error(message).at_location(&place, "");
        match self {
            E::NoFile(name) if name == "mx_funcs.h" => error(format!("cannot find `{name}`")).hint(
                "it comes with MaterialX: `-I …/MaterialX/libraries/stdlib/genosl/include` names its folder",
            ),
            E::NoFile(name) => error(format!("cannot find `{name}`"))
                .hint("it is looked for beside the file that names it, and in the folders given by `-I`"),
            E::Unreadable { name, reason } => error(format!("cannot read `{name}`: {reason}")),
            E::BadInclude => error("`#include` takes the name of a file: \"name\" or <name>".to_owned()),
            E::IncludesTooDeep(limit) => error(format!("more than {limit} files include one another"))
                .hint("does a file include itself? `#pragma once` in it prevents that"),
            E::TooManyFiles(limit) => error(format!("more than {limit} files are included")),

            E::NoMacroName => error("the name of a macro is missing".to_owned()),
            E::BadMacroName(text) => error(format!("`{text}` cannot be the name of a macro")),
            E::BadParameters => error("these are no parameters of a macro".to_owned())
                .hint("they are different names with commas between, the last may be `...`"),
            E::PasteAtEnd => error("`##` needs something on both sides".to_owned()),
            E::HashWithoutParameter => error("`#` needs a parameter of the macro after it".to_owned()),
            E::BadPaste { left, right } => {
                error(format!("`{left}` and `{right}` do not make one word together"))
            }
            E::Redefined { name, place: old } => Diagnostic::warning(format!("macro `{name}` is redefined"))
                .at_location(&place, "")
                .at_location(&origin.file_location(old.0, old.1), "it was defined here")
                .hint(format!("`#undef {name}` before it says that this is wanted")),
            E::UseNotClosed(name) => error(format!("the arguments of macro `{name}` have no end")),
            E::ArgumentCount { name, expected, found, place } => {
                let plural = if expected == 1 { "" } else { "s" };
                let message = format!("macro `{name}` takes {expected} argument{plural}, found {found}");
                match place {
                    Some((file, range)) => {
                        error(message).at_location(&origin.file_location(file, range), "it is defined here")
                    }
                    None => error(message),
                }
            }
            E::MacrosTooDeep(limit) => error(format!("more than {limit} macros expand to one another")),
            E::TooMuch => error("what is included and expanded is too much".to_owned()),

            E::BadDefined => error("`defined` takes the name of a macro".to_owned()),
            E::BadCondition(Some(found)) => error(format!("`{found}` does not fit into a condition"))
                .hint("conditions are made of whole numbers, macros and C's operators"),
            E::BadCondition(None) => error("this condition is not complete".to_owned()),
            E::ConditionTooDeep => error("this condition is nested too deeply".to_owned()),
            E::DividedByZero => error("division by zero".to_owned()),
            E::NoIf(word) => error(format!("`#{word}` without `#if`")),
            E::AfterElse(word) => error(format!("`#{word}` after `#else`")),
            E::NoEndif => error("this condition has no `#endif`".to_owned()),

            E::BadLine => {
                error("`#line` takes a line number and, if wanted, a file name in quotes".to_owned())
            }
            E::UnknownDirective { word, near } => {
                let diagnostic = error(format!("unknown directive `#{word}`"));
                match near {
                    Some(near) => diagnostic.hint(format!("did you mean `#{near}`?")),
                    None => diagnostic,
                }
            }
            E::Custom(text) => error(if text.is_empty() { "#error".to_owned() } else { text }),
            E::CustomWarning(text) => {
                Diagnostic::warning(if text.is_empty() { "#warning".to_owned() } else { text })
                    .at_location(&place, "")
            }
        }
    }
}
