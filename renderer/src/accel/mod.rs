//! Ray tracing: which surface a ray meets first, and whether anything is in its way.
