//! Source files as modules: the items that each defines, the names that it imports and the paths that it writes.

use std::collections::BTreeSet;

use crate::tokens::{Token, tokens};

/// A name that a `use` brings into a module.
#[derive(Clone, Debug)]
pub(super) struct Import {
    /// The name in this module.
    pub(super) name: String,
    /// The path as written, without `as`.
    pub(super) path: Vec<String>,
    /// True if other modules can import the name from here.
    pub(super) public: bool,
}

/// One source file.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The file's path from `src` on.
    pub(super) file: String,
    /// The module's path from the crate on.
    pub(super) path: Vec<String>,
    /// The modules that have files of their own.
    pub(super) children: BTreeSet<String>,
    /// Items that are defined at the top of the file.
    pub(super) items: BTreeSet<String>,
    /// Imports anywhere in the file.
    pub(super) imports: Vec<Import>,
    /// Paths of two and more names outside of imports.
    pub(super) paths: BTreeSet<Vec<String>>,
    /// Names outside of imports, those of fields and methods left out.
    pub(super) names: BTreeSet<String>,
}

impl Module {
    /// Reads the file `file` of a crate.
    pub(super) fn new(file: &str, text: &str) -> Module {
        let mut module = Module {
            file: file.to_owned(),
            path: module_path(file),
            ..Module::default()
        };
        let tokens = tokens(text);
        let mut reader = Reader { tokens: &tokens, next: 0, depth: 0, inline: vec![] };
        reader.read(&mut module);
        module
    }

    /// Returns the import that gives the name its meaning in this module.
    pub(super) fn import(&self, name: &str) -> Option<&Import> {
        self.imports.iter().find(|import| import.name == name)
    }
}

fn module_path(file: &str) -> Vec<String> {
    let file = file.strip_suffix(".rs").expect("Rust source");
    let mut path: Vec<String> = file.split('/').map(str::to_owned).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        path.pop();
    }
    path
}

struct Reader<'a> {
    tokens: &'a [Token],
    next: usize,
    /// Number of open brackets.
    depth: usize,
    /// The depths of the modules whose blocks are open.
    inline: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn peek(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.next + ahead)
    }

    fn word(&self, ahead: usize) -> Option<&'a str> {
        self.peek(ahead).and_then(Token::word)
    }

    fn is_mark(&self, mark: char) -> bool {
        self.peek(0) == Some(&Token::Mark(mark))
    }

    fn read(&mut self, module: &mut Module) {
        let mut public = false;
        while let Some(token) = self.peek(0) {
            match token {
                Token::Mark(mark) => {
                    match mark {
                        '{' | '(' | '[' => self.depth += 1,
                        '}' | ')' | ']' => {
                            self.depth = self.depth.saturating_sub(1);
                            self.inline.retain(|depth| *depth <= self.depth);
                        }
                        _ => {}
                    }
                    if matches!(mark, '{' | '}' | ';') {
                        public = false;
                    }
                    self.next += 1;
                }
                Token::Path => self.read_path(module),
                Token::Word(word) => match word.as_str() {
                    "pub" => {
                        public = true;
                        self.next += 1;
                        self.skip_scope();
                    }
                    // `use<'a>` is a bound and imports nothing.
                    "use" if self.peek(1) == Some(&Token::Mark('<')) => self.next += 1,
                    "use" => {
                        self.next += 1;
                        self.read_use(&[], public, module);
                        public = false;
                    }
                    "mod" => self.read_mod(module),
                    _ => {
                        self.read_item(module);
                        self.read_path(module);
                    }
                },
            }
        }
    }

    /// The scope of a visibility: `(super)`, `(in crate::scene)`.
    fn skip_scope(&mut self) {
        let scoped = ["crate", "super", "self", "in"];
        if self.is_mark('(') && self.word(1).is_some_and(|word| scoped.contains(&word)) {
            while !self.is_mark(')') {
                self.next += 1;
            }
            self.next += 1;
        }
    }

    fn read_mod(&mut self, module: &mut Module) {
        let name = self.word(1).unwrap_or_default().to_owned();
        if self.peek(2) == Some(&Token::Mark('{')) {
            module.items.insert(name);
            self.depth += 1;
            self.inline.push(self.depth);
            self.next += 3;
        } else {
            module.children.insert(name);
            self.next += 2;
        }
    }

    /// Notes the item whose keyword comes next, if one does at the top of the file.
    fn read_item(&mut self, module: &mut Module) {
        let keywords = ["fn", "struct", "enum", "union", "trait", "type", "const", "static"];
        if self.depth > 0 {
            return;
        }
        let name = match self.word(0) {
            Some(word) if keywords.contains(&word) => self.word(1),
            Some("macro_rules") => self.word(2),
            _ => None,
        };
        if let Some(name) = name {
            module.items.insert(name.to_owned());
        }
    }

    /// A path in code, or a single name.
    fn read_path(&mut self, module: &mut Module) {
        let member = self.next > 0 && self.tokens[self.next - 1] == Token::Mark('.');
        let external = self.peek(0) == Some(&Token::Path);
        if external {
            self.next += 1;
        }
        let mut path = vec![];
        while let Some(word) = self.word(0) {
            path.push(word.to_owned());
            self.next += 1;
            if self.peek(0) != Some(&Token::Path) || self.word(1).is_none() {
                break;
            }
            self.next += 1;
        }
        if member || external || path.is_empty() {
            return;
        }
        self.leave_inline(&mut path);
        if let Some(first) = path.first() {
            module.names.insert(first.clone());
        }
        if path.len() > 1 {
            module.paths.insert(path);
        }
    }

    /// The tree of a `use` behind `prefix`, up to the semicolon, comma or brace that ends it.
    fn read_use(&mut self, prefix: &[String], public: bool, module: &mut Module) {
        let mut path = prefix.to_vec();
        let external = prefix.is_empty() && self.peek(0) == Some(&Token::Path);
        loop {
            match self.peek(0) {
                Some(Token::Path) => self.next += 1,
                Some(Token::Mark('{')) => {
                    self.next += 1;
                    while !self.is_mark('}') {
                        self.read_use(&path, public, module);
                        if self.is_mark(',') {
                            self.next += 1;
                        }
                    }
                    self.next += 1;
                    return;
                }
                Some(Token::Mark('*')) => {
                    assert!(
                        path.len() < 2 || !["crate", "super", "self"].contains(&path[0].as_str()),
                        "{}: the layout test does not follow `use {}::*`",
                        module.file,
                        path.join("::")
                    );
                    self.next += 1;
                    return;
                }
                Some(Token::Word(word)) if word == "self" && !path.is_empty() => self.next += 1,
                Some(Token::Word(word)) if word != "as" => {
                    path.push(word.clone());
                    self.next += 1;
                }
                _ => break,
            }
        }
        let mut name = path.last().cloned().unwrap_or_default();
        if self.word(0) == Some("as") {
            name = self.word(1).unwrap_or_default().to_owned();
            self.next += 2;
        }
        if !external {
            self.leave_inline(&mut path);
            module.imports.push(Import { name, path, public });
        }
    }

    /// Paths in a module without a file of its own are those of its file.
    fn leave_inline(&self, path: &mut Vec<String>) {
        for _ in &self.inline {
            if path.first().is_some_and(|first| first == "super") {
                path.remove(0);
            }
        }
    }
}
