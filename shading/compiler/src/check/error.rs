//! Semantic errors, with their messages; warnings are in [`super::warning`].

use super::foreign_name::{self, NameUse};
use super::lvalue::Access;
use shading_syntax::ast::BinaryOp;
use shading_syntax::diagnostic::Diagnostic;
use shading_syntax::source::{SourceMap, Span};

/// A semantic error with the data of its message. Types are in source form; `near` is a known name similar to the wrong one.
#[derive(Clone, Debug)]
pub(super) enum CheckError {
    // Names.
    UnknownName {
        name: String,
        near: Option<String>,
        is_function: bool,
    },
    UnknownType(String, Option<String>),
    UnknownMember {
        ty: String,
        name: String,
        near: Option<String>,
    },
    UnknownFunction(String, Option<String>),
    UnknownClosure(String, Option<String>),
    UnknownGlobal(String, Option<String>),
    UnknownWrap(String, Option<String>),
    UnknownInterpolation(String, Option<String>),
    UnknownColorSpace(String, Option<String>),
    Duplicate(&'static str, String),
    OutOfReach(String),
    // Declarations.
    BadFieldType(String),
    BadElementType(String),
    /// The name of the structure and the largest number of leaves.
    StructTooLarge(String, usize),
    /// The path to a leaf is longer than the limit.
    StructTooDeep(String, usize),
    /// The paths to the leaves of all structures are longer than the limit.
    StructsTooLarge(String, usize),
    BadLength {
        length: i64,
        limit: i64,
    },
    LengthNotConstant,
    VoidVariable,
    UnsizedVariable,
    NamelessParam,
    UnsizedOutput(String),
    NoDefault(String),
    IntOverflow(i64),
    FunctionDefault,
    MetadataNotConstant,
    RecursiveUnsized(String),
    NoReturn {
        name: String,
        ty: String,
    },
    // Values and types.
    Mismatch {
        expected: String,
        found: String,
        cast: bool,
    },
    NoCast {
        from: String,
        to: String,
    },
    NoValue,
    NotACondition(String),
    TernaryMismatch {
        then: String,
        otherwise: String,
    },
    BadOperand(&'static str, String),
    BadOperands {
        op: BinaryOp,
        left: String,
        right: String,
    },
    NoOperator {
        symbol: &'static str,
        name: &'static str,
        operands: Vec<String>,
    },
    ClosureSubtracted,
    BracesWithoutType,
    EmptyBraces,
    ListInCode,
    TupleLength(usize),
    ElementCount {
        ty: String,
        expected: usize,
        found: usize,
    },
    // Lvalues.
    NotIndexable(String),
    IndexNotInt(String),
    HalfIndexed,
    NotWritable(Access),
    // Calls.
    NamedArgument,
    NotAFunction(String),
    Ambiguous {
        name: String,
        found: Vec<String>,
        candidates: Vec<String>,
    },
    FormatCount {
        name: &'static str,
        expected: usize,
        found: usize,
    },
    /// The letter of the directive and the type of its argument.
    FormatType(char, String),
    ArgumentCount {
        name: String,
        expected: usize,
        found: usize,
        candidates: Vec<String>,
    },
    BadArgument {
        name: String,
        number: usize,
        expected: String,
        found: String,
        output: bool,
        candidates: Vec<String>,
    },
    NoOverload {
        name: String,
        found: Vec<String>,
        candidates: Vec<String>,
    },
    /// The name of the type and the number of arguments.
    BadConstructor(String, usize),
    FileVariable,
    TypeAsName(String),
    MisplacedAny,
    AnyWithoutDefault,
    AnyOf(String),
    ArrayOfTypeof,
    NoBranch(String),
    BadQuery(String),
    BadForm(&'static str),
    MixedList(String),
    NotPrintable(String),
    NotTransformable(String),
    NotAttribute(String),
    NotPointValue(String),
    NotMessage(String),
    NoDerivative(String),
    OptionNotConstant,
    OptionWithoutValue,
    OptionNotVariable(String),
    CallsTooDeep(String),
    // Statements.
    OutsideLoop(&'static str),
    UnwantedReturn(String),
    MissingReturnValue(String),
    // Limits.
    TooLarge(usize),
    TooDeep,
    NotYet(String),
}

impl CheckError {
    /// Returns the name that an error is about, if it is one of a declaration.
    pub(super) fn subject(&self) -> Option<&str> {
        use CheckError as E;
        match self {
            E::UnknownName { name, .. }
            | E::UnknownType(name, _)
            | E::UnknownMember { name, .. }
            | E::UnknownFunction(name, _)
            | E::UnknownClosure(name, _)
            | E::NotAFunction(name)
            | E::Ambiguous { name, .. }
            | E::ArgumentCount { name, .. }
            | E::BadArgument { name, .. }
            | E::NoOverload { name, .. }
            | E::BadConstructor(name, _) => Some(name),
            _ => None,
        }
    }

    pub(super) fn diagnostic(self, sources: &SourceMap, span: Span) -> Diagnostic {
        use CheckError as E;
        let error = |message: String| Diagnostic::error(message).at(sources, span, "");
        let unknown = |what: &str, name: &str, near: Option<String>| {
            did_you_mean(error(format!("unknown {what} `{name}`")), near)
        };
        let foreign = |what: &str, usage: NameUse, name: &str, near: Option<String>| match foreign_name::hint(
            name, usage,
        ) {
            Some(hint) => error(format!("unknown {what} `{name}`")).hint(hint),
            None => unknown(what, name, near),
        };
        match self {
            E::UnknownName {
                name,
                near,
                is_function: false,
            } => foreign("name", NameUse::Variable, &name, near),
            E::UnknownName {
                name,
                is_function: true,
                ..
            } => {
                error(format!("`{name}` is a function, not a variable")).hint(format!("call it: `{name}(…)`"))
            }
            E::UnknownType(name, _) if name == "unit" => error("unknown type `unit`".to_owned())
                .hint("a shader unit begins with `shader` or `surface`: `surface name(…) { … }`"),
            E::UnknownType(name, near) => foreign("type", NameUse::Type, &name, near),
            E::UnknownMember { ty, name, near } => {
                did_you_mean(error(format!("{ty} has no member `{name}`")), near)
            }
            E::UnknownFunction(name, near) => foreign("function", NameUse::Function, &name, near),
            E::UnknownClosure(name, near) => unknown("closure", &name, near),
            E::UnknownGlobal(name, near) => unknown("global", &name, near),
            E::UnknownWrap(name, near) => unknown("wrap mode", &name, near),
            E::UnknownInterpolation(name, near) => unknown("interpolation", &name, near),
            E::UnknownColorSpace(name, near) => unknown("colour space", &name, near),
            E::Duplicate(what, name) => error(format!("{what} `{name}` is declared twice")),
            E::OutOfReach(name) => error(format!(
                "a recursive function cannot use `{name}` of the code around it"
            ))
            .hint("pass it as an argument"),

            E::BadFieldType(found) => error(format!("a field cannot be of type {found}")),
            E::BadElementType(element) => error(format!("arrays cannot have elements of type {element}"))
                .hint("the elements of an array cannot be void, or structures that hold arrays"),
            E::StructTooLarge(name, limit) => {
                error(format!("structure `{name}` has more than {limit} values"))
            }
            E::StructTooDeep(name, limit) => error(format!(
                "the name of a value in structure `{name}` has more than {limit} bytes, with those of the structures around it"
            ))
            .hint("nest fewer structures"),
            E::StructsTooLarge(name, limit) => error(format!(
                "the names of the values in `{name}` and the structures before it have more than {limit} bytes"
            ))
            .hint("nest fewer structures"),
            E::BadLength { length, limit } => error(format!("an array cannot have {length} elements"))
                .hint(format!("it can have 1 to {limit}")),
            E::LengthNotConstant => error("the length of an array must be a constant int".to_owned()),
            E::VoidVariable => error("a variable cannot be of type void".to_owned()),
            E::UnsizedVariable => error("this array has no length".to_owned())
                .hint("write it between the brackets, or give the elements: `= { … }`"),
            E::NamelessParam => error("this parameter has no name".to_owned()),
            E::UnsizedOutput(name) => error(format!("output `{name}` has no length"))
                .hint("write it between the brackets: only inputs can take an array of any length"),
            E::NoDefault(name) => error(format!("parameter `{name}` has no default value"))
                .hint("in OSL every parameter of a shader has one"),
            E::IntOverflow(value) => error(format!("{value} does not fit an int")).hint(format!(
                "an int is from {} to {}",
                i32::MIN,
                i32::MAX
            )),
            E::FunctionDefault => error("parameters of functions have no default values".to_owned())
                .hint("write an overload that takes fewer parameters"),
            E::MetadataNotConstant => error("the value of metadata must be constant".to_owned()),
            E::RecursiveUnsized(name) => error(format!(
                "`{name}` calls itself, and so cannot take an array of any length"
            ))
            .hint("write the length between the brackets"),
            E::NoReturn { name, ty } => error(format!("`{name}` must return {ty}, but has no `return`")),

            E::Mismatch {
                expected,
                found,
                cast,
            } => {
                let diagnostic = error(format!("expected {expected}, found {found}"));
                if cast {
                    diagnostic.hint(format!("convert it: `({expected}) …`"))
                } else {
                    diagnostic
                }
            }
            E::NoCast { from, to } => error(format!("cannot convert {from} to {to}")),
            E::NoValue => error("this has no value".to_owned()),
            E::NotACondition(found) => error(format!("expected a condition, found {found}")),
            E::TernaryMismatch { then, otherwise } => error(format!(
                "the two values of `?:` are of different types, {then} and {otherwise}"
            )),
            E::BadOperand(symbol, found) => error(format!("`{symbol}` does not work on {found}")),
            E::BadOperands { op, left, right } => bad_operands(error, op, &left, &right),
            E::NoOperator {
                symbol,
                name,
                operands,
            } => error(format!(
                "`{symbol}` is not defined for {}",
                operands.join(" and ")
            ))
            .hint(format!("a function `{name}` defines it")),
            E::ClosureSubtracted => {
                error("closures cannot be subtracted".to_owned())
                    .hint("scale the closure by a smaller weight instead")
            }
            E::BracesWithoutType => error("the type of `{ … }` is unknown here".to_owned()).hint(
                "braces give a value where the type is known: to a declared variable, a parameter, a result",
            ),
            E::EmptyBraces => error("`{ }` without elements is a default of a parameter only".to_owned())
                .hint("variables without an initial value are zero"),
            E::ListInCode => error("a list in brackets is not allowed here".to_owned())
                .hint("an array is written with braces: `{ a, b }`"),
            E::TupleLength(found) => error(format!(
                "expected 3 numbers for a triple or 16 for a matrix, found {found}"
            )),
            E::ElementCount { ty, expected, found } => {
                error(format!("{ty} takes {}, found {found}", plural(expected, "value")))
            }

            E::NotIndexable(ty) => error(format!("{ty} has no elements to index")),
            E::IndexNotInt(found) => error(format!("an index must be int, found {found}")),
            E::HalfIndexed => {
                error("an element of a matrix needs two indices".to_owned()).hint("`m[row][column]`")
            }
            E::NotWritable(access) => not_writable(error, access),

            E::NamedArgument => error("arguments of a function have no names".to_owned())
                .hint("only instances of units take named arguments"),
            E::NotAFunction(name) => error(format!("`{name}` is a variable, not a function")),
            E::Ambiguous {
                name,
                found,
                candidates,
            } => {
                let message = format!(
                    "several overloads of `{name}` take ({}) equally well",
                    found.join(", ")
                );
                with_candidates(error(message), &candidates)
            }
            E::FormatCount {
                name,
                expected,
                found,
            } => error(format!(
                "the format of `{name}` takes {}, found {found}",
                plural(expected, "value")
            )),
            E::FormatType(directive, found) => error(format!("`%{directive}` does not show {found}")),
            E::ArgumentCount {
                name,
                expected,
                found,
                candidates,
            } => with_candidates(
                error(format!(
                    "`{name}` takes {}, found {found}",
                    plural(expected, "argument")
                )),
                &candidates,
            ),
            E::BadArgument {
                name,
                number,
                expected,
                found,
                output,
                candidates,
            } => {
                let output = if output { "a variable of type " } else { "" };
                let message =
                    format!("argument {number} of `{name}` must be {output}{expected}, found {found}");
                with_candidates(error(message), &candidates)
            }
            E::NoOverload {
                name,
                found,
                candidates,
            } => {
                let message = format!("no overload of `{name}` takes ({})", found.join(", "));
                with_candidates(error(message), &candidates)
            }
            E::BadConstructor(name, found) => error(format!(
                "{name} is not made of {}",
                plural(found, "argument")
            ))
            .hint(match name.as_str() {
                "matrix" => "matrix(f), matrix(16 floats), matrix(\"from\", \"to\") or matrix(\"space\", …)",
                "int" | "float" | "string" => "it is converted from one value",
                _ => "it is made of one float, of three, or of a space's name and three floats",
            }),
            E::FileVariable => error("OSL has no variables outside of shaders and functions".to_owned())
                .hint("a `.ksl` file may have constants and texture handles there"),
            E::TypeAsName(name) => error(format!("`{name}` is a type in OSL and cannot be a name")),
            E::MisplacedAny => error("only a parameter can be of type `any`".to_owned())
                .hint("a variable or a result has the type of a value: `typeof(value) copy = value;`"),
            E::AnyWithoutDefault => error("a parameter of type `any` needs a default".to_owned())
                .hint("its type is that of the default where nothing is given"),
            E::AnyOf(found) => error(format!("a parameter of type `any` cannot be {found}")),
            E::ArrayOfTypeof => error("there is no array of `typeof(…)`".to_owned()),
            E::NoBranch(found) => error(format!("no branch accepts {found}")),
            E::BadQuery(name) => error(format!("`{name}` takes one argument")),
            E::MixedList(types) => error(format!("the elements have no type in common: {types}"))
                .hint("the elements of an array are of one type; numbers and one kind of triple mix"),
            E::BadForm(form) => {
                error("these arguments do not fit".to_owned()).hint(format!("write {form}"))
            }
            E::NotPrintable(found) => error(format!("{found} cannot be printed")),
            E::NotTransformable(found) => error(format!("expected point, vector, normal, found {found}"))
                .hint("`transformc` converts colours between spaces"),
            E::NotAttribute(found) => error(format!("an attribute cannot be of type {found}")),
            E::NotPointValue(found) => error(format!(
                "points cannot be written with a value of type {found}"
            ))
            .hint(
                "an int, a float, a color, a point, a vector, a normal, a matrix or a string can be written",
            ),
            E::NotMessage(found) => error(format!("a message cannot be of type {found}")),
            E::NoDerivative(found) => error(format!("{found} has no derivative")),
            E::OptionNotConstant => error("the name of an option must be constant".to_owned()),
            E::OptionWithoutValue => error("this option has no value".to_owned()),
            E::OptionNotVariable(name) => error(format!("\"{name}\" needs a variable to write to")),
            E::CallsTooDeep(name) => error(format!("calls are nested too deeply at `{name}`")),

            E::OutsideLoop(word) => error(format!("`{word}` outside of a loop")),
            E::UnwantedReturn(found) => error(format!("expected `return` without a value, found {found}")),
            E::MissingReturnValue(expected) => {
                error(format!("expected a value of type {expected} to return"))
            }

            E::TooLarge(limit) => error(format!("the code of this unit exceeds {limit} operations"))
                .hint("every call of a function is a copy of it; call fewer, or in a loop"),
            E::TooDeep => error("this is nested too deeply".to_owned()),
            E::NotYet(what) => error(format!("{what} is not supported yet")),
        }
    }
}

pub(super) fn did_you_mean(diagnostic: Diagnostic, near: Option<String>) -> Diagnostic {
    match near {
        Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

fn with_candidates(mut diagnostic: Diagnostic, candidates: &[String]) -> Diagnostic {
    const SHOWN: usize = 8;
    for candidate in candidates.iter().take(SHOWN) {
        diagnostic = diagnostic.hint(format!("there is `{candidate}`"));
    }
    match candidates.len().checked_sub(SHOWN) {
        None | Some(0) => diagnostic,
        Some(more) => diagnostic.hint(format!("and {more} more")),
    }
}

fn bad_operands(error: impl Fn(String) -> Diagnostic, op: BinaryOp, left: &str, right: &str) -> Diagnostic {
    let is_string = left == "string" || right == "string";
    let verb = match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "subtract",
        BinaryOp::Mul => "multiply",
        BinaryOp::Div => "divide",
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => "compare",
        BinaryOp::BitXor => {
            return error(format!("`^` takes ints, found {left} and {right}")).hint("a power is `pow(x, y)`");
        }
        _ => return error(format!("`{}` takes ints, found {left} and {right}", op.symbol())),
    };
    let diagnostic = error(format!("cannot {verb} {left} and {right}"));
    match op {
        BinaryOp::Add if is_string => diagnostic.hint("strings are joined by `concat`"),
        BinaryOp::Mul if left == "closure color" && right == "closure color" => {
            diagnostic.hint("a closure is scaled by a float or a color; two are joined by `+`")
        }
        BinaryOp::Div if left == "closure color" => diagnostic.hint("multiply by the inverse instead"),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge if left == right => {
            diagnostic.hint("only int and float have an order")
        }
        _ => diagnostic,
    }
}

fn not_writable(error: impl Fn(String) -> Diagnostic, access: Access) -> Diagnostic {
    match access {
        Access::Writable => error("this is writable".to_owned()),
        Access::Param(name) => error(format!("parameter `{name}` can be written")),
        Access::Constant(name) => error(format!("constant `{name}` cannot be written")),
        Access::Global(name) => error(format!("global `{name}` can be written")),
        Access::Value => error("only variables can be written".to_owned()),
    }
}

pub(super) fn plural(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
