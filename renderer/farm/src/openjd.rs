//! Cluster jobs as templates of Open Job Description, version 2023-09:
//! <https://github.com/OpenJobDescription/openjd-specifications/wiki/2023-09-Template-Schemas>.
//!
//! The template is JSON, which the specification allows as well as YAML. Paths are parameters of the type `PATH`, so
//! that a scheduler can map them; such parameters cannot have absolute defaults, so their values are in a separate
//! file.

use serde_json::{Value, json};

use super::job::{Frames, Job, TASK};

/// Seconds that a task has after SIGTERM to keep its work.
const GRACE: u32 = 60;

/// The most values of a list of task parameters.
const MAX_VALUES: usize = 1024;

/// The files of the job.
///
/// # Errors
/// Reason for which a job cannot be written as a template.
pub(super) fn files(job: &Job) -> Result<Vec<(String, Vec<u8>)>, String> {
    check(job)?;
    let file = |name: &str, value: &Value| (name.to_owned(), format!("{value:#}\n").into_bytes());
    Ok(vec![
        file("template.json", &template(job)),
        file("parameters.json", &values(job)),
    ])
}

fn check(job: &Job) -> Result<(), String> {
    if cameras(job).len() > MAX_VALUES {
        return Err(format!("a template lists at most {MAX_VALUES} cameras"));
    }
    Ok(())
}

/// Parameters for braces that are no references: name, value.
const BRACES: [(&str, char); 2] = [("OpeningBrace", '{'), ("ClosingBrace", '}')];

/// A text as a string of the template that resolves to it. Pairs of braces mark references there, and nothing escapes
/// them; values of parameters are not resolved again.
fn literal(text: &str) -> String {
    if !has_reference(text) {
        return text.to_owned();
    }
    let brace = |c: char| BRACES.iter().find(|(_, brace)| *brace == c);
    text.chars()
        .map(|c| match brace(c) {
            Some((name, _)) => format!("{{{{Param.{name}}}}}"),
            None => c.to_string(),
        })
        .collect()
}

fn has_reference(text: &str) -> bool {
    text.contains("{{") || text.contains("}}")
}

/// Names of the cameras.
fn cameras(job: &Job) -> &[String] {
    match &job.frames {
        Frames::Cameras(names) => names,
        Frames::One | Frames::Files(_) | Frames::Times(_) => &[],
    }
}

fn template(job: &Job) -> Value {
    let mut merge = vec![
        json!("{{Task.File.Task}}"),
        json!("merge"),
        json!("{{Param.Kiln}}"),
        json!("{{Param.Folder}}"),
        json!("{{Param.Parts}}"),
        json!("{{Param.Tasks}}"),
        json!(frame(job)),
        json!(job.exposure.to_string()),
    ];
    merge.extend(output_names(job).map(|name| json!(format!("{{{{Param.{name}}}}}"))));
    let mut steps = [
        json!({
            "name": "Render",
            "parameterSpace": render_space(job),
            "script": script(job, render_args(job)),
        }),
        json!({
            "name": "Merge",
            "dependencies": [{ "dependsOn": "Render" }],
            "script": script(job, merge),
        }),
    ];
    if job.frames.numbers().is_some() {
        steps[1]["parameterSpace"] = json!({ "taskParameterDefinitions": [frame_parameter(job)] });
    }
    if let Some(requirements) = requirements(job) {
        steps[0]["hostRequirements"] = requirements;
    }
    json!({
        "specificationVersion": "jobtemplate-2023-09",
        "name": job.name,
        "description": "Renders pictures in ranges of samples and joins them. Written by kiln farm.",
        "parameterDefinitions": parameters(job),
        "steps": steps,
    })
}

/// Names of the parameters for the pictures' files.
fn output_names(job: &Job) -> impl Iterator<Item = String> {
    (1..=job.outputs.len()).map(|number| match number {
        1 => "Output".to_owned(),
        _ => format!("Output{number}"),
    })
}

fn parameters(job: &Job) -> Vec<Value> {
    let path = |name: &str, object: &str, flow: &str, description: &str| json!({ "name": name, "type": "PATH", "objectType": object, "dataFlow": flow, "description": description });
    let mut list = vec![
        path(
            "Scene",
            "FILE",
            "IN",
            "The scene; of frames a pattern with # in place of digits",
        ),
        path("Parts", "DIRECTORY", "INOUT", "Folder of the pictures' parts"),
        path("Folder", "DIRECTORY", "IN", "Where relative paths of options begin"),
        json!({ "name": "Kiln", "type": "STRING", "default": job.program, "description": "The program" }),
        json!({ "name": "Samples", "type": "INT", "minValue": 1, "default": job.samples, "description": "Samples per pixel" }),
        json!({ "name": "Tasks", "type": "INT", "minValue": 1, "default": job.tasks, "description": "Ranges of the samples of each picture; not more than samples" }),
    ];
    list.extend(output_names(job).map(|name| path(&name, "FILE", "OUT", "The picture; of frames a pattern")));
    if let Frames::Files(numbers) | Frames::Times(numbers) = &job.frames {
        let range = format!("{}-{}", numbers.start(), numbers.end());
        list.push(json!({ "name": "Frames", "type": "STRING", "default": range, "description": "Numbers of the frames" }));
    }
    if cameras(job).iter().chain(&job.options).any(|text| has_reference(text)) {
        list.extend(BRACES.map(|(name, brace)| {
            json!({ "name": name, "type": "STRING", "default": brace, "description": "A brace in a name or an option" })
        }));
    }
    list
}

