//! Dictionaries (`dict_find`, `dict_next`, `dict_value`): XML documents, queried by XPath.

use rustc_hash::FxHashMap;

use super::xpath::{self, Document, NodeId};
use crate::hir::kind::Element as Base;
use crate::hir::{Const, Kind};

/// Work of all queries of one run [nodes visited and bytes read]: a fraction of a second.
const MAX_WORK: u64 = 1 << 24;

/// Work of parsing a byte of a dictionary given as text. It also pays for the memory of its nodes.
const WORK_OF_BYTE: u64 = 4;

/// Maximum total size of dictionaries given as text that are kept between runs, in bytes.
const MAX_KEPT: usize = 1 << 20;

/// Dictionaries that shaders have used, and the nodes found in the current run.
#[derive(Debug)]
pub struct Dictionaries {
    documents: Vec<ParsedDictionary>,
    /// Indices into `documents` by file name or text.
    known: FxHashMap<String, usize>,
    /// Total size of the dictionaries given as text, in bytes.
    kept: usize,
    /// Number of runs that used dictionaries.
    run: u64,
    /// True if the current run has used one.
    is_used: bool,
    /// Work that is left to this run.
    budget: u64,
    /// Nodes found in this run. The handle of a node in shaders is its index plus one.
    found: Vec<FoundNode>,
    /// Handle of the first node that a query found, by document, node and path.
    queries: FxHashMap<(usize, NodeId, String), i32>,
}

/// A dictionary that was read.
#[derive(Debug)]
struct ParsedDictionary {
    /// `None` if the file or text is not valid XML.
    document: Option<Document>,
    /// The last run that used it.
    run: u64,
}

/// Error of a query, and the result that the shader receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DictionaryError {
    /// The result.
    pub result: i32,
    /// The error message.
    pub message: String,
}

/// A node that a query found.
#[derive(Debug)]
struct FoundNode {
    document: usize,
    node: NodeId,
    /// Handle of the next node of the query's result; 0 after the last node.
    next: i32,
}

impl Default for Dictionaries {
    fn default() -> Dictionaries {
        Dictionaries {
            documents: vec![],
            known: FxHashMap::default(),
            kept: 0,
            run: 0,
            is_used: false,
            budget: MAX_WORK,
            found: vec![],
            queries: FxHashMap::default(),
        }
    }
}

impl Dictionaries {
    /// Discards the nodes at the start of a run.
    #[inline]
    pub fn clear(&mut self) {
        if self.is_used {
            self.clear_used();
        }
    }

    #[cold]
    fn clear_used(&mut self) {
        self.is_used = false;
        self.found.clear();
        self.queries.clear();
        self.run += 1;
        self.budget = MAX_WORK;
        if self.kept > MAX_KEPT {
            self.documents.clear();
            self.known.clear();
            self.kept = 0;
        }
    }

    /// `dict_find(dictionary, path)`: the dictionary is XML, or the name of a file that ends in `.xml`. Returns -1 if the
    /// dictionary is invalid, 0 if no node is found.
    ///
    /// # Errors
    /// If the dictionary is invalid (reported only the first time), or the path is.
    pub fn find(
        &mut self,
        dictionary: &str,
        path: &str,
        read: impl FnOnce(&str) -> Option<String>,
    ) -> Result<i32, DictionaryError> {
        self.is_used = true;
        let known = self.known.get(dictionary).copied();
        let is_file = dictionary.ends_with(".xml");
        if !is_file {
            // Each run that uses the text pays for it, even if it is already parsed, so that results do not depend on other
            // runs.
            let is_used = known.is_some_and(|index| self.documents[index].run == self.run);
            let work_of_byte = if is_used { 1 } else { WORK_OF_BYTE };
            self.budget = self.budget.saturating_sub(work_of_byte * dictionary.len() as u64);
            if self.budget == 0 {
                return Err(DictionaryError {
                    result: -1,
                    message: "dict_find: Exceeded maximum allowed work of queries".to_owned(),
                });
            }
        }
        let index = match known {
            Some(index) => index,
            None => self.load(dictionary, is_file, read)?,
        };
        self.documents[index].run = self.run;
        if self.documents[index].document.is_none() {
            return Ok(-1);
        }
        self.query(index, NodeId::ROOT, path)
    }

    /// Parses a dictionary and returns its index.
    ///
    /// # Errors
    /// If the file cannot be read, or the file or text is not XML.
    fn load(
        &mut self,
        dictionary: &str,
        is_file: bool,
        read: impl FnOnce(&str) -> Option<String>,
    ) -> Result<usize, DictionaryError> {
        let parsed = if is_file {
            let text = read(dictionary).ok_or_else(|| "File was not found, at offset 0".to_owned());
            text.and_then(|text| Document::parse(&text))
        } else {
            self.kept += dictionary.len();
            Document::parse(dictionary)
        };
        let index = self.documents.len();
        let (document, error) = match parsed {
            Ok(document) => (Some(document), None),
            Err(error) => (None, Some(error)),
        };
        let run = self.run;
        self.documents.push(ParsedDictionary { document, run });
        self.known.insert(dictionary.to_owned(), index);
        match error {
            None => Ok(index),
            Some(error) => Err(DictionaryError {
                result: -1,
                message: format!("XML parsed with errors: {error}"),
            }),
        }
    }

