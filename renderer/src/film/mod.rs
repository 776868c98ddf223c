//! film
