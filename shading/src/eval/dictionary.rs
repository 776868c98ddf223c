//! Dictionaries (`dict_find`, `dict_value`): XML with a subset of XPath.
//!
//! Supported XPath: `/a`, `//a`, `a/b`, `*`, `.`, `..`, and the conditions `[2]`, `[last()]`, `[@x]`, `[@x='v']`, `[a]`
//! and `[a='v']`.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::hir::kind::Element as Base;
use crate::hir::{Const, Kind};

/// The dictionaries that shaders asked for, and what they found in one run.
#[derive(Debug, Default)]
pub struct Dictionaries {
    /// By name, or by their text; none where it is no XML.
    documents: Vec<(String, Option<Document>)>,
    /// What was found in this run; a shader knows it by its place, from 1.
    found: Vec<FoundElement>,
    /// The first element that a query found, by document, element and path.
    queries: FxHashMap<(usize, usize, String), i32>,
}

/// What is wrong with a question, and what is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The answer.
    pub answer: i32,
    /// What is wrong.
    pub message: String,
}

/// An element that a query found.
#[derive(Debug)]
struct FoundElement {
    document: usize,
    element: usize,
    /// The next that the same query found; 0 behind the last.
    next: i32,
}

/// The elements of a document; the first holds them all.
type Document = Vec<Element>;

#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    parent: usize,
    children: Vec<usize>,
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
                    text.and_then(|text| parse(&text))
                } else {
                    parse(dictionary)
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
        self.query(index, 0, path)
    }

    /// `dict_find(node, path)`.
    ///
    /// # Errors
    /// What is wrong with the path.
    pub fn find_below(&mut self, node: i32, path: &str) -> Result<i32, Mistake> {
        match self.node(node) {
            Some(&FoundElement {
                document, element, ..
            }) => self.query(document, element, path),
            None => Ok(0),
        }
    }

    /// `dict_next(node)`.
    pub fn next(&self, node: i32) -> i32 {
        self.node(node).map_or(0, |found| found.next)
    }

    /// `dict_value(node, attribute, …)`: the attribute as a value of a kind, or the text of the element where the
    /// attribute has no name. Numbers that are missing are 0.
    pub fn value(&self, node: i32, attribute: &str, kind: Kind) -> Option<Const> {
        let found = self.node(node)?;
        let element = &self.documents[found.document].1.as_ref()?[found.element];
        let text = if attribute.is_empty() {
            &element.text
        } else {
            &element.attributes.iter().find(|(name, _)| name == attribute)?.1
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
                Base::String => Const::String(text.as_str().into()),
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

    fn node(&self, node: i32) -> Option<&FoundElement> {
        self.found.get(usize::try_from(node.checked_sub(1)?).ok()?)
    }

    /// The first element that a path leads to.
    fn query(&mut self, document: usize, from: usize, path: &str) -> Result<i32, Mistake> {
        let key = (document, from, path.to_owned());
        if let Some(known) = self.queries.get(&key) {
            return Ok(*known);
        }
        let Some(elements) = &self.documents[document].1 else {
            return Ok(0);
        };
        let steps = Path::parse(path).ok_or_else(|| Mistake {
            answer: 0,
            message: format!("Invalid dict_find query '{path}'"),
        })?;
        let reached: Vec<usize> = steps.follow(elements, from).into_iter().collect();
        let first = self.found.len() as i32 + 1;
        for (i, &element) in reached.iter().enumerate() {
            let is_last = i + 1 == reached.len();
            self.found.push(FoundElement {
                document,
                element,
                next: if is_last { 0 } else { first + i as i32 + 1 },
            });
        }
        let result = if reached.is_empty() { 0 } else { first };
        self.queries.insert(key, result);
        Ok(result)
    }
}

fn parse(text: &str) -> Result<Document, String> {
    let parsed = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
    let mut document = vec![Element::default()];
    let mut open = vec![(parsed.root_element(), 0)];
    while let Some((node, parent)) = open.pop() {
        let index = document.len();
        document[parent].children.push(index);
        let attributes = node.attributes();
        document.push(Element {
            name: node.tag_name().name().to_owned(),
            attributes: attributes
                .map(|a| (a.name().to_owned(), a.value().to_owned()))
                .collect(),
            text: node.text().unwrap_or_default().to_owned(),
            parent,
            children: vec![],
        });
        let children = node.children().filter(roxmltree::Node::is_element);
        let children: Vec<_> = children.map(|child| (child, index)).collect();
        open.extend(children.into_iter().rev());
    }
    Ok(document)
}

/// A path of names.
struct Path<'a> {
    from_root: bool,
    steps: Vec<Step<'a>>,
}

struct Step<'a> {
    /// Whether it leads to everything below, not to children alone.
    deep: bool,
    to: Target<'a>,
    conditions: Vec<Condition<'a>>,
}

enum Target<'a> {
    Here,
    Up,
    Any,
    Named(&'a str),
}

