//! Syntax error messages from Pest's position and expected rules.

use std::ops::Range;

use pest::error::{Error, ErrorVariant, InputLocation};

use super::super::error::SyntaxError;
use super::foreign_syntax::foreign_syntax;
use super::grammar::Rule;
use super::lexeme::{is_reserved, is_type, previous_token, shorten, skip_space, starts_line, token};

/// A syntax error, with a possible repair.
pub(super) struct Explanation {
    /// Offset of the unexpected token.
    pub(super) at: usize,
    /// A token whose insertion probably repairs the error, with its offset.
    pub(super) missing: Option<(char, usize)>,
    /// Bytes that the message shows.
    pub(super) range: Range<usize>,
    pub(super) error: SyntaxError,
}

/// Returns the error of a failed parse of a text.
pub(super) fn explain(error: &Error<Rule>, text: &str) -> Explanation {
    let at = match error.location {
        InputLocation::Pos(at) => at,
        InputLocation::Span((at, _)) => at,
    };
    let at = skip_space(text, at).min(text.len());
    let mut explanation = Explanation {
        at,
        missing: None,
        range: at..at,
        error: SyntaxError::TooComplex,
    };
    let rules = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.as_slice(),
        // Pest's own limit on its call depth.
        ErrorVariant::CustomError { .. } => return explanation,
    };
    let found = token(text, at, text.len());
    let before = previous_token(text, at);
    let quoted = |range: &Range<usize>| quote(&text[range.clone()]);
    if text[found.clone()].starts_with('{')
        && rules.contains(&Rule::rparen)
        && let Some(before) = &before
    {
        explanation.missing = Some((')', before.end));
    }
    if let Some((range, error)) = common_mistake(text, at, &found, before.as_ref(), rules) {
        return Explanation { range, error, ..explanation };
    }
    // A missing end of a statement is detected at the next token, but reported after the previous one.
    if rules.contains(&Rule::semi)
        && let Some(before) = &before
        && (found.is_empty() || starts_line(text, at) || text[found.clone()].starts_with('}'))
    {
        return Explanation {
            missing: Some((';', before.end)),
            range: before.end.saturating_sub(1).max(before.start)..before.end,
            error: SyntaxError::Expected {
                expected: "`;`".to_owned(),
                after: Some(quoted(before)),
                found: None,
                hint: None,
            },
            ..explanation
        };
    }
    Explanation {
        error: SyntaxError::Expected {
            expected: expectation(rules),
            after: None,
            found: Some(if found.is_empty() {
                "the end of the text".to_owned()
            } else {
                quoted(&found)
            }),
            hint: None,
        },
        range: match (&before, found.is_empty()) {
            (Some(before), true) => before.clone(),
            _ => found,
        },
        ..explanation
    }
}

fn quote(token: &str) -> String {
    format!("`{}`", shorten(token))
}

