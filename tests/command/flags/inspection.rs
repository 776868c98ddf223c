//! Arguments of commands that inspect or copy files (`check`, `info`, `debug`, `graph`, `compare`, `convert`,
//! `archive`, `view`), of `fmt`, and of `lsp` and `live`, whose effects `tests/command/lsp.rs` and `live.rs` test.

use super::case::Case;
use super::case::Differs::{By, File, New, Nothing, Out, Status};

pub(crate) const CHECK: &[Case] = &[
    ("folders", "check i.ksl", "check i.ksl -I inc", Status(1, 0)),
    (
        "undefine",
        "check i.ksl -I inc",
        "check i.ksl -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    ("define", "check m.xml", "check m.xml --define tone=7", Status(0, 1)),
    ("strict", "check m.xml", "check m.xml --strict", Status(0, 1)),
    ("files", "check s.ksl", "check none.ksl", Status(0, 1)),
    ("warnings_are_errors", "check w.ksl", "check w.ksl -Werror", Status(0, 1)),
    ("all_warnings", "check w.ksl", "check w.ksl -Wall", Nothing),
];

pub(crate) const INFO: &[Case] = &[
    ("folders", "info i.ksl", "info i.ksl -I inc", Status(1, 0)),
    (
        "undefine",
        "info i.ksl -I inc",
        "info i.ksl -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    ("define", "info m.xml", "info m.xml --define tone=7", Status(0, 1)),
    ("strict", "info m.xml", "info m.xml --strict", Status(0, 1)),
    ("subjects", "info s.ksl:first", "info s.ksl:grid", Out),
    ("json", "info s.ksl", "info s.ksl --json", Out),
    ("param", "info s.ksl:grid", "info s.ksl:grid --param k", Out),
    ("needs", "info s.ksl:grid", "info s.ksl:grid --needs", Out),
    ("verbose", "info s.ksl", "info s.ksl -v", Nothing),
];

pub(crate) const DEBUG: &[Case] = &[
    ("shader", "debug checker", "debug brick", Out),
    ("at", "debug brick", "debug brick --at 0.1,0.2", Out),
    ("params", "debug brick", "debug brick --param scale=9", Out),
    ("levels", "debug q.ksl", "debug q.ksl --levels 0", Out),
    ("define", "debug q.ksl", "debug q.ksl -D VALUE=3", Out),
    ("folders", "debug i.ksl", "debug i.ksl -I inc", Status(1, 0)),
    (
        "undefine",
        "debug i.ksl -I inc",
        "debug i.ksl -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
];

pub(crate) const GRAPH: &[Case] = &[
    ("group", "graph q.ksl -o g.svg", "graph q.ksl:one -o g.svg", File("g.svg")),
    ("output", "graph q.ksl -o g.svg", "graph q.ksl -o g.dot", New("g.dot")),
    (
        "depth",
        "graph edge_wear -o g.svg",
        "graph edge_wear -o g.svg --depth 0",
        File("g.svg"),
    ),
    (
        "defaults",
        "graph edge_wear -o g.svg",
        "graph edge_wear -o g.svg --defaults",
        File("g.svg"),
    ),
    (
        "define",
        "graph q.ksl -o g.svg",
        "graph q.ksl -o g.svg -D one=two",
        Status(0, 1),
    ),
    ("folders", "graph i.ksl -o g.svg", "graph i.ksl -o g.svg -I inc", Status(1, 0)),
    (
        "undefine",
        "graph i.ksl -o g.svg -I inc",
        "graph i.ksl -o g.svg -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
];

pub(crate) const COMPARE: &[Case] = &[
    ("image", "compare black.exr grey.exr", "compare grey.exr grey.exr", Out),
    ("reference", "compare black.exr grey.exr", "compare black.exr black.exr", Out),
    (
        "output",
        "compare black.exr grey.exr",
        "compare black.exr grey.exr -o d.png",
        New("d.png"),
    ),
    (
        "false_colour",
        "compare black.exr grey.exr",
        "compare black.exr grey.exr --false-colour d.png",
        New("d.png"),
    ),
    (
        "threshold",
        "compare black.exr grey.exr",
        "compare black.exr grey.exr --threshold 0.1",
        Status(0, 1),
    ),
];

pub(crate) const CONVERT: &[Case] = &[
    ("scene", "convert m.xml c.kiln", "convert n.xml c.kiln", Status(0, 1)),
    ("output", "convert m.xml d.kiln", "convert m.xml c.kiln", New("c.kiln")),
    (
        "define",
        "convert m.xml c.kiln",
        "convert m.xml c.kiln --define tone=0.9",
        File("c.kiln"),
    ),
    ("strict", "convert m.xml c.kiln", "convert m.xml c.kiln --strict", Status(0, 1)),
    (
        "quiet",
        "convert m.xml c.kiln",
        "convert m.xml c.kiln --quiet",
        By(|a, b| !a.err.is_empty() && b.err.is_empty() && b.out.is_empty()),
    ),
];

// A server runs until it is stopped; therefore these cases cover only its errors.
pub(crate) const VIEW: &[Case] = &[
    ("folder", "view", "view nowhere", Status(2, 1)),
    ("port", "view nowhere --port 0", "view nowhere --port many", Status(1, 2)),
];

pub(crate) const ARCHIVE: &[Case] =
    &[("output", "check s.ksl", "archive -o kiln.tar.gz", New("kiln.tar.gz"))];

pub(crate) const LSP: &[Case] = &[
    ("folders", "lsp", "lsp -I", Status(1, 2)),
    ("undefine", "lsp", "lsp -U", Status(1, 2)),
    ("define", "lsp", "lsp -D =1", Status(1, 2)),
    ("stdio", "check s.ksl", "check s.ksl", Nothing),
];

// Only errors, as for `view`; `live.rs` tests the effects on pictures.
pub(crate) const LIVE: &[Case] = &[
    ("scene", "live", "live nowhere", Status(2, 1)),
    ("port", "live nowhere", "live nowhere --port many", Status(1, 2)),
    ("size", "live nowhere", "live nowhere --size 0x9", Status(1, 2)),
    ("spp", "live nowhere", "live nowhere --spp 0", Status(1, 2)),
    ("camera", "live nowhere", "live nowhere --camera", Status(1, 2)),
    ("set", "live nowhere", "live nowhere --set", Status(1, 2)),
    ("threads", "live nowhere", "live nowhere --threads x", Status(1, 2)),
    ("params", "live nowhere", "live nowhere --param a", Status(1, 2)),
    ("variations", "live nowhere", "live nowhere --variations a", Status(1, 2)),
    ("on", "live nowhere", "live nowhere --on sand", Status(1, 2)),
    ("show", "live nowhere", "live nowhere --show", Status(1, 2)),
    ("define", "live nowhere", "live nowhere -D", Status(1, 2)),
    ("strict", "live nowhere", "live nowhere --strict=1", Status(1, 2)),
    ("folders", "live nowhere", "live nowhere -I", Status(1, 2)),
    ("undefine", "live nowhere", "live nowhere -U", Status(1, 2)),
    ("example", "live nowhere", "live nowhere --example --param a=1", Status(1, 2)),
];

pub(crate) const FMT: &[Case] = &[
    ("files", "fmt f.ksl", "fmt none.ksl", Status(0, 1)),
    ("check", "fmt f.ksl", "fmt f.ksl --check", Status(0, 1)),
    ("stdin_path", "fmt -", "fmt - --stdin-path", Status(0, 2)),
];
