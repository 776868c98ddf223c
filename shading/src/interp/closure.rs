//! Closures of the interpreter: nodes in a table, without recursion.

use crate::runtime::listing::{Component, Listing, MAX_LISTED, Param};
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{self, Const, Kind};

/// Index of a closure in the table; `None` is the null closure.
pub type NodeId = Option<u32>;

/// A value of the interpreter.
#[derive(Clone, Debug)]
pub enum Value {
    /// A value that is not a closure.
    Plain(Const),
    /// A closure.
    Closure(NodeId),
    /// An array of closures.
    Closures(Vec<NodeId>),
}

impl Value {
    /// Initial value of a variable.
    pub fn zero(kind: Kind) -> Value {
        match kind {
            Kind::One(Element::Closure) => Value::Closure(None),
            Kind::Array(Element::Closure, n) => Value::Closures(vec![None; n as usize]),
            Kind::One(_) | Kind::Array(..) => Value::Plain(kind.zero()),
        }
    }

    /// Value of a constant.
    pub fn of(value: &Const) -> Value {
        match (value, Kind::of_const(value)) {
            (_, Some(kind @ (Kind::One(Element::Closure) | Kind::Array(Element::Closure, _)))) => {
                Value::zero(kind)
            }
            _ => Value::Plain(value.clone()),
        }
    }
}

/// A non-null closure.
#[derive(Clone, Debug)]
pub enum Node {
    /// A closure of the registry with its parameters.
    Component(hir::ClosureId, Vec<Value>),
    /// A scaled closure.
    Mul([f32; 3], u32),
    /// Sum of two closures.
    Add(u32, u32),
}

/// Closures created by a run.
#[derive(Clone, Debug, Default)]
pub struct Closures {
    nodes: Vec<Node>,
}

impl Closures {
    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        Some(self.nodes.len() as u32 - 1)
    }

    /// Creates a component.
    pub fn component(&mut self, id: hir::ClosureId, params: Vec<Value>) -> NodeId {
        self.push(Node::Component(id, params))
    }

    /// Adds two closures; returns one of them if the other is null.
    pub fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (a, b) {
            (Some(a), Some(b)) => self.push(Node::Add(a, b)),
            (a, b) => a.or(b),
        }
    }

    /// Scales a closure; null if it is null.
    pub fn mul(&mut self, a: NodeId, weight: [f32; 3]) -> NodeId {
        a.and_then(|a| self.push(Node::Mul(weight, a)))
    }

    /// Returns the node of a closure.
    pub fn node(&self, id: u32) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// Flattens a closure to a sum of weighted components, independent of its construction.
    pub fn list(&self, root: NodeId) -> Listing {
        let mut listing = Listing::default();
        let mut roots = vec![root];
        let mut count = 0;
        while let Some(&root) = roots.get(listing.lists.len()) {
            let mut list = vec![];
            let mut open: Vec<(u32, [f32; 3])> = root.map(|r| (r, [1.0; 3])).into_iter().collect();
            while let Some((id, weight)) = open.pop() {
                if count == MAX_LISTED {
                    listing.truncated = true;
                    break;
                }
                count += 1;
                match self.node(id) {
                    Some(Node::Component(..)) if weight == [0.0; 3] => {}
                    Some(Node::Component(id, params)) => {
                        let params = params.iter().map(|p| param(p, &mut roots)).collect();
                        list.push(Component { id: *id, weight, params });
                    }
                    // A component scaled by zero is omitted, even if it is NaN.
                    Some(Node::Mul(w, _)) if *w == [0.0; 3] => {}
                    Some(Node::Mul(w, a)) => {
                        open.push((*a, std::array::from_fn(|i| weight[i] * w[i])));
                    }
                    Some(Node::Add(a, b)) => open.extend([(*b, weight), (*a, weight)]),
                    None => {}
                }
            }
            listing.lists.push(list);
        }
        listing
    }
}

fn param(value: &Value, roots: &mut Vec<NodeId>) -> Param {
    let root = match value {
        Value::Plain(value) => return Param::Value(value.clone()),
        Value::Closure(root) => *root,
        // The registry rejects arrays of closures.
        Value::Closures(_) => None,
    };
    roots.push(root);
    Param::Closure(roots.len() - 1)
}
