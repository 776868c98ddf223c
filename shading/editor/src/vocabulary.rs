//! Names outside a text: built-in functions, closures, the shipped library, keys of scenes, files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use crate::document::Document;
use shading_compiler::hir::ClosureSignature;

/// Lookup of files. For a file that is open in an editor, the text is that of the editor.
pub trait FileLookup {
    /// Returns a text that `from` includes or imports.
    fn find(&self, name: &str, from: &Path) -> Option<Arc<Document>>;

    /// Returns the path of a file of any kind that `from` names.
    fn path(&self, name: &str, from: &Path) -> Option<PathBuf>;

    /// Returns the names of the files in a folder; names of folders end with a slash.
    fn list(&self, folder: &Path) -> Vec<String>;
}

/// Documented keys of a scene declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyBlock {
    /// Keyword: `camera`. Empty for functions of scene values.
    pub keyword: String,
    /// Kinds that have these keys; empty if all kinds have them.
    pub kinds: Vec<String>,
    /// Keys and their documentation.
    pub keys: Vec<(String, String)>,
}

/// A kind of scene declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// Keyword: `camera`.
    pub name: String,
    /// Documentation.
    pub help: String,
    /// Kinds: `perspective` …
    pub kinds: Vec<String>,
}

/// A form of a built-in function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionForm {
    /// Result type.
    pub result: String,
    /// Parameters as written: `float x`.
    pub params: Vec<String>,
}

/// A built-in function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinFunction {
    /// Name.
    pub name: String,
    /// Documentation.
    pub help: String,
    /// Signatures.
    pub forms: Vec<FunctionForm>,
}

/// Names outside all texts.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// Keys of scenes.
    pub keys: Vec<KeyBlock>,
    /// Scene declarations.
    pub keywords: Vec<Keyword>,
    /// Closures.
    pub closures: Vec<ClosureSignature>,
    shipped: Vec<Arc<Document>>,
    by_name: FxHashMap<String, usize>,
}

impl Vocabulary {
    /// Adds the names and texts of shipped units and groups.
    #[must_use]
    pub fn with_library(mut self, library: impl IntoIterator<Item = (String, Arc<Document>)>) -> Vocabulary {
        for (name, document) in library {
            self.by_name.insert(name, self.shipped.len());
            self.shipped.push(document);
        }
        self
    }

    /// Returns the text of a shipped unit or group.
    pub fn shipped(&self, name: &str) -> Option<&Arc<Document>> {
        self.by_name.get(name).map(|&at| &self.shipped[at])
    }

    /// Returns the names of the shipped units and groups.
    pub fn shipped_names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Returns the documentation of a key.
    pub fn key_help(&self, keyword: &str, kind: Option<&str>, name: &str) -> Option<&str> {
        let keys = self.keys_of(keyword, kind);
        let key = keys.into_iter().find(|(key, _)| key == name);
        key.map(|(_, help)| help.as_str())
    }

    /// Returns the keys of a declaration; without a kind, the keys of all its kinds.
    pub fn keys_of(&self, keyword: &str, kind: Option<&str>) -> Vec<&(String, String)> {
        let has_kind = |block: &KeyBlock| match kind {
            Some(kind) => block.kinds.is_empty() || block.kinds.iter().any(|known| known == kind),
            None => true,
        };
        let blocks = self.keys.iter();
        let blocks = blocks.filter(|block| block.keyword == keyword && has_kind(block));
        blocks.flat_map(|block| &block.keys).collect()
    }
}

/// Returns the built-in functions by name.
pub(crate) fn functions() -> &'static [BuiltinFunction] {
    static TABLE: LazyLock<Vec<BuiltinFunction>> = LazyLock::new(|| table(include_str!("functions.txt")));
    &TABLE
}

pub(crate) fn function(name: &str) -> Option<&'static BuiltinFunction> {
    functions().iter().find(|function| function.name == name)
}

fn table(text: &str) -> Vec<BuiltinFunction> {
    let mut table: Vec<BuiltinFunction> = vec![];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (signature, help) = line.split_once(" | ").unwrap_or((line, ""));
        let Some((head, params)) = signature.trim_end_matches(')').split_once('(') else {
            continue;
        };
        let (result, name) = head.rsplit_once(' ').unwrap_or(("", head));
        let params = params.split(", ").filter(|param| !param.is_empty());
        let form = FunctionForm {
            result: result.to_owned(),
            params: params.map(str::to_owned).collect(),
        };
        match table.iter_mut().find(|function| function.name == name) {
            Some(function) => function.forms.push(form),
            None => table.push(BuiltinFunction {
                name: name.to_owned(),
                help: help.to_owned(),
                forms: vec![form],
            }),
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use shading_compiler::builtins;
    use shading_compiler::check::{Environment, check};
    use shading_compiler::eval::color_system::ColorSystem;
    use shading_compiler::hir::ClosureRegistry;
    use shading_syntax::ast::Item;
    use shading_syntax::parse;
    use shading_syntax::source::Source;

    #[test]
    fn every_built_in_function_is_listed() {
        let table = builtins::signatures().iter().map(|signature| signature.name.to_owned());
        let (prelude, _) =
            parse(Source::new("prelude.ksl", include_str!("../../compiler/src/check/prelude.ksl")));
        let prelude = prelude.items.into_iter().filter_map(|item| match item {
            Item::Function(function) => Some(function.name.text),
            _ => None,
        });
        for name in table.chain(prelude).filter(|name| !name.starts_with('_')) {
            let found = function(&name).unwrap_or_else(|| panic!("functions.txt lacks {name}"));
            assert!(!found.help.is_empty(), "{name}");
        }
    }

    #[test]
    fn every_listed_function_exists() {
        let closures = ClosureRegistry::default();
        let environment = Environment {
            closures: &closures,
            color_system: ColorSystem::default(),
            globals: &[],
        };
        for BuiltinFunction { name, .. } in functions() {
            let text = format!("shader t(output int r = 0) {{ {name}(1, 2, 3, 4, 5, 6, 7, 8, 9); }}");
            let (file, _) = parse(Source::new("t.ksl", text));
            let messages = check(&file, &environment).diagnostics.to_string();
            assert!(!messages.contains("unknown function"), "{messages}");
        }
    }
}
