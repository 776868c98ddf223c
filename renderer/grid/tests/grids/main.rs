//! Files of grids, lookups and bounds.

mod files;
mod fixture;
mod hostile;
mod lookups;
