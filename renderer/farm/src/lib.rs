//! `kiln farm`: writes a cluster job that renders a scene in ranges of samples, or in frames.
//!
//! The scripts need a POSIX shell and folders with equal paths on all nodes. Tasks of every scheduler run `task.sh`.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod folder;
mod job;
mod openjd;
mod shell;
mod slurm;

use std::path::{self, Path, PathBuf};

use folder::Folder;
use job::{Frames, Job, Resources, TASK, numbered};
use renderer_cli::{Engine, FarmArgs, FrameArg, RenderArgs, SceneRequest, ToneCurve};
use renderer_inputs::render_request::MAX_SAMPLES;
use renderer_pack::pack;
use renderer_pictures::pictures::Pictures;
use renderer_scene::{FrameTime, SceneDesc};
use renderer_support::outputs::Outputs;
use renderer_support::terminal::plural;
use renderer_support::{Failure, print, remark};
use renderer_transport::scene::build;

/// Runs `kiln farm`.
pub fn run(args: &FarmArgs) -> Result<(), Failure> {
    let render = args.render.as_deref().ok_or_else(|| user("the options are not read"))?;
    check_options(args, render)?;
    check_patterns(args)?;
    let scenes = Scenes::load(args, render)?;
    let tasks = args.tasks.unwrap_or(1);
    if u64::from(tasks) > scenes.samples {
        return Err(user(format!(
            "{} of a pixel cannot be split into {tasks} tasks\n  hint: give at most --tasks {}",
            plural(scenes.samples as usize, "sample"),
            scenes.samples
        )));
    }
    check_outputs(args, &scenes)?;

    let dir = path::absolute(args.dir.clone().unwrap_or_else(|| folder::default(&args.output[0])))?;
    let packed = if args.pack { packs_of(args, &scenes.frames) } else { vec![] };
    let job = job(args, render, scenes, &dir)?;
    let mut files = vec![("task.sh".to_owned(), TASK.as_bytes().to_vec())];
    files.extend(match args.engine {
        Engine::Slurm => slurm::files(&job, args),
        Engine::Openjd => openjd::files(&job).map_err(user)?,
    });
    let packs: Vec<String> = packed.iter().map(|(_, name)| name.clone()).collect();
    let names = files.iter().map(|file| &file.0).chain(&packs).map(String::as_str);
    Folder::check(&dir, names)?.write(&files, &packs, || {
        packed.iter().try_for_each(|(scene, name)| {
            let options = render.request.scene.options();
            pack(scene, &dir.join(name), options).map(drop)
        })
    })?;
    if !args.quiet {
        remark(&summary(&job, args.engine));
    }
    Ok(())
}

fn user(message: impl std::fmt::Display) -> Failure {
    Failure::User(format!("error: {message}"))
}

