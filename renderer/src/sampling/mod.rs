//! Warps from the unit square with their densities, tabulated distributions, multiple importance sampling.
