//! Substitution of scene parameters (`$name`).

/// Parameters by name; those of the command line are first.
#[derive(Debug)]
pub(super) struct Parameters {
    list: Vec<Parameter>,
    of_command_line: usize,
}

#[derive(Debug)]
struct Parameter {
    name: String,
    value: String,
    is_used: bool,
}

impl Parameters {
    /// Creates the parameters of the command line.
    pub(super) fn new(defines: &[(String, String)]) -> Parameters {
        let list = defines.iter().map(|(name, value)| Parameter {
            name: name.clone(),
            value: value.clone(),
            is_used: false,
        });
        Parameters { list: list.collect(), of_command_line: defines.len() }
    }

    /// Sets a parameter, unless it is set already.
    pub(super) fn set_default(&mut self, name: &str, value: &str) {
        if !self.names().any(|known| known == name) {
            self.list.push(Parameter {
                name: name.to_owned(),
                value: value.to_owned(),
                is_used: false,
            });
        }
    }

    /// Substitutes `$name` by its value; the longest matching name is used. `\$` is a dollar sign.
    ///
    /// # Errors
    /// The name of an undefined parameter.
    pub(super) fn put_into(&mut self, text: &str) -> Result<String, String> {
        let mut result = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let before = &rest[..at];
            rest = &rest[at + 1..];
            if let Some(before) = before.strip_suffix('\\') {
                result.push_str(before);
                result.push('$');
                continue;
            }
            result.push_str(before);
            let fitting = self.list.iter_mut().filter(|p| rest.starts_with(&p.name));
            let Some(parameter) = fitting.max_by_key(|p| p.name.len()) else {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                return Err(rest[..end].to_owned());
            };
            result.push_str(&parameter.value);
            rest = &rest[parameter.name.len()..];
            parameter.is_used = true;
        }
        result.push_str(rest);
        Ok(result)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|parameter| parameter.name.as_str())
    }

    /// Names of unused parameters of the command line.
    pub(super) fn unused(&self) -> impl Iterator<Item = &str> {
        let given = &self.list[..self.of_command_line];
        given.iter().filter(|p| !p.is_used).map(|p| p.name.as_str())
    }
}
