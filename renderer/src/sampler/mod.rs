//! Random numbers as a function of (seed, pixel, sample index, dimension).
