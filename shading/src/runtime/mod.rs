//! What runs beside compiled code: the globals it reads, the closure trees it fills, the host it asks.

pub mod globals;
pub mod host;
pub mod registry;

pub use globals::{RayKind, ShaderGlobals};
pub use host::{NoHost, ShaderHost, TextureHandle};
pub use registry::{ClosureParam, ClosureRegistry, ClosureSignature};