/// Refuses options of `render` that are the tasks' own, or would cut their samples short.
fn check_options(args: &FarmArgs, render: &RenderArgs) -> Result<(), Failure> {
    let cameras = matches!(args.frames, Some(FrameArg::AllCameras | FrameArg::Cameras(_)));
    let refused = [
        (!render.output.is_empty(), "-o", "give it before the --"),
        (render.exposure != 0.0, "--exposure", "give it before the --"),
        (
            render.request.denoise.is_some(),
            "--denoise",
            "it is for whole pictures; render --aov albedo --aov N, and run `kiln denoise` on the picture",
        ),
        (
            render.tone_map != ToneCurve::None,
            "--tone-map",
            "`kiln image` applies it to the picture",
        ),
        (render.request.samples.is_some(), "--samples", "each task has its range"),
        (render.resume, "--resume", "each task resumes by itself"),
        (
            render.request.time.is_some(),
            "--time",
            "a part with fewer samples leaves a gap; before the --, it limits a task's run",
        ),
        (render.write_every.is_some(), "--write-every", "tasks write parts of pictures"),
        (render.preview.is_some(), "--preview", "tasks write parts of pictures"),
        (render.progress.is_some(), "--progress", "the job sets it if needed"),
        (render.report.stats.is_some(), "--stats", "all tasks would write the same file"),
        (render.frames.is_some(), "--frames", "give it before the --"),
        (
            args.frames.is_some() && render.request.scene.at.is_some(),
            "--at",
            "--frames says which frames there are",
        ),
        (
            cameras && render.request.camera.is_some(),
            "--camera",
            "--frames says which cameras there are",
        ),
    ];
    if let Some((_, flag, reason)) = refused.iter().find(|(given, ..)| *given) {
        return Err(user(format!("{flag} is not an option of tasks: {reason}")));
    }
    if render.request.noise().is_some() && args.tasks.is_some_and(|tasks| tasks > 1) {
        let hint = match args.frames {
            Some(_) => "leave --tasks out: each frame is a task",
            None => "give --tasks 1; with --frames, each frame is a task",
        };
        return Err(user(format!(
            "a picture with --noise is one task: which samples are taken depends on those before\n  hint: {hint}"
        )));
    }
    let slurm = args.partition.is_some() || args.account.is_some() || !args.sbatch.is_empty();
    if slurm && args.engine != Engine::Slurm {
        return Err(user("--partition, --account and --sbatch are for --engine slurm"));
    }
    Ok(())
}

/// Paths are patterns where frames ask for it.
fn check_patterns(args: &FarmArgs) -> Result<(), Failure> {
    if args.frames.is_some()
        && let Some(output) = args.output.iter().find(|output| !is_pattern(output))
    {
        return Err(unnumbered("-o", output, "name the pictures as out.####.exr"));
    }
    if args.frames.is_none() && is_pattern(&args.scene) && !args.scene.exists() {
        return Err(user(format!(
            "'{}' does not exist\n  hint: say which frames there are, with --frames A-B",
            args.scene.display()
        )));
    }
    Ok(())
}

/// Returns whether a path is one of frames.
fn is_pattern(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains('#'))
}

fn unnumbered(flag: &str, path: &Path, hint: &str) -> Failure {
    let path = path.display();
    user(format!("'{path}' ({flag}) has no # for the frame's number\n  hint: {hint}"))
}

/// The scenes of a job, read and checked.
struct Scenes {
    samples: u64,
    frames: Frames,
    /// The files that they read.
    files: Vec<PathBuf>,
}

impl Scenes {
    fn load(args: &FarmArgs, render: &RenderArgs) -> Result<Scenes, Failure> {
        let numbers = match args.frames {
            Some(FrameArg::Files(first, last)) if is_pattern(&args.scene) => Some(first..=last),
            _ => None,
        };
        let paths: Vec<PathBuf> = match &numbers {
            None => vec![args.scene.clone()],
            Some(numbers) => numbers.clone().map(|number| frame_path(&args.scene, number)).collect(),
        };
        let (mut samples, mut files, mut cameras) = (None, vec![], vec![]);
        for path in paths {
            let desc = load(&path, args, render)?;
            let count = match (render.request.spp, render.request.noise()) {
                (Some(spp), _) => u64::from(spp),
                (None, Some(_)) => MAX_SAMPLES,
                (None, None) => u64::from(desc.sampler.spp),
            };
            if *samples.get_or_insert(count) != count {
                return Err(user(format!(
                    "'{}' asks for {count} samples, and the frames before it for others\n  \
                     hint: say how many all frames take, with -- --spp N",
                    path.display()
                )));
            }
            if matches!(args.frames, Some(FrameArg::Files(..))) && numbers.is_none() && !desc.is_animated() {
                let hint = "nothing moves in this scene; name the scenes as scene.####.kiln, or take --frames cameras";
                return Err(unnumbered("SCENE", &args.scene, hint));
            }
            if let Some(FrameArg::Cameras(names)) = &args.frames {
                for name in names {
                    desc.camera(Some(name)).map_err(Failure::of)?;
                }
            }
            cameras = desc.cameras.iter().map(|camera| camera.name.clone()).collect();
            files.extend(desc.file_system.log());
            files.extend(desc.files);
        }
        let frames = match &args.frames {
            None => Frames::One,
            Some(FrameArg::Files(first, last)) if numbers.is_some() => Frames::Files(*first..=*last),
            Some(FrameArg::Files(first, last)) => Frames::Times(*first..=*last),
            Some(FrameArg::AllCameras) => Frames::Cameras(cameras),
            Some(FrameArg::Cameras(names)) => Frames::Cameras(names.clone()),
        };
        Ok(Scenes { samples: samples.unwrap_or_default(), frames, files })
    }
}

