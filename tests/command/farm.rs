//! `kiln farm`: its scripts, run by a shell as Slurm does, give the bytes of a single run, for unusual file names too;
//! errors. `cluster/run.sh` runs them with a real Slurm, and the template with `openjd-cli`.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::program::{done, files, kiln, message, refused, run, scene_folder};
use serde_json::{Value, json};
use tempfile::TempDir;

const SCENE: &str = "film { size = (12, 8); }
sampler { spp = 10; }
camera left : perspective { from = (-1, 1, 4); to = (0, 0.5, 0); }
camera right : perspective { from = (1, 1, 4); to = (0, 0.5, 0); }
material grey = matte(albedo = 0.5);
light sky : environment { color = (0.3, 0.4, 0.5); }
shape floor : plane { size = 3; material = grey; }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = grey; }
";

/// Runs a script of a job from the job's folder, as Slurm does.
fn script(dir: &Path, name: &str, args: &[&str], task: Option<u32>) -> Output {
    let mut command = Command::new("sh");
    command.arg(name).args(args).current_dir(dir);
    if let Some(task) = task {
        command.env("SLURM_ARRAY_TASK_ID", task.to_string());
        command.env("SLURM_CPUS_ON_NODE", "1");
    }
    command.output().unwrap()
}

fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", message(output));
}

/// Runs all tasks of a picture, in reverse order, and merges them.
fn run_job(dir: &Path, frame: &[&str], tasks: u32) {
    for task in (1..=tasks).rev() {
        succeeds(&script(dir, "render.sbatch", frame, Some(task)));
    }
    succeeds(&script(dir, "merge.sbatch", frame, None));
}

fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A picture without the scene path in its header.
fn pixels(path: &Path) -> Vec<f32> {
    renderer::image::read(path).unwrap().data
}

#[test]
fn tasks_give_the_bytes_of_a_single_run() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    for (tasks, options) in [
        (4, "--spp 16"),
        (3, "--integrator photon --set integrator.photons=2000"),
        (1, ""),
        (1, "--noise 0.2 --min-spp 8 --spp 64"),
    ] {
        done(at, &format!("render a.kiln -o straight.exr {options}"));
        done(
            at,
            &format!("farm a.kiln -o out.exr -o out.png --tasks {tasks} --engine slurm -- {options}"),
        );
        run_job(&at.join("out.farm"), &[], tasks);
        assert!(bytes(&at.join("out.exr")) == bytes(&at.join("straight.exr")), "{options}");
        assert!(at.join("out.png").is_file());
        fs::remove_dir_all(at.join("out.farm")).unwrap();
    }
}

#[test]
fn frames_with_a_noise_goal_are_one_task_each() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let options = "--noise 0.2 --min-spp 8 --spp 64";
    for (engine, tasks) in [("slurm", ""), ("slurm", "--tasks 1"), ("openjd", "")] {
        let farm = format!("farm a.kiln -o o#.exr --frames left,right {tasks} --engine {engine}");
        done(at, &format!("{farm} -- {options}"));
        let dir = at.join("o.farm");
        if engine == "slurm" {
            for (number, camera) in [(1, "left"), (2, "right")] {
                run_job(&dir, &[&number.to_string()], 1);
                done(at, &format!("render a.kiln --camera {camera} {options} -o straight.exr"));
                assert!(bytes(&at.join(format!("o{number}.exr"))) == bytes(&at.join("straight.exr")));
            }
        }
        fs::remove_dir_all(dir).unwrap();
        refused(
            at,
            &format!("farm a.kiln -o o#.exr --frames left,right --tasks 2 --engine {engine} -- {options}"),
            &["one task", "leave --tasks out"],
        );
    }
    let output = kiln(at, "farm a.kiln -o o.exr --engine slurm").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
}

