//! Dictionaries (`dict_find`, `dict_value`): XML, queried by XPath.

use rustc_hash::FxHashMap;

use super::xpath::{self, Document, NodeId};
use crate::hir::kind::Element as Base;
use crate::hir::{Const, Kind};

/// The dictionaries that shaders asked for, and what they found in one run.
#[derive(Debug, Default)]
pub struct Dictionaries {
    /// By name, or by their text; none where it is no XML.
    documents: Vec<(String, Option<Document>)>,
    /// What was found in this run; a shader knows it by its place, from 1.
    found: Vec<FoundNode>,
    /// The first node that a query found, by document, node and path.
    queries: FxHashMap<(usize, NodeId, String), i32>,
}

/// What is wrong with a question, and what is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The answer.
    pub answer: i32,
    /// What is wrong.
    pub message: String,
}

/// A node that a query found.
#[derive(Debug)]
struct FoundNode {
    document: usize,
    node: NodeId,
    /// The next that the same query found; 0 behind the last.
    next: i32,
}

impl Dictionaries {
    /// Forgets what was found, as a run begins.
    pub fn clear(&mut self) {
        self.found.clear();
        self.queries.clear();
    }

    /// `dict_find(dictionary, path)`: the dictionary is a file, whose name ends in `.xml`, or XML itself. -1 where it is
    /// none, 0 where nothing is found.
    ///
    /// # Errors
    /// What is wrong with the dictionary, the first time, or with the path.
    pub fn find(
        &mut self,
        dictionary: &str,
        path: &str,
        read: impl FnOnce(&str) -> Option<String>,
    ) -> Result<i32, Mistake> {
        let known = self.documents.iter().position(|(name, _)| name == dictionary);
        let index = match known {
            Some(index) => index,
            None => {
                let parsed = if dictionary.ends_with(".xml") {
                    let text = read(dictionary).ok_or_else(|| "File was not found, at offset 0".to_owned());
                    text.and_then(|text| Document::parse(&text))
                } else {
                    Document::parse(dictionary)
                };
                let (document, error) = match parsed {
                    Ok(document) => (Some(document), None),
                    Err(error) => (None, Some(error)),
                };
                self.documents.push((dictionary.to_owned(), document));
                if let Some(error) = error {
                    return Err(Mistake {
                        answer: -1,
                        message: format!("XML parsed with errors: {error}"),
                    });
                }
                self.documents.len() - 1
            }
        };
        if self.documents[index].1.is_none() {
            return Ok(-1);
        }
        self.query(index, NodeId::ROOT, path)
    }

    /// `dict_find(node, path)`.
    ///
    /// # Errors
    /// What is wrong with the path.
    pub fn find_below(&mut self, node: i32, path: &str) -> Result<i32, Mistake> {
        match self.node(node) {
            Some(&FoundNode { document, node, .. }) => self.query(document, node, path),
            None => Ok(0),
        }
    }

    /// `dict_next(node)`.
    pub fn next(&self, node: i32) -> i32 {
        self.node(node).map_or(0, |found| found.next)
    }

    /// `dict_value(node, attribute, …)`: the attribute as a value of a kind, or the value of the node itself
    /// where the attribute has no name: texts have one, that of elements is empty. Numbers that are missing are 0.
    pub fn value(&self, node: i32, attribute: &str, kind: Kind) -> Option<Const> {
        let found = self.node(node)?;
        let document = self.documents[found.document].1.as_ref()?;
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

    /// The first node that a path leads to.
    fn query(&mut self, document: usize, from: NodeId, path: &str) -> Result<i32, Mistake> {
        let key = (document, from, path.to_owned());
        if let Some(known) = self.queries.get(&key) {
            return Ok(*known);
        }
        let Some(tree) = &self.documents[document].1 else {
            return Ok(0);
        };
        let reached = xpath::select(tree, from, path).map_err(|error| Mistake {
            answer: 0,
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
            (
                "//room[starts-with(@name, 'at') and contains(@name, 'tic')]",
                &["attic"],
            ),
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
            all.find_below(lamp, "following-sibling::lamp/@watts/..")
                .map(|lamp| all.value(lamp, "watts", Kind::INT)),
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
}
