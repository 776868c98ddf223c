//! Parsing of parameter values from text.

use renderer_inputs::named_color::named_color;
use shading::hir::Const;
use shading::ty::{Base, Length, Type};
use shading::{Diagnostic, Value};

/// A value as it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// In one piece: numbers with commas or blanks between them, or text.
    Text(String),
    /// Number by number, or string by string.
    List(Vec<String>),
}

/// The type that `float` or `color[3]` names; `float[]` is an array of unknown length.
pub(super) fn type_named(text: &str) -> Option<Type> {
    Type::named(text, |_| None)
}

/// The type that a value without one has: sixteen numbers are a matrix, three a vector.
pub(super) fn type_of(text: &str) -> Type {
    let numbers = text.split(',').map(|part| part.trim().parse::<f32>());
    match numbers.clone().all(|number| number.is_ok()).then(|| numbers.count()) {
        Some(16) => Type::MATRIX,
        Some(3) => Type::VECTOR,
        Some(1) if text.trim().parse::<i32>().is_ok() => Type::INT,
        Some(1) => Type::FLOAT,
        _ => Type::STRING,
    }
}

fn any_type_of(text: &str) -> Type {
    let numbers = text.split(',').map(|part| part.trim().parse::<f32>());
    match type_of(text) {
        Type::STRING if named_color(text).is_some() => Type::COLOR,
        // Other numbers of numbers are arrays.
        Type::STRING if numbers.clone().all(|number| number.is_ok()) => {
            Type::array(Base::Float, numbers.count() as u32)
        }
        Type::INT => Type::FLOAT,
        // Three numbers are a colour more often than a vector.
        Type::VECTOR => Type::COLOR,
        ty => ty,
    }
}

/// Parses the value of an input. One number fills a triple or the diagonal of a matrix. The type of an input `any`
/// (void) follows from the value; whole numbers are floats.
pub(super) fn parse(name: &str, ty: Type, given: &Given) -> Result<Value, Diagnostic> {
    let ty = match (ty, given) {
        (Type::VOID, Given::Text(text)) => any_type_of(text),
        (Type::VOID, Given::List(list)) => any_type_of(&list.join(",")),
        (ty, _) => ty,
    };
    let wrong = |what: &str| Diagnostic::error(format!("`{name}` is of type {ty}: {what}"));
    let found = match (ty.base, given) {
        (Base::String, given) => strings(ty, given),
        (Base::Closure, _) => return Err(wrong("a closure cannot be given as text")),
        (Base::Void | Base::Struct(_), _) => {
            return Err(
                wrong("set its fields one by one").hint(format!("write `--param {name}.FIELD VALUE`"))
            );
        }
        (Base::Color, Given::Text(text)) if !ty.is_array() && named_color(text).is_some() => {
            Ok(Const::Triple(named_color(text).unwrap_or_default()))
        }
        (_, Given::Text(text)) => {
            let parts: Vec<&str> = text.split([',', ' ', '\t']).filter(|part| !part.is_empty()).collect();
            numbers(ty, &parts)
        }
        (_, Given::List(list)) => numbers(ty, &list.iter().map(String::as_str).collect::<Vec<_>>()),
    };
    let constant = found.map_err(|message| wrong(&message))?;
    let ty = match &constant {
        Const::Array(list) => Type::array(ty.base, list.len() as u32),
        _ => ty,
    };
    Ok(Value::Const(constant, ty))
}

fn strings(ty: Type, given: &Given) -> Result<Const, String> {
    let list: Vec<&str> = match given {
        Given::Text(text) if !ty.is_array() => vec![text],
        Given::Text(text) => text.split(',').collect(),
        Given::List(list) => list.iter().map(String::as_str).collect(),
    };
    match (&list[..], ty.is_array()) {
        (_, true) => array(list.iter().map(|&text| Const::String(text.into())).collect(), ty),
        ([only], false) => Ok(Const::String((*only).into())),
        (_, false) => Err(format!("1 string wanted, {} found", list.len())),
    }
}

/// Number of numbers of an element.
pub(super) fn components(base: Base) -> usize {
    match base {
        Base::Matrix => 16,
        base if base.is_triple() => 3,
        _ => 1,
    }
}

