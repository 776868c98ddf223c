//! Late-load tables: files that shaders name at run time, each loaded on first use.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;

/// Results of late loads by key.
pub(super) type LateTable<K, V> = RwLock<FxHashMap<K, V>>;

/// Returns the value of a key; computes it with `load` on first use. No lock is held during `load`.
pub(super) fn load_once<K, Q, V>(table: &LateTable<K, V>, key: &Q, load: impl FnOnce() -> V) -> V
where
    K: Borrow<Q> + Hash + Eq,
    Q: ToOwned<Owned = K> + Hash + Eq + ?Sized,
    V: Clone,
{
    // A panic elsewhere leaves the table consistent: an entry is added in one step.
    let known = table.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = known.get(key) {
        return value.clone();
    }
    drop(known);
    let value = load();
    let mut table = table.write().unwrap_or_else(PoisonError::into_inner);
    table.entry(key.to_owned()).or_insert(value).clone()
}
