//! Description of a cluster job: images, frames, tasks, resources.

use std::ops::RangeInclusive;

/// The script `task.sh`, which runs a task under any scheduler.
pub(super) const TASK: &str = include_str!("task.sh");

/// A job for a cluster. Paths are absolute unless stated otherwise.
pub(super) struct Job {
    /// A short name without odd characters.
    pub(super) name: String,
    /// The program on the nodes.
    pub(super) program: String,
    /// Folder that relative paths of options start from.
    pub(super) folder: String,
    /// The scene, or the pattern of the scenes, as on the command line; pictures store it in their metadata.
    pub(super) scene: String,
    /// Absolute path of the scene.
    pub(super) scene_path: String,
    /// The pictures' files, or their patterns.
    pub(super) outputs: Vec<String>,
    /// Folder of the parts and of the job's files.
    pub(super) dir: String,
    /// Samples of a pixel.
    pub(super) samples: u64,
    /// Ranges of samples of a picture.
    pub(super) tasks: u32,
    pub(super) frames: Frames,
    /// Options of `kiln render`.
    pub(super) options: Vec<String>,
    /// True if the number of threads is among them.
    pub(super) sets_threads: bool,
    /// Exposure of 8-bit pictures [stops].
    pub(super) exposure: f32,
    pub(super) resources: Resources,
}

/// The pictures of a job.
pub(super) enum Frames {
    /// One picture.
    One,
    /// One picture for each numbered file.
    Files(RangeInclusive<u32>),
    /// One picture for each frame of a scene that moves.
    Times(RangeInclusive<u32>),
    /// One picture for each camera, numbered from 1.
    Cameras(Vec<String>),
}

/// Resources of a task.
pub(super) struct Resources {
    pub(super) cpus: Option<u32>,
    /// Memory [MiB].
    pub(super) memory: Option<u64>,
    /// Time [s].
    pub(super) time: Option<u64>,
}

impl Job {
    /// First argument of `task.sh` when it renders.
    pub(super) fn work(&self) -> &'static str {
        match self.frames {
            Frames::Files(_) => "render-frame",
            Frames::Times(_) => "render-time",
            Frames::One | Frames::Cameras(_) => "render",
        }
    }
}

impl Frames {
    /// The numbers of the frames; none for one picture.
    pub(super) fn numbers(&self) -> Option<RangeInclusive<u32>> {
        match self {
            Frames::One => None,
            Frames::Files(numbers) | Frames::Times(numbers) => Some(numbers.clone()),
            Frames::Cameras(names) => Some(1..=names.len() as u32),
        }
    }

    /// Number of images.
    pub(super) fn count(&self) -> u64 {
        self.numbers()
            .map_or(1, |numbers| u64::from(numbers.end() - numbers.start()) + 1)
    }
}

/// Replaces the last run of `#` in a path by a number with the same number of digits, as `task.sh` does; `None` without
/// such a run.
pub(super) fn numbered(pattern: &str, number: u32) -> Option<String> {
    let end = pattern.rfind('#')? + 1;
    let head = pattern[..end].trim_end_matches('#');
    let digits = end - head.len();
    Some(format!("{head}{number:0digits$}{}", &pattern[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_marks_become_a_number() {
        let cases =
            [("a.####.kiln", 12, "a.0012.kiln"), ("/a#b/c##.exr", 123, "/a#b/c123.exr"), ("#", 0, "0")];
        for (pattern, number, expected) in cases {
            assert_eq!(numbered(pattern, number).as_deref(), Some(expected));
        }
        assert_eq!(numbered("a.kiln", 1), None);
    }
}
