//! Closure trees: components, products and sums, as plain data nodes in the arena of a [`ShadingContext`].
//!
//! A node is 16 bytes of header (tag, weight) and then, aligned to 16: the parameters of a component, as
//! [`ClosureSignature::layout`] places them; the scaled closure of a product; both closures of a sum. The null pointer
//! is the empty closure. A component's weight is 1 unless a scaling product was folded into it.
//!
//! Trees may be deep (a loop can add closures as long as there is fuel): traverse them with an explicit stack.
//!
//! [`ShadingContext`]: crate::ShadingContext

#![expect(
    unsafe_code,
    reason = "nodes are written by compiled code and read through pointers"
)]

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;
use std::mem::size_of;
use std::ptr::NonNull;

use crate::runtime::text::{self, TextHeader};
use shading_compiler::hir::ClosureId;
use shading_compiler::hir::{ClosureRegistry, ClosureSignature};
use shading_compiler::ty::Base;

/// Tag of a product; tags below are [`ClosureId`]s.
pub(crate) const TAG_MUL: u32 = u32::MAX;
pub(crate) const TAG_ADD: u32 = u32::MAX - 1;

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct NodeHeader {
    pub(crate) tag: u32,
    pub(crate) weight: [f32; 3],
}

/// Size in bytes of the header of a node.
pub(crate) const HEADER_BYTES: usize = size_of::<NodeHeader>();

/// Contents of a component's parameter block: one tag for each 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Number,
    Text,
    Closure,
    /// Upper half of a pointer.
    Rest,
}

/// Parameter block layouts of the closures that a shader can create, by id; others have none.
#[derive(Debug, Default)]
pub(crate) struct Layouts {
    blocks: Vec<Layout>,
}

/// Parameter block layout of a closure.
#[derive(Clone, Debug, Default)]
struct Layout {
    words: Vec<Word>,
    /// [`ClosureSignature::fingerprint`].
    fingerprint: u64,
}

impl Layouts {
    pub(crate) fn of(registry: &ClosureRegistry, ids: &BTreeSet<ClosureId>) -> Layouts {
        let mut blocks = vec![];
        for id in ids {
            let signature = &registry[*id];
            blocks.resize(id.0 as usize, Layout::default());
            blocks.push(Layout {
                words: words(signature),
                fingerprint: signature.fingerprint(),
            });
        }
        Layouts { blocks }
    }
}

fn words(signature: &ClosureSignature) -> Vec<Word> {
    let (offsets, size) = signature.layout();
    let mut words = vec![Word::Number; size / 4];
    for (param, offset) in signature.params.iter().zip(offsets) {
        let word = match param.ty.base {
            Base::String => Word::Text,
            Base::Closure => Word::Closure,
            _ => continue,
        };
        for pointer in words[offset / 4..].chunks_mut(2).take(param.ty.count() as usize) {
            pointer[0] = word;
            pointer[1] = Word::Rest;
        }
    }
    words
}

/// Result of a run: a closure and its descendants. Valid until the context runs again or the instance is dropped.
#[derive(Clone, Copy)]
pub struct ClosureTree<'a> {
    root: *const NodeHeader,
    layouts: &'a Layouts,
}

impl<'a> ClosureTree<'a> {
    /// # Safety
    /// `root` is null or points to a node that compiled code created with these layouts; the node and all its
    /// descendants are not modified during `'a`.
    pub(crate) unsafe fn new(root: *const NodeHeader, layouts: &'a Layouts) -> ClosureTree<'a> {
        ClosureTree { root, layouts }
    }

    /// Returns the root; `None` for the empty closure.
    pub fn root(&self) -> Option<ClosureRef<'a>> {
        ClosureRef::new(self.root, self.layouts)
    }

    /// Iterates over the components of the tree, each with the product of the weights above it. Sums and products are
    /// resolved from left to right; closures that are parameters of components are not entered.
    ///
    /// Allocates memory only for sums that are nested deeper than [`Components::INLINE`].
    #[inline]
    pub fn components(&self) -> Components<'a> {
        Components::of(*self)
    }
}

