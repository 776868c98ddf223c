//! A run with an argument, one without, and how they differ.

use super::run::{Run, run};

/// Expected difference between a run without an argument and one with it.
#[derive(Clone, Copy)]
pub(crate) enum Differs {
    /// Both runs succeed, and this file has other bytes.
    File(&'static str),
    /// Both runs succeed, and this file exists only with the argument.
    New(&'static str),
    /// Both runs succeed, and this file contains this text only with the argument.
    Says(&'static str, &'static str),
    /// Both runs succeed and print different text.
    Out,
    /// Exit status without and with the argument.
    Status(i32, i32),
    /// The function of the run without and the run with the argument returns true.
    By(fn(&Run, &Run) -> bool),
    /// No difference: a hidden flag, accepted for compatibility with other programs.
    Nothing,
}

/// Id of an argument, command lines without and with it (separated by `;`), and the expected difference.
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
