//! Constants as WGSL expressions.

use shading_compiler::hir::{Const, Kind};

use super::string_table::StringTable;
use crate::names::type_name;

/// The largest float, rounded down: its shortest decimal form, 3.4028235e38, is larger, and browsers reject it.
const MAX: &str = "3.4028234e38f";

/// Returns a float as an expression. WGSL has no literals of infinite, NaN and, in practice, denormal numbers; their bits
/// are passed through a function that compilers do not fold.
pub(super) fn float(x: f32) -> String {
    if x.abs() == f32::MAX {
        let sign = if x < 0.0 { "-" } else { "" };
        format!("{sign}{MAX}")
    } else if x == 0.0 && x.is_sign_positive() || x.is_normal() {
        format!("{x:?}f")
    } else {
        format!("kiln_bits({:#010x}u)", x.to_bits())
    }
}

pub(super) fn int(x: i32) -> String {
    match x {
        i32::MIN => "i32(-2147483648)".to_owned(),
        x if x < 0 => format!("i32({x})"),
        x => x.to_string(),
    }
}

fn floats(list: &[f32]) -> String {
    let list: Vec<_> = list.iter().map(|&x| float(x)).collect();
    list.join(", ")
}

pub(super) fn constant(value: &Const, strings: &mut StringTable) -> String {
    match value {
        Const::Int(x) => int(*x),
        Const::Float(x) => float(*x),
        Const::Triple([x, y, z]) if x.to_bits() == y.to_bits() && y.to_bits() == z.to_bits() => {
            format!("vec3f({})", float(*x))
        }
        Const::Triple(triple) => format!("vec3f({})", floats(triple)),
        Const::Matrix(matrix) => format!("mat4x4f({})", floats(matrix)),
        Const::String(text) => strings.index(text).to_string(),
        Const::NullClosure => "Lobes()".to_owned(),
        Const::Array(list) => {
            let ty = Kind::of_const(value).map_or_else(String::new, type_name);
            let list: Vec<_> = list.iter().map(|value| constant(value, strings)).collect();
            format!("{ty}({})", list.join(", "))
        }
    }
}
