//! Parser of OSL's serialised shader groups: `param TYPE NAME VALUES; shader SHADER LAYER; connect A.x B.y;`, with `,`
//! or `;` between statements. It yields the steps of the equivalent command line.

use shading::diagnostic::nearest;
use shading::ty::{Base, Length};

use super::layer::{LayerParam, LayerStep};
use super::params::{Given, components, type_named};

/// A statement that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SerializedError {
    /// Reason.
    pub(super) message: String,
    pub(super) statement: String,
}

/// Reads a group; with each step the statement that it is from.
pub(super) fn parse(text: &str) -> Result<Vec<(LayerStep, String)>, SerializedError> {
    let mut reader = Reader { rest: text };
    let mut steps = vec![];
    loop {
        while reader.take(';') || reader.take(',') {}
        if reader.rest.is_empty() {
            return Ok(steps);
        }
        let start = reader.rest;
        let found = reader.statement();
        reader.take(';');
        let statement = &start[..start.len() - reader.rest.len()];
        match found {
            Ok(found) => steps.extend(found.into_iter().map(|step| (step, statement.to_owned()))),
            Err(message) => {
                let end = start.find(';').map_or(start.len(), |end| end + 1);
                let statement = start[..end].trim_end().to_owned();
                return Err(SerializedError { message, statement });
            }
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    /// Passes over blanks and comments.
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if !(self.rest.starts_with('#') || self.rest.starts_with("//")) {
                return;
            }
            self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
        }
    }

    /// Consumes a character if it comes next.
    fn take(&mut self, c: char) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Consumes the text up to one of `ends`.
    fn until(&mut self, ends: &[char]) -> &'t str {
        self.skip();
        let end = self
            .rest
            .find(|c: char| c.is_whitespace() || ends.contains(&c))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn statement(&mut self) -> Result<Vec<LayerStep>, String> {
        match self.until(&[';', ',', '[']) {
            "shader" => {
                let shader = self.until(&[';', ',']).to_owned();
                let layer = self.until(&[';', ',']).to_owned();
                if shader.is_empty() {
                    return Err("`shader` expects the name of a shader and that of a layer".to_owned());
                }
                let name = (!layer.is_empty()).then_some(LayerStep::Name(layer));
                Ok(name.into_iter().chain([LayerStep::Shader(shader)]).collect())
            }
            "connect" => {
                let from = self.until(&[';', ',']);
                let to = self.until(&[';', ',']);
                let (Some((from, output)), Some((to, input))) = (from.split_once('.'), to.split_once('.'))
                else {
                    return Err("`connect` expects LAYER.OUTPUT LAYER.INPUT".to_owned());
                };
                Ok(vec![LayerStep::Connect([from, output, to, input].map(str::to_owned))])
            }
            "param" => {
                let ty = self.until(&['[', ';', ',']);
                self.param(ty)
            }
            // The word `param` may be left out.
            ty if type_named(ty).is_some() => self.param(ty),
            word => {
                let error =
                    format!("Unknown statement (expected 'param', 'shader', or 'connect'): \"{word}\"");
                Err(match nearest(word, ["param", "shader", "connect"]) {
                    Some(near) => format!("{error}; did you mean `{near}`?"),
                    None => error,
                })
            }
        }
    }

    fn param(&mut self, ty: &str) -> Result<Vec<LayerStep>, String> {
        let base = type_named(ty).filter(|ty| !ty.is_array());
        let Some(base) = base.map(|ty| ty.base) else {
            return Err(format!("Unknown type: {ty}"));
        };
        let mut length = Length::Single;
        if self.take('[') {
            let digits = self.until(&[']']);
            length = match digits.parse() {
                _ if digits.is_empty() => Length::Unsized,
                Ok(count) => Length::Array(count),
                Err(_) => return Err(format!("`{digits}` is not a length of an array")),
            };
            self.take(']');
        }
        let name = self.until(&[';', ',']).to_owned();
        if name.is_empty() {
            return Err("`param` expects a type, a name and values".to_owned());
        }
        let wanted = match length {
            Length::Single => components(base),
            Length::Array(count) => components(base).saturating_mul(count as usize),
            Length::Unsized => usize::MAX,
        };
        let mut values = self.values(base, wanted)?;
        // Missing values are zero.
        let zero = if base == Base::String { "" } else { "0" };
        let missing = match length {
            Length::Unsized => 0,
            Length::Single | Length::Array(_) => wanted.saturating_sub(values.len()),
        };
        values.extend(std::iter::repeat_n(zero.to_owned(), missing));
        let interpolated = self.hints()?;
        let value = match (&values[..], length) {
            ([only], Length::Single) => Given::Text(only.clone()),
            _ => Given::List(values),
        };
        Ok(vec![LayerStep::Param(LayerParam { name, value, ty: None, interpolated })])
    }

    fn values(&mut self, base: Base, wanted: usize) -> Result<Vec<String>, String> {
        let mut values = vec![];
        while values.len() < wanted {
            self.skip();
            if self.rest.starts_with("[[") {
                break;
            }
            if base == Base::String && self.rest.starts_with('"') {
                values.push(self.quoted()?);
                continue;
            }
            let word = self.until(&[';', ',']);
            if word.is_empty() {
                break;
            }
            if base != Base::String && word.parse::<f64>().is_err() {
                return Err(format!("`{word}` is not a number"));
            }
            values.push(word.to_owned());
        }
        Ok(values)
    }

    /// A string in quotes, with C's escapes.
    fn quoted(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some(other) => text.push(other),
                    None => break,
                },
                c => text.push(c),
            }
        }
        Err("a string does not end".to_owned())
    }

    /// Parses `[[ int interpolated=1 ]]`: whether the parameter reads attributes of the geometry; `None` if not
    /// specified.
    fn hints(&mut self) -> Result<Option<bool>, String> {
        self.skip();
        let Some(rest) = self.rest.strip_prefix("[[") else {
            return Ok(None);
        };
        let Some((hints, rest)) = rest.split_once("]]") else {
            return Err("malformed hint".to_owned());
        };
        self.rest = rest;
        let mut interpolated = None;
        for hint in hints.split(',') {
            let Some((declared, value)) = hint.split_once('=') else {
                return Err("hint expected value".to_owned());
            };
            let Ok(value) = value.trim().parse::<i32>() else {
                return Err(format!("hint {} expected int value", declared.trim()));
            };
            match declared.split_whitespace().collect::<Vec<_>>()[..] {
                ["int", "interpolated"] => interpolated = Some(value != 0),
                ["int", "lockgeom"] => interpolated = Some(value == 0),
                ["int", "interactive"] => {}
                _ => return Err(format!("unknown hint '{}'", declared.trim())),
            }
        }
        Ok(interpolated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<LayerStep> {
        parse(text).unwrap().into_iter().map(|(step, _)| step).collect()
    }

    fn param(name: &str, value: Given, interpolated: Option<bool>) -> LayerStep {
        let name = name.to_owned();
        LayerStep::Param(LayerParam { name, value, ty: None, interpolated })
    }

    #[test]
    fn reads_statements() {
        let list = |values: &[&str]| Given::List(values.iter().map(|&v| v.to_owned()).collect());
        let text = "param float[] a 1 2.5 ;\n# a comment\nparam color Kd 1 0.5 0 [[ int lockgeom = 0 ]];\n\
                    param string[2] s \"x y\" ; string one \"a\\\"b\";\nshader test lay ; shader test lay2, \
                    connect lay.out[1] lay2.in.x";
        let expected = [
            param("a", list(&["1", "2.5"]), None),
            param("Kd", list(&["1", "0.5", "0"]), Some(true)),
            param("s", list(&["x y", ""]), None),
            param("one", Given::Text("a\"b".to_owned()), None),
            LayerStep::Name("lay".to_owned()),
            LayerStep::Shader("test".to_owned()),
            LayerStep::Name("lay2".to_owned()),
            LayerStep::Shader("test".to_owned()),
            LayerStep::Connect(["lay", "out[1]", "lay2", "in.x"].map(str::to_owned)),
        ];
        assert_eq!(steps(text), expected);
    }

    #[test]
    fn mistakes_name_the_statement() {
        for (text, message, statement) in [
            ("shader a b; conect a.x b.y;", "did you mean `connect`?", "conect a.x b.y;"),
            ("param flaot x 1;", "Unknown type: flaot", "param flaot x 1;"),
            ("param float x red;", "`red` is not a number", "param float x red;"),
            ("connect a b.y;", "LAYER.OUTPUT", "connect a b.y;"),
            ("param string s \"x;", "does not end", "param string s \"x;"),
            (
                "param float x 1 [[ int glow = 1 ]];",
                "unknown hint 'int glow'",
                "param float x 1 [[ int glow = 1 ]];",
            ),
        ] {
            let mistake = parse(text).unwrap_err();
            assert!(mistake.message.contains(message), "{mistake:?}");
            assert_eq!(mistake.statement, statement);
        }
    }
}
