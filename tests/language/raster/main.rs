//! Tests of code for rasterisers, run by an interpreter of naga's intermediate representation and compared with Kiln's
//! interpreter.

mod functions;
mod fuzz;
mod passes;
mod point;
mod shipped;
