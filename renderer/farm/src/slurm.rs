//! Cluster jobs for Slurm: an array job for each image, and a dependent job that merges its parts.

use super::job::{Frames, Job};
use super::shell::{quote, words};
use renderer_cli::FarmArgs;

/// The files of the job, the last of which submits it.
pub(super) fn files(job: &Job, args: &FarmArgs) -> Vec<(String, Vec<u8>)> {
    vec![
        ("render.sbatch".to_owned(), render(job, args).into_bytes()),
        ("merge.sbatch".to_owned(), merge(job, args).into_bytes()),
        ("submit.sh".to_owned(), submit(job).into_bytes()),
    ]
}

/// Time between the signal to a task and the end of its time limit [s].
const WARNING: u64 = 120;

/// Signal handlers of `render.sbatch`.
const TRAPS: &str = r#"
# Shortly before the time is up, Slurm sends USR1 to this shell alone: Kiln keeps its work, and the task goes on in a new
# run. To end or to move a job, Slurm sends TERM to all its processes: Kiln keeps its work, and this shell waits for it.
again=yes late='' child=''
trap 'again=yes late=yes; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null' USR1
trap 'again=yes' TERM

"#;

/// The rest of `render.sbatch`, once the task has been started.
const WAIT: &str = r#"child=$!
[ -z "$late" ] || kill -TERM "$child"
status=127
while [ -n "$again" ]; do
    again=''
    wait "$child"
    new=$?
    [ "$new" -eq 127 ] || status=$new
done

# A task that was out of time, or killed (137, for example for want of memory), is tried again, within limits.
limit=0
if [ -n "$late" ]; then limit=100; elif [ "$status" -eq 137 ]; then limit=3; fi
if [ "$status" -ne 0 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$limit" ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
"#;

fn render(job: &Job, args: &FarmArgs) -> String {
    let mut text = head(job, args, "render.%A.%a");
    let warning = job.resources.time.map_or(WARNING, |time| WARNING.min(time / 4));
    text += &format!("#SBATCH --signal=B:USR1@{warning}\n");
    if let Some(cpus) = job.resources.cpus {
        text += &format!("#SBATCH --cpus-per-task={cpus}\n");
    }
    text += "# Renders a range of the samples of a picture, or goes on with it.\n\n";
    text += frame(job);
    match &job.frames {
        Frames::Cameras(names) => {
            text += "case $frame in\n";
            for (number, name) in (1..).zip(names) {
                // One word: a name may begin with dashes.
                text += &format!("{number}) set -- --camera={} ;;\n", quote(name));
            }
            text += "*) echo \"there is no frame $frame\" >&2; exit 1 ;;\nesac\n";
        }
        Frames::One | Frames::Files(_) | Frames::Times(_) => text += "set --\n",
    }
    if !job.sets_threads {
        text += "set -- \"$@\" ${SLURM_CPUS_ON_NODE:+--threads \"$SLURM_CPUS_ON_NODE\"}\n";
    }
    text += TRAPS;
    text += &format!(
        "{} {}{} {} {} \"$frame\" \"$SLURM_ARRAY_TASK_ID\" \"$@\"{} &\n",
        task(job),
        job.work(),
        words([&*job.program, &job.folder, &job.scene, &job.dir]),
        job.samples,
        job.tasks,
        words(job.options.iter().map(String::as_str))
    );
    text + WAIT
}

fn merge(job: &Job, args: &FarmArgs) -> String {
    let mut text = head(job, args, "merge.%j");
    text += "# Joins the parts of a picture.\n\n";
    text += frame(job);
    text += &format!(
        "{} merge{} {} \"$frame\" {}{}\n",
        task(job),
        words([&*job.program, &job.folder, &job.dir]),
        job.tasks,
        quote(&job.exposure.to_string()),
        words(job.outputs.iter().map(String::as_str))
    );
    text
}

fn submit(job: &Job) -> String {
    let mut text = "#!/bin/sh\n".to_owned();
    match job.frames.numbers() {
        None => text += "# Submits the job: the tasks of the picture, and what joins its parts.\n",
        Some(_) => text += "# Submits the job: `sh submit.sh` all frames, `sh submit.sh 3 7` these alone.\n",
    }
    text += &format!("set -eu\ncd -- {}\n", quote(&job.dir));
    let (indent, argument) = match job.frames.numbers() {
        None => ("", ""),
        Some(numbers) => {
            text += &format!(
                "if [ $# -eq 0 ]; then\n    frame={}\n    while [ \"$frame\" -le {} ]; do\n        \
                 set -- \"$@\" \"$frame\"\n        frame=$((frame + 1))\n    done\nfi\nfor frame; do\n",
                numbers.start(),
                numbers.end()
            );
            ("    ", " \"$frame\"")
        }
    };
    for line in [
        &format!("render=$(sbatch --parsable --array=1-{} render.sbatch{argument})", job.tasks),
        "render=${render%%;*}",
        "merge=$(sbatch --parsable --dependency=\"afterok:$render\" --kill-on-invalid-dep=yes \\",
        &format!("    merge.sbatch{argument})"),
        &match argument {
            "" => "echo \"array $render, merge ${merge%%;*}\"".to_owned(),
            _ => "echo \"frame $frame: array $render, merge ${merge%%;*}\"".to_owned(),
        },
    ] {
        text += &format!("{indent}{line}\n");
    }
    if job.frames.numbers().is_some() {
        text += "done\n";
    }
    text
}

/// The first lines of both scripts.
fn head(job: &Job, args: &FarmArgs, log: &str) -> String {
    let mut options = vec![
        format!("--job-name={}", job.name),
        format!("--output={log}.log"),
        "--open-mode=append".to_owned(),
        "--requeue".to_owned(),
    ];
    if let Some(memory) = job.resources.memory {
        options.push(format!("--mem={memory}M"));
    }
    if let Some(time) = job.resources.time {
        let (hours, minutes, seconds) = (time / 3600, time / 60 % 60, time % 60);
        options.push(format!("--time={hours}:{minutes:02}:{seconds:02}"));
    }
    if let Some(partition) = &args.partition {
        options.push(format!("--partition={partition}"));
    }
    if let Some(account) = &args.account {
        options.push(format!("--account={account}"));
    }
    options.extend(args.sbatch.iter().cloned());
    let lines: String = options.iter().map(|option| format!("#SBATCH {option}\n")).collect();
    format!("#!/bin/sh\n{lines}")
}

fn frame(job: &Job) -> &'static str {
    match job.frames {
        Frames::One => "frame=\n",
        Frames::Files(_) | Frames::Times(_) | Frames::Cameras(_) => "frame=$1\n",
    }
}

fn task(job: &Job) -> String {
    format!("sh {}", quote(&format!("{}/task.sh", job.dir)))
}