/// The values of the paths.
fn values(job: &Job) -> Value {
    let mut values = json!({ "Scene": job.scene_path, "Parts": job.dir, "Folder": job.folder });
    for (name, output) in output_names(job).zip(&job.outputs) {
        values[name] = json!(output);
    }
    values
}

fn frame(job: &Job) -> &'static str {
    match job.frames {
        Frames::One => "",
        Frames::Files(_) | Frames::Times(_) | Frames::Cameras(_) => "{{Task.Param.Frame}}",
    }
}

fn frame_parameter(job: &Job) -> Value {
    let range = match &job.frames {
        Frames::Files(_) | Frames::Times(_) => "{{Param.Frames}}".to_owned(),
        Frames::One => "1-1".to_owned(),
        Frames::Cameras(names) => format!("1-{}", names.len()),
    };
    json!({ "name": "Frame", "type": "INT", "range": range })
}

fn render_space(job: &Job) -> Value {
    let task = json!({ "name": "Task", "type": "INT", "range": "1-{{Param.Tasks}}" });
    match &job.frames {
        Frames::One => json!({ "taskParameterDefinitions": [task] }),
        Frames::Files(_) | Frames::Times(_) => {
            json!({ "taskParameterDefinitions": [frame_parameter(job), task] })
        }
        Frames::Cameras(names) => json!({
            "taskParameterDefinitions": [
                frame_parameter(job),
                { "name": "Camera", "type": "STRING", "range": names.iter().map(|name| literal(name)).collect::<Vec<_>>() },
                task,
            ],
            "combination": "(Frame, Camera) * Task",
        }),
    }
}

fn render_args(job: &Job) -> Vec<Value> {
    let mut args = vec![json!("{{Task.File.Task}}"), json!(job.work())];
    for name in ["Kiln", "Folder", "Scene", "Parts", "Samples", "Tasks"] {
        args.push(json!(format!("{{{{Param.{name}}}}}")));
    }
    args.extend([json!(frame(job)), json!("{{Task.Param.Task}}"), json!("--progress"), json!("openjd")]);
    if matches!(job.frames, Frames::Cameras(_)) {
        // One word: a name may begin with dashes.
        args.push(json!("--camera={{Task.Param.Camera}}"));
    }
    if let (Some(cpus), false) = (job.resources.cpus, job.sets_threads) {
        args.extend([json!("--threads"), json!(cpus.to_string())]);
    }
    args.extend(job.options.iter().map(|option| json!(literal(option))));
    args
}

fn script(job: &Job, args: Vec<Value>) -> Value {
    let mut action = json!({
        "command": "sh",
        "args": args,
        "cancelation": { "mode": "NOTIFY_THEN_TERMINATE", "notifyPeriodInSeconds": GRACE },
    });
    if let Some(time) = job.resources.time {
        action["timeout"] = json!(time);
    }
    json!({
        "actions": { "onRun": action },
        "embeddedFiles": [{ "name": "Task", "type": "TEXT", "filename": "task.sh", "data": TASK }],
    })
}

fn requirements(job: &Job) -> Option<Value> {
    let amounts: Vec<Value> = [
        ("amount.worker.vcpu", job.resources.cpus.map(u64::from)),
        ("amount.worker.memory", job.resources.memory),
    ]
    .into_iter()
    .filter_map(|(name, amount)| amount.map(|amount| json!({ "name": name, "min": amount })))
    .collect();
    (!amounts.is_empty()).then(|| json!({ "amounts": amounts }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_references() {
        assert_eq!(literal("a{b}"), "a{b}");
        let (open, close) = ("{{Param.OpeningBrace}}", "{{Param.ClosingBrace}}");
        assert_eq!(literal("{{Param.Kiln}}"), format!("{open}{open}Param.Kiln{close}{close}"));
        assert_eq!(literal("}}{"), format!("{close}{close}{open}"));
    }

    #[test]
    fn the_script_holds_no_references() {
        assert!(!TASK.contains("{{") && !TASK.contains("}}"));
    }
}