#[test]
fn packed_scenes_need_no_other_files() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    fs::create_dir(at.join("lib")).unwrap();
    fs::write(at.join("lib/tone.h"), "#define TONE 0.25\n").unwrap();
    fs::write(
        at.join("unit.ksl"),
        "#include \"tone.h\"\nsurface toned() { Ci = TONE * diffuse(N) * ALSO; }\n",
    )
    .unwrap();
    let scene = format!(
        "import \"unit.ksl\";\n{SCENE}material tone = toned();\nshape more : sphere {{ radius = 0.3; material = tone; }}\n"
    );
    for name in ["b.kiln", "f.01.kiln", "f.02.kiln"] {
        fs::write(at.join(name), &scene).unwrap();
    }
    let options = "-I lib -DALSO=0.5 --set=camera.left.fov=50 --spp 8";
    done(at, &format!("render b.kiln {options} -o straight.exr"));
    done(
        at,
        &format!("farm b.kiln -o out.exr --tasks 2 --engine slurm --pack -- {options}"),
    );
    done(
        at,
        &format!("farm f.##.kiln -o f.##.exr --tasks 2 --engine slurm --frames 1-2 --pack -- {options}"),
    );
    fs::create_dir(at.join("gone")).unwrap();
    for name in ["b.kiln", "f.01.kiln", "f.02.kiln", "unit.ksl", "lib"] {
        fs::rename(at.join(name), at.join("gone").join(name)).unwrap();
    }
    run_job(&at.join("out.farm"), &[], 2);
    run_job(&at.join("f.farm"), &["1"], 2);
    run_job(&at.join("f.farm"), &["2"], 2);
    for name in ["out.exr", "f.01.exr", "f.02.exr"] {
        assert!(pixels(&at.join(name)) == pixels(&at.join("straight.exr")), "{name}");
    }
}

#[test]
fn unusual_file_names_are_quoted() {
    let name = "it's $HOME `x` \"q\" #; *{}\\";
    let folder = scene_folder(SCENE);
    let at = folder.path().join(name);
    fs::create_dir(&at).unwrap();
    fs::write(at.join(format!("{name}.kiln")), SCENE).unwrap();
    let output = format!("-{name} out.exr");
    let status = kiln(&at, "farm --tasks 2 --engine slurm")
        .args([&format!("{name}.kiln"), &format!("--output=./{output}"), "--dir", &format!("{name} job")])
        .args(["--", "--define", &format!("X={name}")])
        .output()
        .unwrap();
    succeeds(&status);
    run_job(&at.join(format!("{name} job")), &[], 2);
    let line = kiln(&at, "render -o straight.exr")
        .arg(format!("{name}.kiln"))
        .output()
        .unwrap();
    succeeds(&line);
    assert!(bytes(&at.join(output)) == bytes(&at.join("straight.exr")));
}

#[test]
fn frames_may_be_files_or_cameras() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    for (number, from) in [(8, "-2"), (9, "0"), (10, "2")] {
        let text = SCENE.replace("from = (-1,", &format!("from = ({from},"));
        fs::write(at.join(format!("s.{number:03}.kiln")), text).unwrap();
    }
    done(
        at,
        "farm s.###.kiln -o f_####.exr --frames 8-10 --tasks 2 --engine slurm --dir files",
    );
    done(
        at,
        "farm a.kiln -o c#.exr --frames cameras --tasks 2 --engine slurm --dir cameras",
    );
    done(at, "farm a.kiln -o d#.exr --frames right --tasks 1 --engine slurm --dir camera");
    for frame in ["8", "9", "10"] {
        run_job(&at.join("files"), &[frame], 2);
    }
    for frame in ["1", "2"] {
        run_job(&at.join("cameras"), &[frame], 2);
    }
    run_job(&at.join("camera"), &["1"], 1);
    for (line, picture) in [
        ("s.008.kiln", "f_0008.exr"),
        ("s.010.kiln", "f_0010.exr"),
        ("a.kiln --camera left", "c1.exr"),
        ("a.kiln --camera right", "c2.exr"),
        ("a.kiln --camera right", "d1.exr"),
    ] {
        done(at, &format!("render {line} -o straight.exr"));
        assert_eq!(pixels(&at.join(picture)), pixels(&at.join("straight.exr")), "{picture}");
    }
    let submit = fs::read_to_string(at.join("files/submit.sh")).unwrap();
    assert!(submit.contains("frame=8") && submit.contains("-le 10"), "{submit}");
    let output = script(&at.join("cameras"), "render.sbatch", &["3"], Some(1));
    assert!(!output.status.success());
}

