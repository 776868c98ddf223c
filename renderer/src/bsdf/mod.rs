//! Scattering: weighted lobes in a shading frame.
//!
//! Conventions, for every lobe and for [`Bsdf`]:
//! - `wo` and `wi` are unit vectors that leave the surface; in a local frame z is the normal.
//! - `eval` = f·|cos θi|, `pdf` is per solid angle [1/sr].
//! - `sample` gives `weight` = f·|cos θi| / pdf, or `None` where nothing can be sampled.
//! - Delta lobes return 0 from `eval` and `pdf`.
