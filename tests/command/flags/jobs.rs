//! Arguments of `kiln pack` and `kiln farm`.

use super::case::Case;
use super::case::Differs::{By, File, New, Says, Status};

pub(crate) const PACK: &[Case] = &[
    ("scene", "pack a.kiln -o o.zip", "pack lit.kiln -o o.zip", File("o.zip")),
    ("output", "pack a.kiln -o o.zip", "pack a.kiln -o p.zip", New("p.zip")),
    (
        "light",
        "pack a.kiln -o o.zip; render o.zip -o o.png",
        "pack a.kiln -o o.zip --light sky; render o.zip -o o.png",
        File("o.png"),
    ),
    (
        "set",
        "pack a.kiln -o o.zip; render o.zip -o o.png",
        "pack a.kiln -o o.zip --set camera.main.fov=30; render o.zip -o o.png",
        File("o.png"),
    ),
    ("folders", "pack i.kiln -o o.zip", "pack i.kiln -o o.zip -I inc", Status(1, 0)),
    (
        "undefine",
        "pack i.kiln -o o.zip -I inc",
        "pack i.kiln -o o.zip -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    (
        "define",
        "pack m.xml -o o.zip; render o.zip -o o.png",
        "pack m.xml -o o.zip --define tone=0.9; render o.zip -o o.png",
        File("o.png"),
    ),
    ("strict", "pack m.xml -o o.zip", "pack m.xml -o o.zip --strict", Status(0, 1)),
    (
        "quiet",
        "pack a.kiln -o o.zip",
        "pack a.kiln -o o.zip --quiet",
        By(|a, b| !a.out.is_empty() && b.out.is_empty()),
    ),
    (
        "verbose",
        "pack a.kiln -o o.zip",
        "pack a.kiln -o o.zip --verbose",
        By(|a, b| !a.out.contains("  a.kiln") && b.out.contains("  a.kiln")),
    ),
];

pub(crate) const FARM: &[Case] = &[
    (
        "scene",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm w.kiln -o o.exr --tasks 2 --engine slurm",
        Status(0, 1),
    ),
    (
        "output",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o p.exr --tasks 2 --engine slurm",
        New("p.farm/submit.sh"),
    ),
    (
        "tasks",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 3 --engine slurm",
        Says("o.farm/submit.sh", "--array=1-3 "),
    ),
    (
        "engine",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine openjd",
        New("o.farm/template.json"),
    ),
    (
        "dir",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --dir d",
        New("d/submit.sh"),
    ),
    (
        "frames",
        "farm a.kiln -o o#.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o#.exr --tasks 2 --engine slurm --frames cameras",
        Says("o.farm/submit.sh", "-le 2 "),
    ),
    (
        "pack",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --pack",
        New("o.farm/scene.zip"),
    ),
    (
        "program",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --program /opt/kiln",
        Says("o.farm/render.sbatch", "/opt/kiln"),
    ),
    (
        "cpus",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --cpus 8",
        Says("o.farm/render.sbatch", "--cpus-per-task=8"),
    ),
    (
        "memory",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --memory 2G",
        Says("o.farm/render.sbatch", "--mem=2048M"),
    ),
    (
        "time",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --time 2h",
        Says("o.farm/render.sbatch", "--time=2:00:00"),
    ),
    (
        "partition",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --partition night",
        Says("o.farm/render.sbatch", "--partition=night"),
    ),
    (
        "account",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --account film",
        Says("o.farm/render.sbatch", "--account=film"),
    ),
    (
        "sbatch",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --sbatch --qos=low",
        Says("o.farm/render.sbatch", "#SBATCH --qos=low"),
    ),
    (
        "exposure",
        "farm a.kiln -o o.png --tasks 2 --engine slurm",
        "farm a.kiln -o o.png --tasks 2 --engine slurm --exposure -2",
        Says("o.farm/merge.sbatch", "'-2'"),
    ),
    (
        "quiet",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --quiet",
        By(|a, b| !a.err.is_empty() && b.err.is_empty()),
    ),
    (
        "options",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm -- --integrator photon",
        Says("o.farm/render.sbatch", "'--integrator' 'photon'"),
    ),
];
