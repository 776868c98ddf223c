//! XML documents in XPath's data model: a tree of elements and texts, in document order.

use std::cell::Cell;

/// A node of a document: an element or text by its index in document order, or an attribute of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId {
    pub(super) index: usize,
    /// Attributes follow their element and precede its contents.
    pub(super) attribute: Option<usize>,
}

impl NodeId {
    /// The document node, which contains the outermost element.
    pub(crate) const ROOT: NodeId = NodeId::tree(0);

    /// An element or a text.
    pub(super) const fn tree(index: usize) -> NodeId {
        NodeId { index, attribute: None }
    }
}

/// Elements and texts of a file; the first node is the document itself.
///
/// Comments, processing instructions, and texts that contain only white space are not stored.
#[derive(Debug)]
pub(crate) struct Document {
    pub(super) nodes: Vec<Node>,
    /// Remaining work of the current query [nodes visited and bytes read].
    pub(super) budget: Cell<u64>,
}

/// An element, a text, or the document itself.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Name with its prefix; empty for texts and for the document.
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    /// Contents of a text node.
    pub(super) text: String,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// Index after the last descendant.
    pub(super) end: usize,
}

impl Node {
    pub(super) fn is_element(&self) -> bool {
        !self.name.is_empty()
    }

    pub(super) fn is_text(&self) -> bool {
        self.name.is_empty() && self.parent.is_some()
    }
}

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    /// The text is not XML.
    pub(crate) fn parse(text: &str) -> Result<Document, String> {
        let parsed = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
        let mut nodes = vec![Node::default()];
        let mut open = vec![(parsed.root_element(), 0)];
        while let Some((source, parent)) = open.pop() {
            let index = nodes.len();
            nodes[parent].children.push(index);
            nodes.push(Node::of(&source, parent));
            let children = source.children().filter(is_read);
            let children: Vec<_> = children.map(|child| (child, index)).collect();
            open.extend(children.into_iter().rev());
        }
        for index in (0..nodes.len()).rev() {
            let last = nodes[index].children.last();
            nodes[index].end = last.map_or(index + 1, |&last| nodes[last].end);
        }
        Ok(Document { nodes, budget: Cell::new(0) })
    }

    /// Subtracts work from the budget of the current query. Returns false if the budget is exhausted.
    pub(super) fn spend(&self, work: usize) -> bool {
        let left = self.budget.get().saturating_sub(work as u64);
        self.budget.set(left);
        left > 0
    }

    /// Returns the value of an element's attribute.
    pub(crate) fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        let node = self.node(node)?;
        let mut attributes = node.attributes.iter();
        attributes.find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of the node itself: the text of a text node; empty for elements.
    pub(crate) fn value(&self, node: NodeId) -> &str {
        self.node(node).map_or("", |node| &node.text)
    }

    /// Returns XPath's string-value: for an element, the texts in it. Empty if the budget is exhausted.
    pub(super) fn string_value(&self, node: NodeId) -> String {
        let tree = &self.nodes[node.index];
        let text = match node.attribute {
            Some(attribute) => tree.attributes[attribute].1.clone(),
            None if !self.spend(tree.end - node.index) => String::new(),
            None => self.nodes[node.index..tree.end].iter().map(|node| node.text.as_str()).collect(),
        };
        self.spend(1 + text.len());
        text
    }

    /// Returns the name of an element or attribute, with its prefix.
    pub(super) fn name(&self, node: NodeId) -> &str {
        let tree = &self.nodes[node.index];
        match node.attribute {
            Some(attribute) => &tree.attributes[attribute].0,
            None => &tree.name,
        }
    }

    fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(node.index).filter(|_| node.attribute.is_none())
    }
}

impl Node {
    fn of(source: &roxmltree::Node<'_, '_>, parent: usize) -> Node {
        let input = source.document().input_text();
        Node {
            name: match source.is_element() {
                true => qualified_name(input, source.range().start + 1),
                false => String::new(),
            },
            attributes: source
                .attributes()
                .map(|a| (qualified_name(input, a.range().start), a.value().to_owned()))
                .collect(),
            text: match source.is_text() {
                true => source.text().unwrap_or_default().to_owned(),
                false => String::new(),
            },
            parent: Some(parent),
            ..Node::default()
        }
    }
}

fn is_read(node: &roxmltree::Node<'_, '_>) -> bool {
    let is_blank = || node.text().is_none_or(|text| text.trim().is_empty());
    node.is_element() || node.is_text() && !is_blank()
}

/// Returns the name at a position of the source as written, with its prefix.
fn qualified_name(input: &str, start: usize) -> String {
    let rest = input.get(start..).unwrap_or_default();
    let ends = |c: char| c.is_whitespace() || matches!(c, '=' | '/' | '>');
    rest.split(ends).next().unwrap_or_default().to_owned()
}
