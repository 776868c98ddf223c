//! Activity analysis: variables that need derivatives, on paths from sources of derivatives to their uses.
//!
//! The graph over the variables of the unit and its functions has an edge from each variable to those that are assigned from
//! it by a differentiable operation. A variable carries derivatives if a source reaches it forwards and a request reaches it
//! backwards. The analysis is flow-insensitive.

use cranelift_entity::EntityRef;

use super::change::is_differentiable;
use super::formula::Rule;
use super::rule;
use crate::hir::{Block, Code, FunctionId, Kind, LocalId, Operand, Stmt, Unit, walk};

/// Owner of a variable: the unit or one of its functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Unit,
    Function(FunctionId),
}

/// The variables that carry derivatives.
pub(super) struct Demand {
    /// Index of the first variable of the unit, and of each function.
    first: Vec<usize>,
    carries: Vec<bool>,
}

impl Demand {
    /// Analyses a unit; `None` if no derivatives are requested.
    pub(super) fn of(unit: &Unit) -> Option<Demand> {
        if !bodies(unit).any(|(_, _, blocks)| blocks.iter().any(|block| requests_derivatives(block))) {
            return None;
        }
        let mut graph = Graph::new(unit);
        for (owner, code, blocks) in bodies(unit) {
            for block in blocks {
                walk::statements(block, &mut |stmt| graph.add(unit, owner, code, stmt));
            }
        }
        let wanted = reach(&graph.requests, &graph.backwards);
        let varies = reach(&graph.sources, &graph.forwards);
        let carries = wanted.iter().zip(&varies).map(|(a, b)| *a && *b).collect();
        Some(Demand { first: graph.first, carries })
    }

    pub(super) fn carries(&self, owner: Owner, local: LocalId) -> bool {
        self.carries[index(&self.first, owner, local)]
    }

    /// Number of variables that carry derivatives.
    pub(super) fn count(&self) -> usize {
        self.carries.iter().filter(|carries| **carries).count()
    }
}

/// Iterates over the code of the unit and of its functions.
fn bodies(unit: &Unit) -> impl Iterator<Item = (Owner, &Code, Vec<&Block>)> {
    let inits = unit.params.iter().map(|param| &param.init);
    let body = inits.chain([&unit.code.body]).collect();
    let functions = unit.functions.iter().map(|(id, function)| {
        let code = &function.code;
        (Owner::Function(id), code, vec![&code.body])
    });
    std::iter::once((Owner::Unit, &unit.code, body)).chain(functions)
}

fn requests_derivatives(block: &Block) -> bool {
    let mut found = false;
    walk::ops(block, &mut |op, _| found |= rule::is_request(op));
    found
}

fn index(first: &[usize], owner: Owner, local: LocalId) -> usize {
    let owner = match owner {
        Owner::Unit => 0,
        Owner::Function(id) => 1 + id.index(),
    };
    first[owner] + local.index()
}

/// Graph of the flow of derivatives between variables, by index.
struct Graph {
    first: Vec<usize>,
    forwards: Vec<Vec<u32>>,
    backwards: Vec<Vec<u32>>,
    requests: Vec<u32>,
    sources: Vec<u32>,
}

impl Graph {
    fn new(unit: &Unit) -> Graph {
        let (mut first, mut count) = (vec![], 0);
        for (_, code, _) in bodies(unit) {
            first.push(count);
            count += code.locals.len();
        }
        Graph {
            first,
            forwards: vec![vec![]; count],
            backwards: vec![vec![]; count],
            requests: vec![],
            sources: vec![],
        }
    }

    /// Returns the node of a variable, if it can have derivatives.
    fn node(&self, owner: Owner, code: &Code, local: LocalId) -> Option<u32> {
        let kind = Kind::of(code.locals[local].ty)?;
        is_differentiable(kind).then(|| index(&self.first, owner, local) as u32)
    }

    fn operand(&self, owner: Owner, code: &Code, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Local(local) => self.node(owner, code, local),
            Operand::Const(_) => None,
        }
    }

    fn edge(&mut self, from: Option<u32>, to: Option<u32>) {
        if let (Some(from), Some(to)) = (from, to)
            && from != to
        {
            self.forwards[from as usize].push(to);
            self.backwards[to as usize].push(from);
        }
    }

    fn add(&mut self, unit: &Unit, owner: Owner, code: &Code, stmt: &Stmt) {
        match stmt {
            Stmt::Op { dst, op, args, .. } => {
                for &requested in rule::requested(*op, args) {
                    self.requests.extend(self.operand(owner, code, requested));
                }
                let dst = dst.and_then(|dst| self.node(owner, code, dst));
                match rule::of(*op) {
                    Rule::Zero => {}
                    Rule::Source => self.sources.extend(dst),
                    // Derivatives of the texture are needed only if the coordinates have derivatives.
                    Rule::Texture => {
                        for &arg in &args[rule::lookup_operands(*op)] {
                            self.edge(self.operand(owner, code, arg), dst);
                        }
                    }
                    Rule::Linear | Rule::Formula(_) | Rule::Dual(_) => {
                        for &arg in args {
                            self.edge(self.operand(owner, code, arg), dst);
                        }
                    }
                }
            }
            Stmt::Call { function, args, results, .. } => {
                let (callee, inside) = (&unit.functions[*function], Owner::Function(*function));
                for (&param, &arg) in callee.params.iter().zip(args) {
                    let param = self.node(inside, &callee.code, param);
                    self.edge(self.operand(owner, code, arg), param);
                }
                for (&output, &result) in callee.outputs.iter().zip(results) {
                    let output = self.node(inside, &callee.code, output);
                    self.edge(output, self.node(owner, code, result));
                }
            }
            Stmt::If { .. } | Stmt::Loop { .. } | Stmt::Scope { .. } | Stmt::Leave(_) => {}
        }
    }
}

/// Computes the nodes reachable from the given ones.
fn reach(from: &[u32], edges: &[Vec<u32>]) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut open = from.to_vec();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            open.extend(&edges[node as usize]);
        }
    }
    reached
}