#[test]
fn frames_may_be_times_of_a_scene() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let moving = "shape mover : sphere { radius = 0.3; motion = { at(0, translate(-1, 0, 0)), at(4, translate(1, 0, 0)) }; }";
    fs::write(at.join("m.kiln"), format!("{SCENE} {moving}")).unwrap();
    done(at, "farm m.kiln -o m#.exr --frames 1-3 --tasks 2 --engine slurm --dir times");
    for frame in ["1", "2", "3"] {
        run_job(&at.join("times"), &[frame], 2);
    }
    for frame in ["1", "3"] {
        done(at, &format!("render m.kiln --at {frame} -o straight.exr"));
        assert_eq!(
            pixels(&at.join(format!("m{frame}.exr"))),
            pixels(&at.join("straight.exr")),
            "{frame}"
        );
    }
    assert_ne!(pixels(&at.join("m1.exr")), pixels(&at.join("m3.exr")));
    refused(
        at,
        "farm m.kiln -o m#.exr --frames 1-3 --engine slurm -- --at 2",
        &["--frames says which"],
    );
}

/// Fake `sbatch` and `scontrol` that log their arguments.
fn cluster(at: &Path) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    for (name, answer) in [("sbatch", "17;cluster"), ("scontrol", "")] {
        let path = at.join(name);
        fs::write(
            &path,
            format!("#!/bin/sh\necho {name} \"$@\" >> \"{}/calls\"\necho '{answer}'\n", at.display()),
        )
        .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    format!("{}:{}", at.display(), std::env::var("PATH").unwrap())
}

#[test]
fn tasks_are_submitted_and_requeued() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let path = cluster(at);
    let calls = || fs::read_to_string(at.join("calls")).unwrap_or_default();
    done(
        at,
        "farm a.kiln -o o#.exr --frames cameras --tasks 3 --engine slurm --cpus 4 --memory 1.5G --time 90m \
         --partition night --account film --sbatch=--qos=low",
    );
    let dir = at.join("o.farm");
    let render = fs::read_to_string(dir.join("render.sbatch")).unwrap();
    for line in [
        "--job-name=kiln-a",
        "--requeue",
        "--signal=B:USR1@120",
        "--cpus-per-task=4",
        "--mem=1536M",
        "--time=1:30:00",
        "--partition=night",
        "--account=film",
        "--qos=low",
    ] {
        assert!(render.contains(&format!("#SBATCH {line}\n")), "{line}:\n{render}");
    }
    let submit = |args: &[&str]| {
        Command::new("sh")
            .arg(dir.join("submit.sh"))
            .args(args)
            .env("PATH", &path)
            .output()
            .unwrap()
    };
    let output = submit(&[]);
    succeeds(&output);
    let lines: Vec<String> = calls().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines[0], "sbatch --parsable --array=1-3 render.sbatch 1");
    assert_eq!(
        lines[3],
        "sbatch --parsable --dependency=afterok:17 --kill-on-invalid-dep=yes merge.sbatch 2"
    );
    succeeds(&submit(&["2"]));
    assert_eq!(calls().lines().count(), 6);

    // A killed program; one that exits by itself; one that gets the time-limit signal.
    for (program, restarts, status, requeued) in [
        ("kill -9 $$", "2", 137, true),
        ("kill -9 $$", "3", 137, false),
        ("exit 1", "0", 1, false),
        ("kill -USR1 $PPID; sleep 1 & trap 'exit 143' TERM; wait; exit 1", "7", 143, true),
        ("kill -TERM $PPID; sleep 1; exit 143", "0", 143, false),
    ] {
        let _ = fs::remove_file(at.join("calls"));
        fs::write(at.join("program"), format!("#!/bin/sh\n{program}\n")).unwrap();
        fs::set_permissions(at.join("program"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let line = format!(
            "farm a.kiln -o p.exr --tasks 1 --engine slurm --program {}/program",
            at.display()
        );
        done(at, &line);
        let output = Command::new("sh")
            .arg("render.sbatch")
            .current_dir(at.join("p.farm"))
            .envs([
                ("PATH", path.as_str()),
                ("SLURM_ARRAY_TASK_ID", "1"),
                ("SLURM_JOB_ID", "23"),
                ("SLURM_RESTART_COUNT", restarts),
            ])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(status), "{program}: {}", message(&output));
        let expected = if requeued { "scontrol requeue 23\n" } else { "" };
        assert_eq!(calls(), expected, "{program}");
    }
}

