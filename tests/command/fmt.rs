//! `kiln fmt`: formatted files and messages.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use tempfile::TempDir;

use crate::program::{folder, kiln, message, run};

const UGLY: &str = "shader a(float x=1,output float r=0){r=x ;}\n";
const NEAT: &str = "shader a(float x = 1, output float r = 0) { r = x; }\n";

fn text(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn input(folder: &Path, line: &str, text: &[u8]) -> Output {
    let mut child = kiln(folder, line)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn files_are_formatted_in_place() {
    let folder = folder(&[
        ("a.ksl", UGLY),
        ("neat.osl", NEAT),
        ("more/b.TSL", UGLY),
        ("more/c.kiln", "film{size=(4,4);}\n"),
        ("more/.hidden/d.ksl", UGLY),
        ("more/readme.md", UGLY),
    ]);
    let before = fs::metadata(folder.path().join("neat.osl")).unwrap().modified().unwrap();
    let checked = run(folder.path(), "fmt --check a.ksl neat.osl more");
    assert_eq!(checked.status.code(), Some(1));
    let list = printed(&checked);
    assert!(list.contains("a.ksl\n     1 - shader a(float x=1"), "{list}");
    assert!(list.contains("       + shader a(float x = 1"), "{list}");
    assert!(!list.contains("neat.osl") && !list.contains("hidden"), "{list}");
    assert!(message(&checked).contains("4 files: 3 not formatted"), "{}", message(&checked));
    assert_eq!(text(&folder, "a.ksl"), UGLY);
    // A file that is named twice counts once.
    let output = run(folder.path(), "fmt a.ksl ./a.ksl neat.osl more more/b.TSL");
    assert!(output.status.success(), "{}", message(&output));
    assert_eq!(printed(&output), "4 files: 3 changed\n");
    assert_eq!(text(&folder, "a.ksl"), NEAT);
    assert_eq!(text(&folder, "more/b.TSL"), NEAT);
    assert_eq!(text(&folder, "more/c.kiln"), "film { size = (4, 4); }\n");
    assert_eq!(text(&folder, "more/.hidden/d.ksl"), UGLY);
    assert_eq!(text(&folder, "more/readme.md"), UGLY);
    let after = fs::metadata(folder.path().join("neat.osl")).unwrap().modified().unwrap();
    assert_eq!(before, after);
    let checked = run(folder.path(), "fmt --check .");
    assert!(checked.status.success(), "{}", printed(&checked));
}

#[test]
fn standard_input_goes_to_standard_output() {
    let folder = folder(&[]);
    let output = input(folder.path(), "fmt -", UGLY.as_bytes());
    assert!(output.status.success(), "{}", message(&output));
    assert_eq!(printed(&output), NEAT);
    let output = input(folder.path(), "fmt - --check", UGLY.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert!(printed(&output).contains("     1 - shader a(float x=1"));
    let output = input(folder.path(), "fmt - --stdin-path open.ksl", b"shader a() {");
    assert_eq!(output.status.code(), Some(1));
    assert!(message(&output).contains("open.ksl:1:12"), "{}", message(&output));
    assert_eq!(printed(&output), "");
    for line in ["fmt - a.ksl", "fmt a.ksl --stdin-path b.ksl"] {
        assert_eq!(input(folder.path(), line, b"").status.code(), Some(1), "{line}");
    }
}

#[test]
fn files_with_errors_are_unchanged() {
    let folder = folder(&[("wrong.ksl", "shader a(float x=1{\n"), ("ugly.ksl", UGLY), ("text.txt", UGLY)]);
    let latin = b"// na\xefve\nshader  a() { }\n";
    fs::write(folder.path().join("latin.ksl"), latin).unwrap();
    fs::create_dir(folder.path().join("folder.ksl")).unwrap();
    let output = run(folder.path(), "fmt wrong.ksl latin.ksl text.txt none.ksl folder.ksl ugly.ksl");
    assert_eq!(output.status.code(), Some(1));
    let said = message(&output);
    for words in [
        "wrong.ksl:1:",
        "cannot read latin.ksl: it is not text in UTF-8",
        "text.txt is no shader and no scene",
        "cannot read none.ksl",
        "1 changed, 4 with mistakes",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(text(&folder, "wrong.ksl"), "shader a(float x=1{\n");
    assert_eq!(fs::read(folder.path().join("latin.ksl")).unwrap(), latin);
    // The other files are still formatted.
    assert_eq!(text(&folder, "ugly.ksl"), NEAT);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_preserved() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = folder(&[("real/a.ksl", UGLY), ("b.ksl", UGLY), ("locked.ksl", UGLY)]);
    let at = folder.path();
    symlink("real/a.ksl", at.join("link.ksl")).unwrap();
    symlink("nowhere.ksl", at.join("broken.ksl")).unwrap();
    symlink(".", at.join("loop")).unwrap();
    fs::set_permissions(at.join("b.ksl"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(at.join("locked.ksl"), fs::Permissions::from_mode(0o444)).unwrap();
    let output = run(at, "fmt link.ksl b.ksl .");
    assert_eq!(output.status.code(), Some(1));
    let said = message(&output);
    assert!(
        said.contains("cannot write 'locked.ksl'") || said.contains("read-only"),
        "{said}"
    );
    assert!(said.contains("3 files: 2 changed, 1 with mistakes"), "{said}");
    assert!(fs::symlink_metadata(at.join("link.ksl")).unwrap().is_symlink());
    assert_eq!(text(&folder, "real/a.ksl"), NEAT);
    assert_eq!(text(&folder, "locked.ksl"), UGLY);
    let mode = fs::metadata(at.join("b.ksl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn hard_links_and_owners_are_preserved() {
    use std::os::unix::fs::{MetadataExt as _, chown};

    let folder = folder(&[("a.ksl", UGLY), ("theirs.ksl", UGLY)]);
    let at = folder.path();
    fs::hard_link(at.join("a.ksl"), at.join("b.ksl")).unwrap();
    // This part runs only if the tests may change the owner of files.
    let theirs = at.join("theirs.ksl");
    let is_given = chown(&theirs, Some(1234), Some(1235)).is_ok();
    let output = run(at, "fmt a.ksl theirs.ksl");
    assert!(output.status.success(), "{}", message(&output));
    assert_eq!((text(&folder, "a.ksl"), text(&folder, "b.ksl")), (NEAT.into(), NEAT.into()));
    assert_eq!(text(&folder, "theirs.ksl"), NEAT);
    if is_given {
        let data = fs::metadata(&theirs).unwrap();
        assert_eq!((data.uid(), data.gid()), (1234, 1235));
    }
    assert_eq!(fs::read_dir(at).unwrap().count(), 3);
}

#[test]
fn shipped_sources_are_formatted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = run(&root, "fmt --check shaders scenes");
    assert!(output.status.success(), "{}", printed(&output));
}
