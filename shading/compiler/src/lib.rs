//! The compiler of Kiln's shading language, from syntax tree to optimised HIR. Code generation and the runtime are in
//! the crate `shading`.
//!
//! 1. [`check`] resolves names and types of a syntax tree and lowers each unit to [`hir`]: typed three-address code in
//!    structured control flow.
//! 2. [`graph`] composes units into groups (a group is itself a unit) and links a group into one function of HIR.
//! 3. [`derivative`] adds derivatives where they are used, and [`opt`] optimises.
//!
//! [`builtins`] lists the functions of the language, [`ty`] its types. [`eval`] defines each operation as a plain Rust
//! function, which constant folding, the interpreter and compiled code share.

#![deny(unsafe_code, missing_docs)]
#![warn(rustdoc::broken_intra_doc_links)]
// Results must have the same bits on all machines, so they must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

pub mod builtins;
pub mod check;
pub mod derivative;
pub mod eval;
pub mod graph;
pub mod hir;
pub mod opt;
pub mod ty;