/// The file of a frame.
fn frame_path(pattern: &Path, number: u32) -> PathBuf {
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    match numbered(&name, number) {
        Some(name) => pattern.with_file_name(name),
        None => pattern.to_owned(),
    }
}

/// A scene without mistakes, read as the tasks will.
fn load(path: &Path, args: &FarmArgs, render: &RenderArgs) -> Result<SceneDesc, Failure> {
    let mut scene = SceneRequest { path: path.to_owned(), ..render.request.scene.clone() };
    if let Some(FrameArg::Files(first, _)) = args.frames
        && !is_pattern(&args.scene)
    {
        scene.at = Some(FrameTime::Frame(f64::from(first)));
    }
    let (desc, warnings) = scene.read(None, render.request.changes(), None)?;
    render.report.print(&warnings);
    desc.camera(render.request.camera.as_deref()).map_err(Failure::of)?;
    let checked = build::check(&desc).map_err(Failure::Mistakes)?;
    if !render.report.quiet && !args.quiet {
        print(&checked.warnings);
    }
    Ok(desc)
}

/// Checks that each picture can be written, and that none is a file that the job reads.
fn check_outputs(args: &FarmArgs, scenes: &Scenes) -> Result<(), Failure> {
    let mut files = args.output.clone();
    if let Some(numbers) = scenes.frames.numbers() {
        let frame = |number: u32| args.output.iter().map(move |output| frame_path(output, number));
        files = numbers.flat_map(frame).collect();
    }
    let mut outputs = Outputs::default();
    Pictures::new(&files, args.exposure, &mut outputs)?;
    outputs.check_inputs(&scenes.files)
}

fn job(args: &FarmArgs, render: &RenderArgs, scenes: Scenes, dir: &Path) -> Result<Job, Failure> {
    let program = match &args.program {
        Some(program) => program.clone(),
        None => text(&std::env::current_exe()?)?,
    };
    let outputs: Vec<String> = args.output.iter().map(|output| absolute(output)).collect::<Result<_, _>>()?;
    let scene = if args.pack {
        dir.join(pack_name(&args.scene, &scenes.frames))
    } else {
        args.scene.clone()
    };
    let options = if args.pack {
        without(&args.options, &PACK_OPTIONS)
    } else {
        args.options.clone()
    };
    let stem = args.scene.file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.replace(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c), "_");
    let name: String = format!("kiln-{name}").chars().take(60).collect();
    if let Some(option) = args.options.iter().find(|option| option.chars().any(char::is_control)) {
        return Err(user(format!("{option:?} cannot be part of a job: it has control characters")));
    }
    Ok(Job {
        name,
        program,
        folder: text(&std::env::current_dir()?)?,
        scene: text(&scene)?,
        scene_path: absolute(&scene)?,
        outputs,
        dir: text(dir)?,
        samples: scenes.samples,
        tasks: args.tasks.unwrap_or(1),
        frames: scenes.frames,
        options: without(&options, &[SPP]),
        sets_threads: render.request.scene.threads.is_some(),
        exposure: args.exposure,
        resources: Resources {
            cpus: args.cpus,
            memory: args.memory.map(|bytes| bytes.div_ceil(1 << 20)),
            time: args.time.map(|time| time.as_secs().max(1)),
        },
    })
}