impl fmt::Debug for ClosureTree<'_> {
    /// Writes the number of nodes, because the tree can be too deep to print.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut count = 0u64;
        let mut open: Vec<_> = self.root().into_iter().collect();
        while let Some(node) = open.pop() {
            count += 1;
            match node.node() {
                ClosureNode::Component { .. } => {}
                ClosureNode::Mul { closure, .. } => open.extend(closure),
                ClosureNode::Add { a, b } => open.extend([a, b].into_iter().flatten()),
            }
        }
        write!(f, "ClosureTree({count} nodes)")
    }
}

/// A non-empty closure: a node of a [`ClosureTree`].
#[derive(Clone, Copy)]
pub struct ClosureRef<'a> {
    header: NonNull<NodeHeader>,
    layouts: &'a Layouts,
}

impl<'a> ClosureRef<'a> {
    fn new(header: *const NodeHeader, layouts: &'a Layouts) -> Option<ClosureRef<'a>> {
        let header = NonNull::new(header.cast_mut())?;
        Some(ClosureRef { header, layouts })
    }

    /// Returns the node by type.
    #[inline]
    pub fn node(self) -> ClosureNode<'a> {
        // SAFETY: by the contract of `ClosureTree::new`, the address holds a header, followed by the data that its tag
        // specifies.
        let (header, block) = unsafe { (self.header.read(), self.header.add(1)) };
        match header.tag {
            TAG_MUL => {
                // SAFETY: as above.
                let child = unsafe { block.cast::<*const NodeHeader>().read() };
                ClosureNode::Mul {
                    weight: header.weight,
                    closure: ClosureRef::new(child, self.layouts),
                }
            }
            TAG_ADD => {
                // SAFETY: as above.
                let [a, b] = unsafe {
                    let first = block.cast::<*const NodeHeader>();
                    [first.read(), first.add(1).read()]
                };
                ClosureNode::Add {
                    a: ClosureRef::new(a, self.layouts),
                    b: ClosureRef::new(b, self.layouts),
                }
            }
            id => ClosureNode::Component {
                id: ClosureId(id),
                weight: header.weight,
                params: Params {
                    block: block.cast(),
                    words: &self.layouts.blocks[id as usize].words,
                    layouts: self.layouts,
                    tree: PhantomData,
                },
            },
        }
    }
}

/// A closure node by type. A missing closure is empty.
#[derive(Clone, Copy)]
pub enum ClosureNode<'a> {
    /// A closure of the registry.
    Component {
        /// Id in the registry.
        id: ClosureId,
        /// Weight, linear RGB.
        weight: [f32; 3],
        /// Parameters.
        params: Params<'a>,
    },
    /// A scaled closure.
    Mul {
        /// Weight, linear RGB.
        weight: [f32; 3],
        /// Scaled closure.
        closure: Option<ClosureRef<'a>>,
    },
    /// Sum of two closures.
    Add {
        /// First operand.
        a: Option<ClosureRef<'a>>,
        /// Second operand.
        b: Option<ClosureRef<'a>>,
    },
}

/// Parameters of a component, read by their offsets in [`ClosureSignature::layout`].
///
/// # Panics
/// All reads panic if the offset is outside the registered structure, or if a string or closure is read at the offset
/// of another type, which is an error of the embedder. Types of numbers are not checked.
#[derive(Clone, Copy)]
pub struct Params<'a> {
    block: NonNull<u8>,
    words: &'a [Word],
    layouts: &'a Layouts,
    tree: PhantomData<&'a NodeHeader>,
}

impl<'a> Params<'a> {
    /// Reads an int.
    #[inline]
    pub fn int(&self, offset: usize) -> i32 {
        i32::from_ne_bytes(self.numbers::<1>(offset)[0])
    }

    /// Reads a float.
    #[inline]
    pub fn float(&self, offset: usize) -> f32 {
        f32::from_ne_bytes(self.numbers::<1>(offset)[0])
    }

    /// Reads a color, point, vector or normal.
    #[inline]
    pub fn triple(&self, offset: usize) -> [f32; 3] {
        self.numbers::<3>(offset).map(f32::from_ne_bytes)
    }

    /// Reads a matrix, row-major.
    pub fn matrix(&self, offset: usize) -> [f32; 16] {
        self.numbers::<16>(offset).map(f32::from_ne_bytes)
    }