    /// `dict_find(node, path)`.
    ///
    /// # Errors
    /// The path is not valid.
    pub fn find_below(&mut self, node: i32, path: &str) -> Result<i32, DictionaryError> {
        match self.node(node) {
            Some(&FoundNode { document, node, .. }) => self.query(document, node, path),
            None => Ok(0),
        }
    }

    /// `dict_next(node)`.
    pub fn next(&self, node: i32) -> i32 {
        self.node(node).map_or(0, |found| found.next)
    }

    /// `dict_value(node, attribute, …)`: returns an attribute, converted to a kind. With an empty name, returns the value of
    /// the node: that of a text node, empty for elements. Missing numbers are 0.
    pub fn value(&self, node: i32, attribute: &str, kind: Kind) -> Option<Const> {
        let found = self.node(node)?;
        let document = self.documents[found.document].document.as_ref()?;
        let text = if attribute.is_empty() {
            document.value(found.node)
        } else {
            document.attribute(found.node, attribute)?
        };
        let separators = |c: char| c.is_ascii_whitespace() || c == ',';
        let mut words = text.split(separators).filter(|word| !word.is_empty());
        let mut one = |element: Base| {
            let mut number = || super::search::stof(words.next().unwrap_or_default());
            Some(match element {
                Base::Int => Const::Int(super::search::stoi(words.next().unwrap_or_default())),
                Base::Float => Const::Float(number()),
                Base::Triple => Const::Triple(std::array::from_fn(|_| number())),
                Base::Matrix => Const::Matrix(std::array::from_fn(|_| number())),
                Base::String => Const::String(text.into()),
                Base::Closure => return None,
            })
        };
        match kind {
            Kind::One(element) => one(element),
            Kind::Array(element, n) => {
                let list: Option<Vec<Const>> = (0..n).map(|_| one(element)).collect();
                list.map(Const::Array)
            }
        }
    }

    fn node(&self, node: i32) -> Option<&FoundNode> {
        self.found.get(usize::try_from(node.checked_sub(1)?).ok()?)
    }

