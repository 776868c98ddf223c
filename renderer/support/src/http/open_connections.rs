//! Open connections, limited in number.
//!
//! Every user of the machine can connect. A new connection replaces the oldest one that has not yet sent a
//! request with the token, so that others can neither use up threads and descriptors nor keep the page's requests out.

use crate::lock;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

/// Most connections at a time.
const MAX_CONNECTIONS: usize = 64;

#[derive(Default)]
pub(super) struct OpenConnections(Mutex<Vec<Entry>>);

struct Entry {
    stream: Arc<TcpStream>,
    /// True once a request with the token has come.
    is_trusted: bool,
}

impl OpenConnections {
    /// Adds a connection; `None` if there are too many.
    pub(super) fn admit(open: &Arc<OpenConnections>, stream: &Arc<TcpStream>) -> Option<Place> {
        let mut entries = open.entries();
        if entries.len() >= MAX_CONNECTIONS && !close_oldest(&mut entries) {
            return None;
        }
        entries.push(Entry { stream: stream.clone(), is_trusted: false });
        Some(Place { open: open.clone(), stream: stream.clone() })
    }

    /// Closes the oldest connection without a token, if there is one.
    pub(super) fn close_oldest(&self) {
        close_oldest(&mut self.entries());
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        lock(&self.0)
    }
}

fn close_oldest(entries: &mut Vec<Entry>) -> bool {
    let Some(oldest) = entries.iter().position(|entry| !entry.is_trusted) else {
        return false;
    };
    // The thread ends and drops the last reference to the descriptor.
    let _ = entries.remove(oldest).stream.shutdown(Shutdown::Both);
    true
}

/// Place of one connection, freed when it is dropped.
pub(super) struct Place {
    open: Arc<OpenConnections>,
    stream: Arc<TcpStream>,
}

impl Place {
    /// Keeps the connection however many others come.
    pub(super) fn trust(&self) {
        let mut entries = self.open.entries();
        let own = entries.iter_mut().find(|entry| Arc::ptr_eq(&entry.stream, &self.stream));
        if let Some(entry) = own {
            entry.is_trusted = true;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.entries().retain(|entry| !Arc::ptr_eq(&entry.stream, &self.stream));
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn strangers_make_place_for_others() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let open = Arc::new(OpenConnections::default());
        let connect = || {
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            (client, Arc::new(listener.accept().unwrap().0))
        };
        let connections: Vec<_> = (0..MAX_CONNECTIONS).map(|_| connect()).collect();
        let mut places: Vec<_> = connections
            .iter()
            .map(|(_, stream)| OpenConnections::admit(&open, stream).unwrap())
            .collect();
        places[0].trust();
        let (_client, stream) = connect();
        let newest = OpenConnections::admit(&open, &stream).unwrap();
        let is_closed = |index: usize| connections[index].1.peek(&mut [0]).is_ok_and(|length| length == 0);
        assert!(is_closed(1));
        connections[0].1.set_nonblocking(true).unwrap();
        assert!(!is_closed(0));
        // If every connection has the token, a new one is refused until one closes.
        places.iter().chain([&newest]).for_each(Place::trust);
        let (_client, stream) = connect();
        assert!(OpenConnections::admit(&open, &stream).is_none());
        places.pop();
        assert!(OpenConnections::admit(&open, &stream).is_some());
    }
}
