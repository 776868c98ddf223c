//! Tests of the code for rasterisers: the numbers of the interpreter, by an interpreter of naga's intermediate
//! representation.

mod functions;
mod fuzz;
mod passes;
mod point;
mod shipped;