    /// Returns the handle of the first node that a path selects.
    fn query(&mut self, document: usize, from: NodeId, path: &str) -> Result<i32, DictionaryError> {
        let key = (document, from, path.to_owned());
        if let Some(known) = self.queries.get(&key) {
            return Ok(*known);
        }
        let Some(tree) = &self.documents[document].document else {
            return Ok(0);
        };
        let reached = xpath::select(tree, from, path, &mut self.budget).map_err(|error| DictionaryError {
            result: 0,
            message: format!("Invalid dict_find query '{path}': {error}"),
        })?;
        let first = self.found.len() as i32 + 1;
        for (i, &node) in reached.iter().enumerate() {
            let is_last = i + 1 == reached.len();
            self.found.push(FoundNode {
                document,
                node,
                next: if is_last { 0 } else { first + i as i32 + 1 },
            });
        }
        let result = if reached.is_empty() { 0 } else { first };
        self.queries.insert(key, result);
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOMS: &str = "<house><room name='hall' size='3 4'><lamp watts='60'/></room>\
                         <room name='attic' size='1, 2'><lamp watts='25'/><lamp watts='5'/><note>dusty</note></room></house>";

    fn names(path: &str) -> Vec<Const> {
        let mut all = Dictionaries::default();
        let mut node = all.find(ROOMS, path, |_| None).unwrap();
        let mut list = vec![];
        while node > 0 {
            let value = ["name", "watts", ""]
                .iter()
                .find_map(|name| all.value(node, name, Kind::STRING));
            list.extend(value);
            node = all.next(node);
        }
        list
    }

    #[test]
    fn paths_lead_to_elements_in_order() {
        for (path, expected) in [
            ("//room", &["hall", "attic"][..]),
            ("/house/room", &["hall", "attic"]),
            ("house/room[2]", &["attic"]),
            ("//lamp", &["60", "25", "5"]),
            ("//room[@name='attic']/lamp", &["25", "5"]),
            ("//room[note]/lamp[last()]", &["5"]),
            ("//room[note='dusty']/note/text()", &["dusty"]),
            ("//note", &[""]),
            ("//note/../lamp[1]", &["25"]),
            ("//*[@watts=\"60\"]", &["60"]),
            ("//lamp[@watts > 20]", &["60", "25"]),
            ("//lamp[@watts mod 10 = 5 and position() = 1]", &["25"]),
            ("//room[lamp/@watts='5']", &["attic"]),
            ("//room[@name='hall' or @name!='hall']", &["hall", "attic"]),
            ("//room[not(note)]", &["hall"]),
            ("//room[count(lamp) * 2 - 1 >= 3]", &["attic"]),
            ("//room[sum(lamp/@watts) = 30]", &["attic"]),
            ("//room[starts-with(@name, 'at') and contains(@name, 'tic')]", &["attic"]),
            ("//room[string-length(translate(@name, 'l', '')) = 2]", &["hall"]),
            ("//room[substring(@name, 2, 3) = 'tti']", &["attic"]),
            ("(//lamp)[2]", &["25"]),
            ("//lamp[2]", &["5"]),
            ("//note | //room[1]", &["", "hall"]),
            ("descendant::lamp", &["60", "25", "5"]),
            ("//lamp/ancestor::room", &["hall", "attic"]),
            ("//note/preceding-sibling::lamp", &["5", "25"]),
            ("//room[1]/following::lamp", &["25", "5"]),
            ("/house/child::room/attribute::name/../lamp", &["60", "25", "5"]),
            ("//*[local-name() = 'note']/self::node()", &[""]),
            ("//div[div div 2]", &[]),
            ("//comment()", &[]),
            ("//cellar", &[]),
        ] {
            let expected: Vec<Const> = expected.iter().map(|s| Const::String((*s).into())).collect();
            assert_eq!(names(path), expected, "{path}");
        }
    }

    #[test]
    fn values_have_the_kind_that_is_asked_for() {
        let mut all = Dictionaries::default();
        let room = all.find(ROOMS, "//room", |_| None).unwrap();
        assert_eq!(
            all.value(room, "size", Kind::Array(Base::Int, 2)),
            Some(Const::Array(vec![Const::Int(3), Const::Int(4)]))
        );
        assert_eq!(all.value(room, "size", Kind::FLOAT), Some(Const::Float(3.0)));
        assert_eq!(all.value(room, "color", Kind::FLOAT), None);
        assert_eq!(all.value(99, "size", Kind::FLOAT), None);
        let attic = all.next(room);
        let lamp = all.find_below(attic, "lamp").unwrap();
        assert_eq!(all.value(lamp, "watts", Kind::INT), Some(Const::Int(25)));
        assert_eq!(
            all.find_below(lamp, "following-sibling::lamp/@watts/..").map(|lamp| all.value(
                lamp,
                "watts",
                Kind::INT
            )),
            Ok(Some(Const::Int(5)))
        );
        assert_eq!(all.next(0), 0);
        assert_eq!(all.next(i32::MIN), 0);
    }

    #[test]
    fn mistakes_are_told_once() {
        let mut all = Dictionaries::default();
        assert!(all.find("none.xml", "//a", |_| None).is_err());
        assert_eq!(all.find("none.xml", "//a", |_| None), Ok(-1));
        let deep = "(".repeat(10_000);
        let long = "a|".repeat(10_000) + "a";
        for path in [
            "", "//", "a[", "a[b=]", "a//", "count(a)", "count(1)", "a b", "(1)/a", "far::a", &deep, &long,
        ] {
            assert!(all.find(ROOMS, path, |_| None).is_err(), "{path}");
        }
    }

    /// Nests `//*[count(…)]` so that the work would be the number of elements to the power of the depth.
    fn nested(depth: usize) -> String {
        (0..depth).fold("//*".to_owned(), |inner, _| format!("//*[count({inner}) > 0]"))
    }

    #[test]
    fn queries_of_too_much_work_fail() {
        let text = format!("<a>{}</a>", "<b c='1'>word</b>".repeat(500));
        let mut all = Dictionaries::default();
        let paths = [
            nested(2),
            nested(16),
            "//b[//b[. = //b]]".to_owned(),
            "//b/preceding::b/preceding::b/preceding::b".to_owned(),
            "//b[string(/) = string(/)]".to_owned(),
            "//b[translate(/, /, /)]".to_owned(),
            "//b[//b != //b/@c/..][//b > //b]".to_owned(),
        ];
        for path in &paths {
            all.clear();
            all.budget = 1 << 18;
            assert!(all.find(&text, "//b[@c = 1]", |_| None).is_ok());
            let result = all.find(&text, path, |_| None);
            assert!(result.is_err_and(|mistake| mistake.result == 0), "{path}");
            // This run has no work left; the next run has.
            assert!(all.find(&text, "//a", |_| None).is_err());
        }
        all.clear();
        assert!(all.find(ROOMS, &nested(5), |_| None).is_ok());
    }

    #[test]
    fn texts_are_not_kept_for_ever() {
        let mut all = Dictionaries::default();
        for i in 0..64 {
            all.clear();
            let text = format!("<a n='{i}'>{}</a>", " ".repeat(100_000));
            let found = all.find(&text, "//a", |_| None).unwrap();
            assert_eq!(all.value(found, "n", Kind::INT), Some(Const::Int(i)));
            assert!(all.kept < MAX_KEPT + 200_000);
            assert!(all.documents.len() < 12);
        }
        all.clear();
        let many = (0..).map(|i| format!("<a n='{i}'>{}</a>", " ".repeat(100_000)));
        let refused = many.take(100).filter(|text| all.find(text, "//a", |_| None).is_err());
        assert!(refused.count() > 50, "a run reads only so much");
    }
}