    /// Reads a string.
    pub fn string(&self, offset: usize) -> &'a str {
        let text = self.pointer(offset, Word::Text).cast::<TextHeader>();
        // SAFETY: compiled code stores the address of a text here, which is alive as long as the tree.
        unsafe { text::read(text) }
    }

    /// Reads a closure; `None` if it is empty.
    pub fn closure(&self, offset: usize) -> Option<ClosureRef<'a>> {
        ClosureRef::new(self.pointer(offset, Word::Closure).cast(), self.layouts)
    }

    /// Reads a closure as a tree, which may be empty.
    #[inline]
    pub fn tree(&self, offset: usize) -> ClosureTree<'a> {
        ClosureTree {
            root: self.pointer(offset, Word::Closure).cast(),
            layouts: self.layouts,
        }
    }

    /// Returns whether these are parameters of a closure with this id and signature.
    #[inline]
    pub(crate) fn belong_to(&self, id: ClosureId, fingerprint: u64) -> bool {
        let layout = self.layouts.blocks.get(id.0 as usize);
        layout.is_some_and(|layout| layout.fingerprint == fingerprint)
    }

    #[inline]
    fn numbers<const N: usize>(&self, offset: usize) -> [[u8; 4]; N] {
        assert!(
            offset.is_multiple_of(4) && offset + 4 * N <= self.words.len() * 4,
            "no closure parameter at offset {offset}"
        );
        // SAFETY: the block has the number of words in its layout, and the arena's memory is always initialised.
        unsafe { self.block.add(offset).cast::<[[u8; 4]; N]>().read() }
    }

    fn pointer(&self, offset: usize, word: Word) -> *const u8 {
        assert!(
            offset.is_multiple_of(4) && self.words.get(offset / 4) == Some(&word),
            "no closure parameter of that type at offset {offset}"
        );
        // SAFETY: by the layout, a pointer was stored here.
        unsafe { self.block.add(offset).cast::<*const u8>().read() }
    }
}

/// A component of a closure tree.
#[derive(Clone, Copy)]
pub struct Component<'a> {
    /// Id in the registry.
    pub id: ClosureId,
    /// Product of all weights from the root of the tree to the component, linear RGB.
    pub weight: [f32; 3],
    /// Parameters.
    pub params: Params<'a>,
}

/// Iterator over the components of a tree: see [`ClosureTree::components`].
#[derive(Clone)]
pub struct Components<'a> {
    /// The closure to visit next, with the product of the weights above it.
    next: Option<(ClosureRef<'a>, [f32; 3])>,
    /// Second operands of open sums.
    inline: [Option<(ClosureRef<'a>, [f32; 3])>; Components::INLINE],
    count: usize,
    /// Pending closures that do not fit inline.
    rest: Vec<(ClosureRef<'a>, [f32; 3])>,
}

impl<'a> Components<'a> {
    /// Nesting depth of sums up to which no memory is allocated.
    pub const INLINE: usize = 8;

    #[inline]
    fn of(tree: ClosureTree<'a>) -> Components<'a> {
        Components {
            next: tree.root().map(|root| (root, [1.0; 3])),
            inline: [None; Components::INLINE],
            count: 0,
            rest: vec![],
        }
    }

    #[inline]
    fn push(&mut self, item: (ClosureRef<'a>, [f32; 3])) {
        match self.inline.get_mut(self.count) {
            Some(place) => {
                *place = Some(item);
                self.count += 1;
            }
            None => self.rest.push(item),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<(ClosureRef<'a>, [f32; 3])> {
        self.rest.pop().or_else(|| {
            self.count = self.count.checked_sub(1)?;
            self.inline[self.count]
        })
    }
}

impl<'a> Iterator for Components<'a> {
    type Item = Component<'a>;

    #[inline]
    fn next(&mut self) -> Option<Component<'a>> {
        loop {
            let (closure, above) = self.next.take().or_else(|| self.pop())?;
            let times = |weight: [f32; 3]| std::array::from_fn(|i| above[i] * weight[i]);
            match closure.node() {
                ClosureNode::Component { id, weight, params } => {
                    let weight = times(weight);
                    return Some(Component { id, weight, params });
                }
                ClosureNode::Mul { weight, closure } => {
                    self.next = closure.map(|closure| (closure, times(weight)));
                }
                ClosureNode::Add { a, b } => {
                    self.next = a.map(|a| (a, above));
                    if let Some(b) = b {
                        self.push((b, above));
                    }
                }
            }
        }
    }
}
