//! Messages between layers during a run: `setmessage` and `getmessage`.

use rustc_hash::FxHashMap;

/// Maximum capacity of the table after a run. A larger table is released, because clearing it would need time in proportion
/// to its capacity.
const MAX_KEPT_CAPACITY: usize = 1024;

/// The messages of a run, by name.
#[derive(Clone, Debug)]
pub(crate) struct Messages<V> {
    table: FxHashMap<Box<str>, Message<V>>,
}

#[derive(Clone, Debug)]
struct Message<V> {
    ty: String,
    /// Source location where it was set, or first queried without success.
    place: String,
    /// `None` if it was queried before it was set.
    value: Option<V>,
}

/// A query: the message, the type of the value, and the source location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageQuery<'a> {
    pub(crate) name: &'a str,
    pub(crate) ty: &'a str,
    pub(crate) place: &'a str,
}

impl<V> Default for Messages<V> {
    fn default() -> Messages<V> {
        Messages { table: FxHashMap::default() }
    }
}

impl<V> Messages<V> {
    pub(crate) fn clear(&mut self) {
        if self.table.capacity() > MAX_KEPT_CAPACITY {
            self.table = FxHashMap::default();
        } else {
            self.table.clear();
        }
    }

    fn find(&self, name: &str) -> Option<&Message<V>> {
        self.table.get(name)
    }

    fn record(&mut self, MessageQuery { name, ty, place }: MessageQuery<'_>, value: Option<V>) {
        let message = Message { ty: ty.to_owned(), place: place.to_owned(), value };
        self.table.insert(name.into(), message);
    }

    /// Sets a message. Setting it a second time, or after a query, is an error, because the result would depend on the
    /// execution order of the layers.
    pub(crate) fn set(&mut self, message_query: MessageQuery<'_>, value: V) -> Result<(), String> {
        let MessageQuery { name, place, .. } = message_query;
        match self.find(name) {
            None => {
                self.record(message_query, Some(value));
                Ok(())
            }
            Some(known) if known.value.is_some() => Err(format!(
                "message \"{name}\" already exists (created here: {}) cannot set again from {place}",
                known.place
            )),
            Some(known) => Err(format!(
                "message \"{name}\" was queried before being set (queried here: {}) setting it now ({place}) would \
                 lead to inconsistent results",
                known.place
            )),
        }
    }

    /// Returns whether a message of that type exists, and records the query.
    pub(crate) fn query(&mut self, message_query: MessageQuery<'_>) -> Result<bool, String> {
        let MessageQuery { name, ty, place } = message_query;
        match self.find(name) {
            None => {
                self.record(message_query, None);
                Ok(false)
            }
            Some(known) if known.ty != ty => Err(format!(
                "type mismatch for message \"{name}\" ({} as {} here: {}) cannot fetch as {ty} from {place}",
                if known.value.is_some() { "created" } else { "queried" },
                known.ty,
                known.place
            )),
            Some(known) => Ok(known.value.is_some()),
        }
    }

    /// Returns the value of an existing message.
    pub(crate) fn value(&self, name: &str) -> Option<&V> {
        self.find(name)?.value.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message_query<'a>(name: &'a str, ty: &'a str, place: &'a str) -> MessageQuery<'a> {
        MessageQuery { name, ty, place }
    }

    #[test]
    fn order_and_types_matter() {
        let mut messages = Messages::default();
        assert_eq!(messages.set(message_query("a", "int", "x:1"), 3), Ok(()));
        assert_eq!(messages.query(message_query("a", "int", "x:2")), Ok(true));
        assert_eq!(messages.value("a"), Some(&3));
        assert!(messages.set(message_query("a", "int", "x:3"), 4).is_err());
        assert!(messages.query(message_query("a", "float", "x:4")).is_err());
        assert_eq!(messages.query(message_query("b", "int", "x:5")), Ok(false));
        assert!(messages.set(message_query("b", "int", "x:6"), 5).unwrap_err().contains("x:5"));
        assert_eq!(messages.value("b"), None);
    }
}