enum Condition<'a> {
    Number(usize),
    Last,
    Attribute(&'a str, Option<&'a str>),
    Child(&'a str, Option<&'a str>),
}

impl<'a> Path<'a> {
    fn parse(text: &'a str) -> Option<Path<'a>> {
        let mut rest = text.trim();
        let mut steps = vec![];
        let from_root = rest.starts_with('/');
        if !from_root && rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let deep = rest.starts_with("//");
            rest = rest.trim_start_matches('/');
            let end = rest.find(['/', '[']).unwrap_or(rest.len());
            let (name, mut after) = rest.split_at(end);
            let to = match name.trim() {
                "." => Target::Here,
                ".." => Target::Up,
                "*" => Target::Any,
                name if is_name(name) => Target::Named(name),
                _ => return None,
            };
            let mut conditions = vec![];
            while let Some(inner) = after.strip_prefix('[') {
                let (condition, behind) = inner.split_once(']')?;
                conditions.push(Condition::parse(condition.trim())?);
                after = behind;
            }
            rest = after;
            if !rest.is_empty() && (!rest.starts_with('/') || rest.trim_start_matches('/').is_empty()) {
                return None;
            }
            steps.push(Step { deep, to, conditions });
        }
        Some(Path { from_root, steps })
    }

    /// The elements that it leads to, in the order of the document.
    fn follow(&self, document: &Document, from: usize) -> BTreeSet<usize> {
        let start = if self.from_root { 0 } else { from };
        let mut reached = BTreeSet::from([start]);
        for step in &self.steps {
            let from = if step.deep {
                reached.iter().flat_map(|&i| below(document, i)).collect()
            } else {
                reached
            };
            reached = from.iter().flat_map(|&i| step.from(document, i)).collect();
        }
        reached.remove(&0);
        reached
    }
}

/// An element and all in it.
fn below(document: &Document, from: usize) -> Vec<usize> {
    let mut all = vec![];
    let mut open = vec![from];
    while let Some(element) = open.pop() {
        all.push(element);
        open.extend(&document[element].children);
    }
    all
}

impl Step<'_> {
    fn from(&self, document: &Document, from: usize) -> Vec<usize> {
        let children = &document[from].children;
        let mut reached: Vec<usize> = match self.to {
            Target::Here => vec![from],
            Target::Up => vec![document[from].parent],
            Target::Any => children.clone(),
            Target::Named(name) => {
                let named = children.iter().copied();
                named.filter(|&child| document[child].name == name).collect()
            }
        };
        for condition in &self.conditions {
            let count = reached.len();
            let mut number = 0;
            reached.retain(|&element| {
                number += 1;
                condition.holds(document, element, number, count)
            });
        }
        reached
    }
}

impl<'a> Condition<'a> {
    fn parse(text: &'a str) -> Option<Condition<'a>> {
        if let Ok(number) = text.parse() {
            return Some(Condition::Number(number));
        }
        if text == "last()" {
            return Some(Condition::Last);
        }
        let (name, value) = match text.split_once('=') {
            None => (text, None),
            Some((name, value)) => {
                let value = value.trim();
                let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
                (name.trim(), Some(value.strip_prefix(quote)?.strip_suffix(quote)?))
            }
        };
        match name.strip_prefix('@') {
            Some(name) if is_name(name) => Some(Condition::Attribute(name, value)),
            None if is_name(name) => Some(Condition::Child(name, value)),
            _ => None,
        }
    }

    /// Whether it holds for an element that is one of `count`.
    fn holds(&self, document: &Document, element: usize, number: usize, count: usize) -> bool {
        let same = |wanted: Option<&str>, found: &str| wanted.is_none_or(|wanted| wanted == found);
        let element = &document[element];
        match *self {
            Condition::Number(wanted) => number == wanted,
            Condition::Last => number == count,
            Condition::Attribute(name, value) => {
                let mut attributes = element.attributes.iter();
                attributes.any(|(known, found)| known == name && same(value, found))
            }
            Condition::Child(name, value) => {
                let mut children = element.children.iter().map(|&child| &document[child]);
                children.any(|child| child.name == name && same(value, &child.text))
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))
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
            ("//room[note='dusty']/note", &["dusty"]),
            ("//note/../lamp[1]", &["25"]),
            ("//*[@watts=\"60\"]", &["60"]),
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
        assert_eq!(all.next(0), 0);
        assert_eq!(all.next(i32::MIN), 0);
    }

    #[test]
    fn mistakes_are_told_once() {
        let mut all = Dictionaries::default();
        assert!(all.find("none.xml", "//a", |_| None).is_err());
        assert_eq!(all.find("none.xml", "//a", |_| None), Ok(-1));
        for path in ["", "//", "a[", "a[b=c]", "a//", "@a", "a b"] {
            assert!(all.find(ROOMS, path, |_| None).is_err(), "{path}");
        }
    }
}
