//! Writer of Kiln scene text: values, calls, declarations.

use glam::{DMat4, DVec3};

/// A number in single precision, as short as it can be.
pub(super) fn number(value: f64) -> String {
    let value = value as f32;
    if value == value.trunc() && value.abs() < 1e6 {
        format!("{}", value as i64)
    } else {
        format!("{value:?}")
    }
}

pub(super) fn triple(value: DVec3) -> String {
    format!("({}, {}, {})", number(value.x), number(value.y), number(value.z))
}

/// A colour: one number where it is a grey.
pub(super) fn color([r, g, b]: [f64; 3]) -> String {
    if r == g && g == b {
        number(r)
    } else {
        triple(DVec3::new(r, g, b))
    }
}

/// A transform: nothing, a shift, or all its numbers.
pub(super) fn transform(matrix: &DMat4) -> String {
    let shift = matrix.w_axis.truncate();
    if *matrix == DMat4::from_translation(shift) {
        return format!(
            "translate({}, {}, {})",
            number(shift.x),
            number(shift.y),
            number(shift.z)
        );
    }
    let rows = matrix.transpose().to_cols_array().map(number);
    let rows: Vec<String> = rows.chunks(4).map(|row| row.join(", ")).collect();
    format!("matrix({})", rows.join(",  "))
}

/// A call of a unit, being written.
#[derive(Clone, Debug)]
pub(super) struct Call {
    text: String,
    empty: bool,
}

impl Call {
    pub(super) fn new(unit: &str) -> Call {
        Call {
            text: format!("{unit}("),
            empty: true,
        }
    }

    pub(super) fn with(mut self, name: &str, value: impl AsRef<str>) -> Call {
        if !self.empty {
            self.text.push_str(", ");
        }
        self.empty = false;
        self.text.push_str(name);
        self.text.push_str(" = ");
        self.text.push_str(value.as_ref());
        self
    }

    /// The argument where there is one.
    pub(super) fn maybe(self, name: &str, value: Option<String>) -> Call {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push(')');
        self.text
    }
}

/// A declaration, being written.
#[derive(Clone, Debug)]
pub(super) struct Block {
    text: String,
}

impl Block {
    /// `head` is what stands before the brace.
    pub(super) fn new(head: impl AsRef<str>) -> Block {
        Block {
            text: format!("{} {{\n", head.as_ref()),
        }
    }

    pub(super) fn set(&mut self, key: &str, value: impl AsRef<str>) {
        self.text.push_str(&format!("    {key} = {};\n", value.as_ref()));
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("}\n");
        self.text
    }
}
