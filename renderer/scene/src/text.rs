//! Scene values as source text that reads back exactly.

/// A name in quotes.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A number.
///
/// # Errors
/// When it is infinite or not a number, which the language cannot write.
pub fn number(value: f32) -> Result<String, String> {
    if value.is_finite() {
        Ok(format!("{value:?}"))
    } else {
        Err(format!("{value}, not a finite number"))
    }
}

/// A colour, point or vector.
///
/// # Errors
/// As [`number`].
pub fn color(value: [f32; 3]) -> Result<String, String> {
    let [x, y, z] = value.map(number);
    Ok(format!("({}, {}, {})", x?, y?, z?))
}
