//! A run with an argument, one without, and how they differ.

use super::run::{Run, run};

/// Expected difference between a run without an argument and one with it.
#[derive(Clone, Copy)]
pub(crate) enum Differs {
    /// Both succeed, and a file has other bytes.
    File(&'static str),
    /// Both succeed, and a file of that name is there with the argument only.
    New(&'static str),
    /// Both succeed, and the file says this with the argument only.
    Says(&'static str, &'static str),
    /// Both succeed and print something else.
    Out,
    /// The exit status is this one without and that one with it.
    Status(i32, i32),
    /// This function of the run without and the run with it returns true.
    By(fn(&Run, &Run) -> bool),
    /// In nothing: a flag that is taken for the sake of other programs' habits, and hidden.
    Nothing,
}

/// An argument by its id, lines without and with it (`;` between lines), and what differs.
pub(crate) type Case = (&'static str, &'static str, &'static str, Differs);

use Differs::{By, File, New, Nothing, Out, Says, Status};

/// Runs a case; returns a description of the failure, if any.
pub(crate) fn fault(&(_, without, with, differs): &Case) -> Option<String> {
    let (a, b) = (run(without), run(with));
    let succeeds = a.status == 0 && b.status == 0;
    let as_said = match differs {
        File(name) => succeeds && a.file(name) != b.file(name),
        New(name) => succeeds && !a.files.contains_key(name) && b.files.contains_key(name),
        Out => succeeds && a.out != b.out,
        Says(name, text) => {
            let says = |run: &Run| String::from_utf8_lossy(run.file(name)).contains(text);
            succeeds && !says(&a) && says(&b)
        }
        Status(without, with) => (a.status, b.status) == (without, with),
        By(check) => succeeds && check(&a, &b),
        Nothing => succeeds && a.out == b.out && a.err == b.err && a.files == b.files,
    };
    let (a, b) = (
        format!("{}: {}{}", a.status, a.out, a.err),
        format!("{}: {}{}", b.status, b.out, b.err),
    );
    (!as_said)
        .then(|| format!("no difference as expected between\n  kiln {without}\n{a}\n  kiln {with}\n{b}"))
}