/// Resolves a format string of the template.
fn resolve(text: &str, values: &dyn Fn(&str) -> String) -> String {
    let mut parts = text.split("{{");
    let mut resolved = parts.next().unwrap().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").expect("a reference ends");
        resolved += &values(name);
        resolved += rest;
    }
    resolved
}

/// Runs an action of a step of the template in `dir`.
fn action(dir: &Path, step: usize, task: &[(&str, &str)]) {
    let json = |name: &str| -> Value { serde_json::from_slice(&bytes(&dir.join(name))).unwrap() };
    let (template, given) = (json("template.json"), json("parameters.json"));
    let script = &template["steps"][step]["script"];
    let session = TempDir::new().unwrap();
    let file = session.path().join("task.sh");
    fs::write(&file, script["embeddedFiles"][0]["data"].as_str().unwrap()).unwrap();
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let values = |name: &str| -> String {
        if name == "Task.File.Task" {
            return file.display().to_string();
        }
        if let Some(name) = name.strip_prefix("Task.Param.") {
            return task.iter().find(|(known, _)| *known == name).unwrap().1.to_owned();
        }
        let name = name.strip_prefix("Param.").expect("a parameter");
        let definitions = template["parameterDefinitions"].as_array().unwrap();
        let definition = definitions.iter().find(|definition| definition["name"] == name).unwrap();
        plain(given.get(name).unwrap_or(&definition["default"]))
    };
    let run = &script["actions"]["onRun"];
    let args = run["args"].as_array().unwrap().iter();
    let output = Command::new(run["command"].as_str().unwrap())
        .args(args.map(|arg| resolve(arg.as_str().unwrap(), &values)))
        .current_dir(&session)
        .output()
        .unwrap();
    succeeds(&output);
    if step == 0 {
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.contains("openjd_status: rendering\n"), "{out}");
        assert!(out.ends_with("openjd_progress: 100\n"), "{out}");
    }
}

#[test]
fn a_template_gives_the_bytes_of_a_single_run() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(
        at,
        "farm a.kiln -o o.exr --tasks 3 --engine openjd --cpus 2 --memory 1G -- --threads 1",
    );
    let dir = at.join("o.farm");
    for task in ["1", "2", "3"] {
        action(&dir, 0, &[("Task", task)]);
    }
    action(&dir, 1, &[]);
    done(at, &format!("render {} -o straight.exr", at.join("a.kiln").display()));
    assert!(bytes(&at.join("o.exr")) == bytes(&at.join("straight.exr")));

    done(at, "farm a.kiln -o c#.exr --frames right,left --tasks 1 --engine openjd");
    action(&at.join("c.farm"), 0, &[("Task", "1"), ("Frame", "1"), ("Camera", "right")]);
    action(&at.join("c.farm"), 1, &[("Frame", "1")]);
    done(at, "render a.kiln --camera right -o straight.exr");
    assert_eq!(pixels(&at.join("c1.exr")), pixels(&at.join("straight.exr")));
    // The earlier job in the same folder is removed.
    done(at, "farm a.kiln -o o.exr --tasks 3 --engine slurm");
    let names: Vec<String> = files(&dir)
        .into_keys()
        .filter(|name| !name.contains(".part") && !name.contains(".checkpoint"))
        .collect();
    assert_eq!(names, ["farm.json", "merge.sbatch", "render.sbatch", "submit.sh", "task.sh"]);
}