/// Describes the expected syntax: the most informative of the rules that were tried.
fn expectation(rules: &[Rule]) -> String {
    let mut words: Vec<&str> = vec![];
    for rule in rules {
        let word = match rule {
            Rule::semi => "`;`",
            Rule::comma => "`,`",
            Rule::lparen => "`(`",
            Rule::rparen => "`)`",
            Rule::lbrace | Rule::block | Rule::scene_block => "`{`",
            Rule::rbrace => "`}`",
            Rule::rbracket => "`]`",
            Rule::colon | Rule::kind => "`:`",
            Rule::equals => "`=`",
            Rule::kw_if | Rule::stmt => "a statement",
            Rule::kw_while if rules.len() == 1 => "`while`",
            Rule::name | Rule::named | Rule::word | Rule::path | Rule::field | Rule::variable => "a name",
            Rule::r#type
            | Rule::param
            | Rule::metadatum
            | Rule::basic_type
            | Rule::type_of
            | Rule::closure_type => "a type",
            Rule::expr
            | Rule::sequence
            | Rule::arg
            | Rule::args
            | Rule::prefix_op
            | Rule::float
            | Rule::int
            | Rule::string
            | Rule::paren => "an expression",
            Rule::unit_kind | Rule::structure | Rule::function | Rule::group | Rule::declaration => {
                "a shader, function, struct, group or declaration"
            }
            _ => continue,
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    if words.contains(&"a statement") {
        words.retain(|w| matches!(*w, "a statement" | "`}`"));
    }
    // If an expression is allowed, so are its constituents; listing them adds no information.
    if words.contains(&"an expression") {
        words.retain(|w| !matches!(*w, "a name" | "a type" | "`(`" | "`{`"));
    }
    match words.len() {
        0 => "something else".to_owned(),
        1 => words[0].to_owned(),
        n => format!("{} or {}", words[..n - 1].join(", "), words[n - 1]),
    }
}

/// Recognises common errors, and returns the syntax that was probably meant.
fn common_mistake(
    text: &str,
    at: usize,
    found: &Range<usize>,
    before: Option<&Range<usize>>,
    rules: &[Rule],
) -> Option<(Range<usize>, SyntaxError)> {
    let word = &text[found.clone()];
    let mistake = |range: &Range<usize>, expected: &str, hint: &str| {
        let error = SyntaxError::Expected {
            expected: expected.to_owned(),
            after: None,
            found: Some(quote(&text[range.clone()])),
            hint: Some(hint.to_owned()),
        };
        Some((range.clone(), error))
    };
    let first = &text[token(text, 0, text.len())];
    if rules.contains(&Rule::lparen) && is_type(first) && matches!(word, "=" | ";" | ",") {
        let hint =
            "variables are declared in a unit or function; use a parameter, or a function that returns it";
        return mistake(found, "`(`", hint);
    }
    // The first word of the statement was parsed as the name of an output.
    if first == "group"
        && rules.contains(&Rule::equals)
        && let Some(before) = before
        && starts_statement(&text[before.clone()])
    {
        let hint = "a group connects instances, as in `matte base(albedo = 0.5 * tint); surface = base.surface;`; \
                    statements belong in units";
        return mistake(before, "an instance of a unit or group", hint);
    }
    if word == "=" && before.is_some_and(|b| &text[b.clone()] == "[") {
        return None;
    }
    let previous = before.map(|b| &text[b.clone()]);
    let is_arrow = word == ">" && previous == Some("-") && before.is_some_and(|b| b.end == at);
    if is_arrow || word == "::" || (word == ":" && text[found.end..].starts_with(':')) {
        return mistake(found, "`.`", "fields and components are reached with `.`");
    }
    if let Some(foreign) = foreign_syntax(text, found) {
        return mistake(&foreign.range, foreign.expected, foreign.hint);
    }
    if word == "else" && rules.contains(&Rule::kw_if) {
        let hint = "an `else` goes with the `if` before it; is there one `;` too many?";
        return mistake(found, "a statement", hint);
    }
    if word == "'" {
        return mistake(found, "an expression", "strings are written in double quotes");
    }
    if let Some((before, previous)) = before.zip(previous)
        && matches!(
            previous,
            "unsigned" | "long" | "short" | "char" | "static" | "extern" | "inline" | "uniform" | "varying"
        )
    {
        return mistake(before, "a type", "this word of other languages is not needed here");
    }
    if previous.is_some_and(is_reserved) && rules.contains(&Rule::equals) && word == "=" {
        return None;
    }
    if is_reserved(word)
        && (rules.contains(&Rule::name) || rules.contains(&Rule::named))
        && !rules.contains(&Rule::expr)
        && !starts_line(text, at)
    {
        return mistake(found, "a name", "this word belongs to the language; choose another name");
    }
    None
}

fn starts_statement(word: &str) -> bool {
    is_type(word) || matches!(word, "if" | "for" | "while" | "do" | "return" | "const")
}