/// The scenes that are packed, each with the name of its pack.
fn packs_of(args: &FarmArgs, frames: &Frames) -> Vec<(PathBuf, String)> {
    let name = pack_name(&args.scene, frames);
    match frames {
        Frames::One | Frames::Times(_) | Frames::Cameras(_) => vec![(args.scene.clone(), name)],
        Frames::Files(numbers) => numbers
            .clone()
            .map(|number| {
                let pack = numbered(&name, number).unwrap_or_else(|| name.clone());
                (frame_path(&args.scene, number), pack)
            })
            .collect(),
    }
}

/// File name of the pack of a scene; a pattern for frames.
fn pack_name(scene: &Path, frames: &Frames) -> String {
    let name = scene.file_name().unwrap_or_default().to_string_lossy();
    let marks = name.chars().filter(|&c| c == '#').count();
    match frames {
        Frames::Files(_) => format!("scene.{}.zip", "#".repeat(marks)),
        Frames::One | Frames::Times(_) | Frames::Cameras(_) => "scene.zip".to_owned(),
    }
}

/// A flag of `render`: its names, and whether a value follows.
type Flag = (&'static [&'static str], bool);

/// The number of samples, which tasks receive separately.
const SPP: Flag = (&["--spp"], true);

/// Options that are stored in packs.
const PACK_OPTIONS: [Flag; 6] = [
    (&["--set"], true),
    (&["--light"], true),
    (&["--define", "-D"], true),
    (&["-U"], true),
    (&["-I"], true),
    (&["--strict"], false),
];

/// Options without some.
fn without(options: &[String], flags: &[Flag]) -> Vec<String> {
    let mut rest = vec![];
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let names = flags
            .iter()
            .flat_map(|(names, value)| names.iter().map(move |name| (*name, *value)));
        // A value follows as a word of its own, behind `=`, or straight behind a flag of one letter.
        let found = names.into_iter().find_map(|(name, value)| {
            let rest = option.strip_prefix(name)?;
            match rest {
                "" => Some(value),
                _ if value && (rest.starts_with('=') || !name.starts_with("--")) => Some(false),
                _ => None,
            }
        });
        match found {
            None => rest.push(option.clone()),
            Some(true) => drop(options.next()),
            Some(false) => {}
        }
    }
    rest
}

fn absolute(path: &Path) -> Result<String, Failure> {
    text(&path::absolute(path)?)
}

/// A path as text, which scripts and templates need.
fn text(path: &Path) -> Result<String, Failure> {
    match path.to_str() {
        Some(text) if !text.chars().any(char::is_control) => Ok(text.to_owned()),
        _ => Err(user(format!(
            "{path:?} cannot be named in a job: it has control characters or is not UTF-8"
        ))),
    }
}

/// Summary: the files written, and the command that runs the job.
fn summary(job: &Job, engine: Engine) -> String {
    let (tasks, pictures) = (u64::from(job.tasks) * job.frames.count(), job.frames.count());
    let s = |count: u64| if count == 1 { "" } else { "s" };
    let (least, most) = (job.samples / u64::from(job.tasks), job.samples.div_ceil(u64::from(job.tasks)));
    let samples = if least == most {
        least.to_string()
    } else {
        format!("{least} or {most}")
    };
    let dir = &job.dir;
    let command = match engine {
        Engine::Slurm => format!("sh {}", shell::quote(&format!("{dir}/submit.sh"))),
        Engine::Openjd => format!(
            "openjd run {} -p {} --step Merge --run-dependencies",
            shell::quote(&format!("{dir}/template.json")),
            shell::quote(&format!("file://{dir}/parameters.json"))
        ),
    };
    format!(
        "{tasks} task{} of {samples} samples for {pictures} picture{}; run them with\n  {command}",
        s(tasks),
        s(pictures)
    )
}
