//! Closures as flat sums of weighted components, for comparison and printing.

use crate::runtime::{ClosureNode, ClosureRef, ClosureTree, Params};
use shading_compiler::hir::{self, Const};
use shading_compiler::hir::{ClosureParam, ClosureRegistry, ClosureSignature};
use shading_compiler::ty::Base;

/// Maximum number of components listed for a closure; sums with shared operands can have exponentially many.
pub(crate) const MAX_LISTED: usize = 1 << 14;

/// A closure flattened to a sum of components; closures among their parameters are flattened likewise.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Sums of components. The first is the closure itself, the others are closures in parameters.
    pub lists: Vec<Vec<Component>>,
    /// True if there were too many components to list all.
    pub truncated: bool,
}

/// A component with a nonzero weight.
#[derive(Clone, Debug)]
pub struct Component {
    /// Id in the registry.
    pub id: hir::ClosureId,
    /// Product of all its weights, from the outermost in, linear RGB.
    pub weight: [f32; 3],
    /// Parameters.
    pub params: Vec<Param>,
}

/// A parameter of a component.
#[derive(Clone, Debug)]
pub enum Param {
    /// A value that is not a closure.
    Value(Const),
    /// A closure, by its index in [`Listing::lists`].
    Closure(usize),
}

impl Param {
    /// Returns the parameters of a component made by compiled code.
    fn read_all<'t>(
        signature: &ClosureSignature,
        params: &Params<'t>,
        roots: &mut Vec<Option<ClosureRef<'t>>>,
    ) -> Vec<Param> {
        let (offsets, _) = signature.layout();
        let param = |(declared, at): (&ClosureParam, usize)| {
            if declared.ty.base == Base::Closure {
                roots.push(params.closure(at));
                return Param::Closure(roots.len() - 1);
            }
            let (base, bytes) = (declared.ty.base, declared.element_bytes());
            Param::Value(if declared.ty.is_array() {
                let places = (0..declared.ty.count() as usize).map(|i| at + i * bytes);
                Const::Array(places.map(|at| single(params, base, at)).collect())
            } else {
                single(params, base, at)
            })
        };
        signature.params.iter().zip(offsets).map(param).collect()
    }
}

/// Returns a parameter, or an element of one, that is not a closure.
fn single(params: &Params<'_>, base: Base, at: usize) -> Const {
    match base {
        Base::Int => Const::Int(params.int(at)),
        Base::Float => Const::Float(params.float(at)),
        Base::Matrix => Const::Matrix(params.matrix(at)),
        Base::String => Const::String(params.string(at).into()),
        _ => Const::Triple(params.triple(at)),
    }
}

impl Listing {
    /// Flattens a closure created by compiled code, in the order of the interpreter.
    ///
    /// # Panics
    /// If the registry is not the one that the code was compiled with.
    pub fn of(tree: ClosureTree<'_>, registry: &ClosureRegistry) -> Listing {
        let mut listing = Listing::default();
        let mut roots = vec![tree.root()];
        let mut count = 0;
        while let Some(&root) = roots.get(listing.lists.len()) {
            let mut list = vec![];
            let mut open: Vec<_> = root.map(|r| (r, [1.0f32; 3])).into_iter().collect();
            while let Some((closure, weight)) = open.pop() {
                if count == MAX_LISTED {
                    listing.truncated = true;
                    break;
                }
                count += 1;
                let scaled = |w: [f32; 3]| std::array::from_fn(|i| weight[i] * w[i]);
                match closure.node() {
                    // A component scaled by zero is omitted, even if it is infinite.
                    ClosureNode::Mul { weight: [0.0, 0.0, 0.0], .. }
                    | ClosureNode::Component { weight: [0.0, 0.0, 0.0], .. } => {}
                    ClosureNode::Mul { weight, closure } => open.extend(closure.map(|c| (c, scaled(weight)))),
                    ClosureNode::Add { a, b } => {
                        open.extend([b, a].into_iter().flatten().map(|c| (c, weight)));
                    }
                    ClosureNode::Component { id, weight: own, params } => {
                        let weight = scaled(own);
                        if weight != [0.0; 3] {
                            let params = Param::read_all(&registry[id], &params, &mut roots);
                            list.push(Component { id, weight, params });
                        }
                    }
                }
            }
            listing.lists.push(list);
        }
        listing
    }

    /// Returns whether two closures are equal, bit by bit.
    pub fn same(&self, other: &Listing) -> bool {
        let same = |a: &Component, b: &Component| {
            a.id == b.id
                && Const::Triple(a.weight).same(&Const::Triple(b.weight))
                && a.params.len() == b.params.len()
                && a.params.iter().zip(&b.params).all(|pair| match pair {
                    (Param::Value(a), Param::Value(b)) => a.same(b),
                    (Param::Closure(a), Param::Closure(b)) => a == b,
                    _ => false,
                })
        };
        // Truncated listings are compared up to the shorter length.
        let cut = self.truncated || other.truncated;
        let lists = |a: &Vec<Component>, b: &Vec<Component>| {
            (cut || a.len() == b.len()) && a.iter().zip(b).all(|(a, b)| same(a, b))
        };
        (cut || self.lists.len() == other.lists.len())
            && self.lists.iter().zip(&other.lists).all(|(a, b)| lists(a, b))
    }
}