#[test]
fn a_second_run_renders_missing_parts_only() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "farm a.kiln -o o.exr --tasks 2 --engine slurm");
    let dir = at.join("o.farm");
    run_job(&dir, &[], 2);
    let first = bytes(&at.join("o.exr"));
    assert!(
        !files(&dir).keys().any(|name| name.contains("checkpoint")),
        "{:?}",
        files(&dir).keys()
    );
    fs::remove_file(dir.join("2.part")).unwrap();
    run_job(&dir, &[], 2);
    assert!(bytes(&at.join("o.exr")) == first);
    // Parts of an older version of the scene are rejected.
    fs::write(at.join("a.kiln"), SCENE.replace("albedo = 0.5", "albedo = 0.6")).unwrap();
    let output = script(&dir, "render.sbatch", &[], Some(1));
    assert_eq!(output.status.code(), Some(1));
    assert!(message(&output).contains("the scene is another one"), "{}", message(&output));
}

#[test]
fn invalid_jobs_are_errors() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    fs::write(at.join("wrong.kiln"), "film { size = 1; }\nshape x : blob { }\n").unwrap();
    fs::write(at.join("s.1.kiln"), SCENE).unwrap();
    fs::write(at.join("s.2.kiln"), SCENE.replace("spp = 10", "spp = 12")).unwrap();
    fs::create_dir(at.join("taken")).unwrap();
    fs::write(at.join("taken/submit.sh"), "precious").unwrap();
    fs::create_dir(at.join("foreign")).unwrap();
    fs::write(at.join("foreign/farm.json"), "{}").unwrap();
    fs::write(at.join("file"), "").unwrap();
    let farm = "--engine slurm --tasks 2";
    for (args, words) in [
        ("wrong.kiln -o o.exr", vec!["blob", "nothing was written"]),
        ("none.kiln -o o.exr", vec!["none.kiln"]),
        ("a.kiln -o o.xyz", vec!["o.xyz"]),
        ("a.kiln -o none/o.exr", vec!["none"]),
        ("a.kiln -o o.exr --dir taken", vec!["submit.sh' exists", "--dir"]),
        ("a.kiln -o o.exr --dir foreign", vec!["farm.json' exists"]),
        ("a.kiln -o o.exr --dir file", vec!["not a folder"]),
        ("a.kiln -o o.exr -- --spp 1", vec!["1 sample of a pixel", "2 tasks"]),
        ("a.kiln -o o.exr -- -o p.exr", vec!["-o is not an option of tasks"]),
        ("a.kiln -o o.exr -- --time 9s", vec!["--time is not an option"]),
        ("a.kiln -o o.exr -- --samples 0..2", vec!["--samples"]),
        ("a.kiln -o o.exr -- --noise 0.1", vec!["with --noise is one task", "--tasks 1"]),
        ("a.kiln -o o.exr -- --stats s.json", vec!["--stats"]),
        ("a.kiln -o o.exr -- --camera up", vec!["no camera `up`"]),
        ("a.kiln -o o#.exr --frames left,up", vec!["no camera `up`"]),
        ("a.kiln -o o#.exr --frames cameras -- --camera left", vec!["--frames says"]),
        ("a.kiln -o o.exr --frames cameras", vec!["no # for the frame"]),
        ("a.kiln -o o#.exr --frames 1-2", vec!["a.kiln' (SCENE) has no #"]),
        ("s.#.kiln -o o#.exr", vec!["--frames A-B"]),
        ("s.#.kiln -o o#.exr --frames 1-2", vec!["12 samples", "--spp N"]),
        ("s.#.kiln -o o#.exr --frames 2-3", vec!["s.3.kiln"]),
    ] {
        refused(at, &format!("farm {farm} {args}"), &words);
    }
    refused(at, "farm a.kiln -o o.exr --engine openjd --tasks 2 --partition x", &["slurm"]);
    for args in [
        "a.kiln --engine slurm --tasks 2",
        "a.kiln -o o.exr --engine pbs --tasks 2",
        "a.kiln -o o.exr --engine slurm --tasks 0",
        "a.kiln -o o.exr --engine slurm --tasks 2 -- --no-such-flag",
        "a.kiln -o o.exr --engine slurm --tasks 2 -- b.kiln",
        "a.kiln -o o.exr --engine slurm --tasks 2 -- --checkpoint c.part",
        "a.kiln -o o.exr --engine slurm --tasks 2 --partition a;b",
        "a.kiln -o o.exr --engine slurm --tasks 2 --frames 5-2",
    ] {
        let output = kiln(at, &format!("farm {args}")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}: {}", message(&output));
    }
}

