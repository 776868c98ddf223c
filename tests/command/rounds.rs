//! Renders with `--noise` in pieces of whole rounds: the bytes always equal those of a single run. Invalid ranges are
//! errors that name the valid ones.

use std::fs;
use std::path::Path;

use crate::program::{bytes, done, killed, message, refused, run, scene_folder, timed};

/// A light that few paths find, and large areas that need few samples. Unsplit paths need more samples.
const SCENE: &str = "film { size = (40, 30); filter = gaussian(0.5); }
integrator : path { split = 1; light_samples = 1; }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
light sky : environment { color = (0.3, 0.4, 0.6); }
material white = matte(albedo = 0.7);
material gold = metal(alpha = 0.2);
material lamp = emitter(radiance = (90, 80, 60));
shape floor : plane { size = 6; material = white; }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = gold; }
shape bulb : sphere { center = (1, 2, 0); radius = 0.05; material = lamp; }
";

/// Ends before 2000 samples on any machine.
const NOISE: &str = "render a.kiln --noise 0.006 --spp 4000";

/// A line of the output of `kiln info`.
fn info(at: &Path, part: &str, name: &str) -> String {
    let text = String::from_utf8(run(at, &format!("info {part}")).stdout).unwrap();
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(name));
    line.unwrap_or_else(|| panic!("no {name} in:\n{text}")).trim().to_owned()
}

/// Renders in a single run, as `straight.exr` and `straight.part`; returns the number of samples.
fn straight(at: &Path, render: &str) -> u64 {
    done(at, &format!("{render} -o straight.exr -o straight.part"));
    assert_eq!(info(at, "straight.part", "open"), "none: no pixel needs more samples");
    let samples = info(at, "straight.part", "samples");
    samples.strip_prefix("0..").unwrap().parse().unwrap()
}

#[test]
fn pieces_equal_a_single_run() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let settings_list = [
        "--integrator path",
        "--integrator photon --set integrator.progressive=true --set integrator.photons=2000",
        "--integrator auto --min-spp 10",
    ];
    for settings in settings_list {
        let render = format!("{} {settings}", NOISE.replace("0.006", "0.014"));
        let sample_count = straight(at, &render);
        assert!(sample_count > 64, "{settings}: {sample_count} samples leave nothing to split");
        // The first round has 16 samples, or 12 for a minimum of ten.
        let ends = if settings.contains("min-spp") { [12, 48] } else { [16, 48] };
        done(at, &format!("{render} --threads 1 --samples 0..{} -o a.part", ends[0]));
        assert_eq!(info(at, "a.part", "rounds"), format!("ended after {} samples", ends[0]));
        assert!(info(at, "a.part", "open").contains("% of the picture, about"));
        done(
            at,
            &format!(
                "{render} --threads 2 --samples {}..{} --checkpoint a.part --resume -o b.part -o b.exr",
                ends[0], ends[1]
            ),
        );
        assert!(bytes(at, "a.part") == bytes(at, "b.part"), "{settings}");
        // The last piece resumes from a copy, as on a machine without the first one.
        done(
            at,
            &format!(
                "{render} --threads 3 --samples {}..4000 --checkpoint b.part --resume -o c.exr -o c.part",
                ends[1]
            ),
        );
        assert!(bytes(at, "c.exr") == bytes(at, "straight.exr"), "{settings}");
        assert!(bytes(at, "c.part") == bytes(at, "straight.part"), "{settings}");
        // A merge of one part writes its pictures and preserves its statistics.
        done(at, "merge a.part -o d.part -o d.exr");
        assert!(bytes(at, "d.part") == bytes(at, "a.part"), "{settings}");
        assert!(bytes(at, "d.exr") == bytes(at, "b.exr"), "{settings}");
        done(at, &format!("{render} --checkpoint d.part --resume -o e.exr"));
        assert!(bytes(at, "e.exr") == bytes(at, "straight.exr"), "{settings}");
        for name in ["a.part", "b.part", "c.part", "d.part"] {
            fs::remove_file(at.join(name)).unwrap();
        }
        fs::remove_file(at.join("straight.part")).unwrap();
    }
}

