//! Macro definitions: `#define` and the predefined macros.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use super::error::{Failure, PreprocessError};
use super::header;
use super::token::Token;
use crate::source::FileIndex;
use crate::token::TokenKind;

/// Names of the macros defined by the preprocessor itself.
pub(super) const PREDEFINED: [&str; 7] = [
    "OSL_VERSION",
    "OSL_VERSION_MAJOR",
    "OSL_VERSION_MINOR",
    "OSL_VERSION_PATCH",
    "__LINE__",
    "__FILE__",
    "__COUNTER__",
];

/// Version of OSL whose language is implemented: 1.16.0.
pub const OSL_VERSION: i32 = 11600;

const VERSION: [(&str, &str); 4] = [
    ("OSL_VERSION", "11600"),
    ("OSL_VERSION_MAJOR", "1"),
    ("OSL_VERSION_MINOR", "16"),
    ("OSL_VERSION_PATCH", "0"),
];

/// Constants of the language that are macros in OSL's `stdosl.h`, for texts that test them with `#ifdef`.
const CONSTANTS: [&str; 16] = [
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_2_PI",
    "M_2PI",
    "M_4PI",
    "M_2_SQRTPI",
    "M_E",
    "M_LN2",
    "M_LN10",
    "M_LOG2E",
    "M_LOG10E",
    "M_SQRT2",
    "M_SQRT1_2",
    "M_1_PI",
    header::GUARD,
];

/// Expansion of a macro.
#[derive(Debug)]
pub(super) enum MacroKind {
    /// The tokens of its definition.
    Tokens,
    /// The line of its use.
    Line,
    /// The file of its use.
    File,
    /// A number that is unique to each use.
    Counter,
    /// Itself: the name is built into the language.
    Itself,
}

#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Arc<str>,
    pub(super) kind: MacroKind,
    /// Parameter names; `None` for an object-like macro.
    pub(super) params: Option<Vec<Arc<str>>>,
    /// True if the last parameter accepts all remaining arguments.
    pub(super) is_variadic: bool,
    pub(super) body: Vec<Token>,
    /// Location of the definition, if it is in a text.
    pub(super) place: Option<(FileIndex, Range<u32>)>,
}

impl Macro {
    fn built_in(name: &str, kind: MacroKind) -> Arc<Macro> {
        Arc::new(Macro {
            name: name.into(),
            kind,
            params: None,
            is_variadic: false,
            body: vec![],
            place: None,
        })
    }

    /// Parses the rest of a `#define` line.
    pub(super) fn read(directive: &Token, line: &[Token]) -> Result<Macro, Failure> {
        let name = line
            .first()
            .ok_or_else(|| Failure::at(directive, PreprocessError::NoMacroName))?;
        if !name.is_name() || name.is("defined") {
            return Err(Failure::at(name, PreprocessError::BadMacroName(name.text.to_string())));
        }
        let mut rest = &line[1..];
        let mut params = None;
        let mut is_variadic = false;
        if let Some(open) = rest.first()
            && open.is("(")
            && !open.spaced
        {
            let end = rest
                .iter()
                .position(|token| token.is(")"))
                .ok_or_else(|| Failure::at(open, PreprocessError::BadParameters))?;
            params = Some(parameters(&rest[1..end], &mut is_variadic)?);
            rest = &rest[end + 1..];
        }
        let made = Macro {
            name: name.text.clone(),
            kind: MacroKind::Tokens,
            params,
            is_variadic,
            body: rest.to_vec(),
            place: Some((name.file, name.range.clone())),
        };
        made.check()?;
        Ok(made)
    }

    /// Checks that `#` is followed by a parameter and `##` has operands on both sides.
    fn check(&self) -> Result<(), Failure> {
        for (i, token) in self.body.iter().enumerate() {
            if token.is("##") && (i == 0 || i + 1 == self.body.len()) {
                return Err(Failure::at(token, PreprocessError::PasteAtEnd));
            }
            if self.params.is_some()
                && token.is("#")
                && self.body.get(i + 1).and_then(|next| self.param(next)).is_none()
            {
                return Err(Failure::at(token, PreprocessError::HashWithoutParameter));
            }
        }
        Ok(())
    }

    /// Returns the parameter that a token of the body names.
    pub(super) fn param(&self, token: &Token) -> Option<usize> {
        if !token.is_name() {
            return None;
        }
        self.params.as_ref()?.iter().position(|param| *param == token.text)
    }

    /// Returns whether two definitions are identical.
    pub(super) fn is_same(&self, other: &Macro) -> bool {
        self.params == other.params
            && self.is_variadic == other.is_variadic
            && self.body.len() == other.body.len()
            && self
                .body
                .iter()
                .zip(&other.body)
                .all(|(a, b)| a.kind == b.kind && a.text == b.text)
    }
}

/// Parses the parameter list of a definition: `a, b`, `a, ...` or `a, rest...`.
fn parameters(list: &[Token], is_variadic: &mut bool) -> Result<Vec<Arc<str>>, Failure> {
    let mut params: Vec<Arc<str>> = vec![];
    let bad = |token: &Token| Failure::at(token, PreprocessError::BadParameters);
    if list.is_empty() {
        return Ok(params);
    }
    for part in list.split(|token| token.is(",")) {
        let at = part.first().or(list.last()).expect("the list holds a token");
        if *is_variadic {
            return Err(bad(at));
        }
        let name: Arc<str> = match part {
            [name] if name.is_name() => name.text.clone(),
            [dots] if dots.is("...") => "__VA_ARGS__".into(),
            [name, dots] if name.is_name() && dots.is("...") => name.text.clone(),
            _ => return Err(bad(at)),
        };
        *is_variadic = part.last().is_some_and(|token| token.is("..."));
        if params.contains(&name) {
            return Err(bad(at));
        }
        params.push(name);
    }
    Ok(params)
}

/// Returns the macros that the preprocessor itself defines, by name.
pub(super) fn predefined() -> FxHashMap<Arc<str>, Arc<Macro>> {
    static ALL: LazyLock<FxHashMap<Arc<str>, Arc<Macro>>> = LazyLock::new(|| {
        let mut all: Vec<Arc<Macro>> = vec![
            Macro::built_in("__LINE__", MacroKind::Line),
            Macro::built_in("__FILE__", MacroKind::File),
            Macro::built_in("__COUNTER__", MacroKind::Counter),
        ];
        all.extend(CONSTANTS.map(|name| Macro::built_in(name, MacroKind::Itself)));
        all.extend(VERSION.map(|(name, text)| {
            let number = Token {
                kind: TokenKind::Number,
                text: text.into(),
                file: FileIndex::default(),
                range: 0..0,
                spaced: false,
                hidden: [].into(),
            };
            Arc::new(Macro {
                name: name.into(),
                kind: MacroKind::Tokens,
                params: None,
                is_variadic: false,
                body: vec![number],
                place: None,
            })
        }));
        all.into_iter().map(|known| (known.name.clone(), known)).collect()
    });
    ALL.clone()
}