#[test]
fn camera_names_are_escaped_in_job_files() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let names = ["{{Param.Kiln}}", "}}{", "--checkpoint=stolen", "it's $(touch stolen)"];
    let camera = |name: &str| json!({ "type": "perspective", "name": name, "perspective": { "yfov": 0.8, "znear": 0.1 } });
    let node = |index: usize| json!({ "camera": index, "name": names[index] });
    let model = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 1, 2, 3] }],
        "nodes": (0..4).map(node).collect::<Vec<_>>(),
        "cameras": names.iter().map(|name| camera(name)).collect::<Vec<_>>(),
    });
    fs::write(at.join("m.gltf"), model.to_string()).unwrap();
    let farm = |engine: &str| {
        let line = format!(
            "farm m.gltf -o o.#.exr --frames cameras --engine {engine} --dir {engine} -- --define A={{{{B}}}}"
        );
        done(at, &line);
    };
    farm("openjd");
    let text = fs::read_to_string(at.join("openjd/template.json")).unwrap();
    let template: Value = serde_json::from_str(&text).unwrap();
    let definitions = template["parameterDefinitions"].as_array().unwrap();
    let values = |name: &str| {
        let name = name.strip_prefix("Param.").unwrap();
        let definition = definitions.iter().find(|definition| definition["name"] == name);
        definition.unwrap()["default"].as_str().unwrap().to_owned()
    };
    let space = template["steps"][0]["parameterSpace"]["taskParameterDefinitions"].as_array();
    let cameras = space.unwrap().iter().find(|definition| definition["name"] == "Camera");
    let range = cameras.unwrap()["range"].as_array().unwrap();
    let resolved: Vec<String> = range.iter().map(|name| resolve(name.as_str().unwrap(), &values)).collect();
    assert_eq!(resolved, names.map(|name| format!("m.{name}")));
    let args = template["steps"][0]["script"]["actions"]["onRun"]["args"].as_array().unwrap();
    assert!(args.contains(&json!("--camera={{Task.Param.Camera}}")), "{args:?}");
    assert_eq!(resolve(args.last().unwrap().as_str().unwrap(), &values), "A={{B}}");
    farm("slurm");
    let script = fs::read_to_string(at.join("slurm/render.sbatch")).unwrap();
    for words in ["--camera='m.--checkpoint=stolen' ;;", r"--camera='m.it'\''s $(touch stolen)' ;;"] {
        assert!(script.contains(words), "{words} is not in\n{script}");
    }
}

#[test]
fn edited_job_files_are_not_overwritten() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let farm = "farm a.kiln -o o.exr --tasks 2 --engine slurm";
    done(at, farm);
    done(at, farm);
    let script = at.join("o.farm/render.sbatch");
    let written = fs::read(&script).unwrap();
    fs::write(&script, [&written[..], b"# our cluster\n"].concat()).unwrap();
    let before = files(at);
    let output = run(at, farm);
    assert_eq!(output.status.code(), Some(1));
    assert!(message(&output).contains("render.sbatch") && message(&output).contains("changed since"));
    assert!(files(at) == before);
    fs::remove_file(&script).unwrap();
    done(at, farm);
    assert_eq!(fs::read(&script).unwrap(), written);
}