#[test]
fn a_killed_piece_resumes() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let render = NOISE.replace("0.006", "0.005 --size 80x60");
    let whole = timed(at, &format!("{render} -o straight.exr -o straight.part"));
    let mut kills = 0;
    for (range, shares) in
        [("0..16", &[0.1][..]), ("16..256", &[0.1, 0.2, 0.3]), ("256..4000", &[0.1, 0.2, 0.3, 0.4])]
    {
        let piece = format!(
            "{render} --samples {range} --checkpoint k.part --checkpoint-every 0.01s --resume -o k.exr"
        );
        for share in shares {
            kills += u32::from(killed(at, &piece, whole.mul_f64(*share)));
        }
        done(at, &piece);
    }
    assert!(kills > 0, "nothing was killed");
    assert!(bytes(at, "k.exr") == bytes(at, "straight.exr"));
    assert!(bytes(at, "k.part") == bytes(at, "straight.part"));
    // A finished part is complete for every range.
    done(
        at,
        &format!("{render} --samples 3072..4000 --checkpoint k.part --resume -o l.exr"),
    );
    assert!(bytes(at, "l.exr") == bytes(at, "straight.exr"));
}

#[test]
fn a_time_limit_ends_within_a_round() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let render = NOISE.replace("0.006", "0.0005");
    // Five seconds do not reach that error on any machine; the part ends within a round.
    let output = run(at, &format!("{render} --size 400x300 --time 5s --checkpoint t.part -o t.exr"));
    assert!(output.status.success(), "{}", message(&output));
    assert!(
        message(&output).contains("the error of --noise is not reached: 100.0 % of the picture"),
        "{}",
        message(&output)
    );
    assert!(info(at, "t.part", "open").starts_with("100.0 % of the picture"));
    info(at, "t.part", "rounds");
}

#[test]
fn invalid_pieces_are_refused() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let piece = |range: &str| format!("{NOISE} --samples {range}");
    for (range, words) in [
        (
            "0..50",
            vec!["0..50: 50 is not an end of a round", "end after 48 and 64 samples"],
        ),
        ("0..3", vec!["not an end of a round", "the first round ends after 16 samples"]),
        ("20..64", vec!["20..64: 20 is not an end", "end after 16 and 24 samples"]),
        ("0..3999", vec!["3999 is not an end", "3072 and 4000"]),
        ("0..4001", vec!["more than the 4000 samples"]),
        (
            "16..64",
            vec!["the samples before 16, which are missing", "--checkpoint FILE --resume"],
        ),
    ] {
        refused(at, &format!("{} -o a.part", piece(range)), &words);
    }
    let words = ["the samples before 16, which are missing"];
    refused(
        at,
        &format!("{} --checkpoint none.part --resume -o o.exr", piece("16..64")),
        &words,
    );

    done(at, &format!("{} -o a.part", piece("0..32")));
    for (range, words) in [
        (
            "48..64",
            vec!["48..64 does not begin where 'a.part' ends, after 32", "--samples 32..64"],
        ),
        ("0..24", vec!["'a.part' does not belong", "0..32, of 0..24"]),
        ("16..24", vec!["0..32, of 16..24"]),
    ] {
        refused(at, &format!("{} --checkpoint a.part --resume -o o.exr", piece(range)), &words);
    }
    let resume = "--samples 32..64 --checkpoint a.part --resume -o o.exr";
    for (flags, words) in [
        (
            "--noise 0.007 --spp 4000",
            "noise is 0.006 from 16 to 4000 samples there, 0.007 from 16",
        ),
        ("--noise 0.006 --spp 5000", "to 4000 samples there"),
        ("--noise 0.006 --spp 4000 --min-spp 32", "noise is"),
        ("--spp 4000", "noise is 0.006 from 16 to 4000 samples there, nothing here"),
    ] {
        refused(at, &format!("render a.kiln {flags} {resume}"), &["does not belong", words]);
    }
    done(at, "render a.kiln --spp 32 -o plain.part");
    refused(
        at,
        &format!("{} --checkpoint plain.part --resume -o o.exr", piece("32..64")),
        &["does not belong", "noise is nothing there"],
    );

    // Each part contains all samples of the earlier ones, so that they cannot be merged.
    done(at, &format!("{} -o b.part", piece("0..48")));
    refused(
        at,
        "merge a.part b.part -o m.exr --allow-gaps",
        &["'a.part' and 'b.part'", "one render with --noise", "take 'b.part' alone"],
    );
    refused(at, "merge a.part plain.part -o m.exr", &["does not belong"]);
    // A part with more samples is not overwritten.
    refused(at, &format!("{} -o b.part", piece("0..16")), &["would be lost", "0..48"]);
}