fn numbers(ty: Type, parts: &[&str]) -> Result<Const, String> {
    let size = components(ty.base);
    if !ty.is_array() {
        return match parts {
            [one] if ty.base == Base::Matrix => {
                Ok(Const::Matrix(shading::eval::matrix::diagonal(float(one)?)))
            }
            [one] if ty.base.is_triple() => element(ty.base, &[*one; 3]),
            _ if parts.len() == size => element(ty.base, parts),
            _ => Err(format!(
                "{size} {} wanted, {} found in `{}`",
                plural(size, "number"),
                parts.len(),
                parts.join(" "),
            )),
        };
    }
    if !parts.len().is_multiple_of(size) {
        return Err(format!("{} numbers do not make elements of {size} each", parts.len()));
    }
    array(
        parts
            .chunks(size)
            .map(|parts| element(ty.base, parts))
            .collect::<Result<_, _>>()?,
        ty,
    )
}

/// Checks the length of an array.
fn array(list: Vec<Const>, ty: Type) -> Result<Const, String> {
    match ty.length {
        Length::Array(n) if list.len() != n as usize => {
            Err(format!("{n} {} wanted, {} found", plural(n as usize, "element"), list.len()))
        }
        _ => Ok(Const::Array(list)),
    }
}

fn element(base: Base, parts: &[&str]) -> Result<Const, String> {
    Ok(match base {
        Base::Int => Const::Int(int(parts[0])?),
        Base::Float => Const::Float(float(parts[0])?),
        Base::Matrix => {
            let mut values = [0.0; 16];
            for (value, part) in values.iter_mut().zip(parts) {
                *value = float(part)?;
            }
            Const::Matrix(values)
        }
        _ => Const::Triple([float(parts[0])?, float(parts[1])?, float(parts[2])?]),
    })
}

fn float(text: &str) -> Result<f32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn int(text: &str) -> Result<i32, String> {
    match text {
        "true" => Ok(1),
        "false" => Ok(0),
        _ => text.parse().map_err(|_| format!("`{text}` is not a whole number")),
    }
}

fn plural(n: usize, noun: &str) -> String {
    if n == 1 { noun.to_owned() } else { format!("{noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(ty: Type, text: &str) -> Const {
        match parse("x", ty, &Given::Text(text.to_owned())) {
            Ok(Value::Const(value, _)) => value,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn values_follow_the_type() {
        assert_eq!(value(Type::INT, "-3"), Const::Int(-3));
        assert_eq!(value(Type::INT, "true"), Const::Int(1));
        assert_eq!(value(Type::FLOAT, "1e3"), Const::Float(1000.0));
        assert_eq!(value(Type::COLOR, "1, 0.5 0"), Const::Triple([1.0, 0.5, 0.0]));
        assert_eq!(value(Type::COLOR, "0.5"), Const::Triple([0.5; 3]));
        assert_eq!(value(Type::STRING, "1,2"), Const::String("1,2".into()));
        assert_eq!(value(Type::VOID, "1"), Const::Float(1.0));
        assert_eq!(value(Type::VOID, "1,2,3"), Const::Triple([1.0, 2.0, 3.0]));
        assert_eq!(value(Type::VOID, "a.png"), Const::String("a.png".into()));
        assert_eq!(value(Type::VOID, "blue"), Const::Triple([0.0, 0.0, 1.0]));
        assert_eq!(value(Type::COLOR, "#ff0000"), Const::Triple([1.0, 0.0, 0.0]));
        let two = Const::Array(vec![Const::Float(1.0), Const::Float(2.0)]);
        assert_eq!(value(Type::VOID, "1,2"), two);
        assert_eq!(
            value(Type::array(Base::Int, 2), "1,2"),
            Const::Array(vec![Const::Int(1), Const::Int(2)])
        );
        let unsized_triples = Type { base: Base::Point, length: Length::Unsized };
        assert_eq!(
            value(unsized_triples, "1,2,3,4,5,6"),
            Const::Array(vec![Const::Triple([1.0, 2.0, 3.0]), Const::Triple([4.0, 5.0, 6.0])])
        );
        let Const::Matrix(m) = value(Type::MATRIX, "2") else { panic!() };
        assert_eq!((m[0], m[1], m[15]), (2.0, 0.0, 2.0));
    }

    #[test]
    fn misfits_are_told() {
        for (ty, text) in [
            (Type::INT, "1.5"),
            (Type::FLOAT, "red"),
            (Type::FLOAT, "1,2"),
            (Type::FLOAT, ""),
            (Type::COLOR, "1,2"),
            (Type::MATRIX, "1,2,3"),
            (Type::array(Base::Float, 3), "1,2"),
            (Type::array(Base::Color, 1), "1,2"),
            (Type::CLOSURE, "0"),
        ] {
            let given = Given::Text(text.to_owned());
            assert!(parse("x", ty, &given).is_err(), "{ty} {text}");
        }
    }
}
