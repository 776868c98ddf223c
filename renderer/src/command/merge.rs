//! `kiln merge`: merges parts of an image, or checkpoints of shares of a bake.

use std::path::PathBuf;

use shading::{Diagnostic, Diagnostics};

use renderer_bake::{is_checkpoint, join_checkpoints};
use renderer_base::memory;
use renderer_cli::MergeArgs;
use renderer_inputs::frame_time::of_frame;
use renderer_pictures::brightness;
use renderer_pictures::denoising::{Denoising, without_features};
use renderer_pictures::part::{Header, PartReader};
use renderer_pictures::pictures::{Pictures, is_part};
use renderer_support::outputs::{Outputs, WriteMode, check_written};
use renderer_support::terminal::plural;
use renderer_support::warnings::unknown_files;
use renderer_support::{Failure, print, remark};

pub(super) fn run(args: &MergeArgs) -> Result<(), Failure> {
    let Some(range) = args.frames else {
        return merge(args);
    };
    range.frames().try_for_each(|frame| {
        let numbered = |paths: &[PathBuf]| -> Result<Vec<PathBuf>, Failure> {
            paths.iter().map(|path| of_frame(path, frame)).collect()
        };
        merge(&MergeArgs {
            parts: numbered(&args.parts)?,
            output: numbered(&args.output)?,
            frames: None,
            ..args.clone()
        })
    })
}

fn merge(args: &MergeArgs) -> Result<(), Failure> {
    if args.parts.iter().any(|path| is_checkpoint(path)) {
        return join_bake(args);
    }
    let mut outputs = Outputs::default();
    let mut pictures = Pictures::new(&args.output, args.exposure, &mut outputs)?;
    pictures.tone_map = args.tone_map.into();
    pictures.denoising = (args.denoise).map(|quality| Denoising::new(quality.into(), 0));
    pictures.check_denoising()?;
    outputs.check_inputs(&args.parts)?;
    let headers = headers(&args.parts)?;
    let joined = join(&headers, args.allow_gaps)?;
    pictures.check_size(joined.crop)?;
    pictures.check_existing_parts(&joined.samples, |_| joined.identity.clone())?;

    // Sums and the developed picture.
    memory::check("the film", 2 * joined.film_bytes())?;
    let mut film = joined.film()?;
    let mut noise = None;
    for path in &args.parts {
        // Only a single part has such statistics.
        noise = PartReader::open(path)?.add_to(&mut film)?;
    }
    let header = Header { counts: film.counts(), ..joined };
    let written = pictures.write(&film, noise.as_ref(), &header, &WriteMode::Final(&args.parts));
    if !args.quiet {
        let mut warnings = Diagnostics::default();
        warnings.list.extend(pictures.unused_exposure());
        warnings.list.extend(
            pictures
                .denoising
                .as_ref()
                .and_then(|_| without_features(&header.layers.passes)),
        );
        warnings.list.extend(written.noisy);
        warnings.list.extend(written.files.kept);
        if args.parts.len() > 1 && header.computes_names {
            warnings.push(unknown_files("a part"));
        }
        warnings.list.extend(brightness::warning(
            &written.image,
            args.exposure,
            0.0,
            pictures.tone_map,
            &pictures.images,
        ));
        print(&warnings);
        let names = written.files.written.iter();
        let names: Vec<String> = names.map(|path| path.display().to_string()).collect();
        if !names.is_empty() {
            remark(&format!("joined the samples {} in {}", header.samples, names.join(", ")));
        }
    }
    check_written(&written.files.errors)
}

/// Joins checkpoints of the shares of a bake.
fn join_bake(args: &MergeArgs) -> Result<(), Failure> {
    let [output] = args.output.as_slice() else {
        return Err(Failure::User("error: parts of a bake are joined in one file".to_owned()));
    };
    if !is_part(output) {
        return Err(Failure::User(format!(
            "error: '{}' cannot hold parts of a bake\n  hint: join them in a .part file, from which `kiln bake --resume` \
             makes pictures",
            output.display()
        )));
    }
    if output.exists() {
        return Err(Failure::User(format!(
            "error: '{}' exists already\n  hint: name another file, or delete it",
            output.display()
        )));
    }
    let notes = join_checkpoints(&args.parts, output)?;
    if !args.quiet {
        let list = notes.into_iter().map(Diagnostic::warning).collect();
        print(&Diagnostics { list });
        let output = output.display();
        let parts = plural(args.parts.len(), "part");
        remark(&format!(
            "joined {parts} of a bake in {output}; `kiln bake SCENE -o DIR --checkpoint {output} --resume`, with the other options of the parts, makes the files",
        ));
    }
    Ok(())
}

/// Name and header of a part.
type Named = (PathBuf, Header);

fn headers(parts: &[PathBuf]) -> Result<Vec<Named>, Failure> {
    let mut headers = vec![];
    for path in parts {
        let part = PartReader::open(path)?;
        part.check_size()?;
        headers.push((path.clone(), part.header().clone()));
    }
    headers.sort_by_key(|(_, header)| header.samples.list().first().map(|range| range.start));
    Ok(headers)
}

/// Merges the headers of the parts. The parts must belong to one render, without common samples.
fn join(parts: &[Named], allow_gaps: bool) -> Result<Header, Failure> {
    let (first, header) = parts
        .first()
        .ok_or_else(|| Failure::User("error: there are no parts".to_owned()))?;
    let mut joined = header.clone();
    for (i, (path, header)) in parts.iter().enumerate().skip(1) {
        if let Some(difference) = joined.identity.difference(&header.identity) {
            return Err(Failure::User(format!(
                "error: '{}' does not belong to '{}': {difference}",
                path.display(),
                first.display()
            )));
        }
        if (header.size, header.crop) != (joined.size, joined.crop) {
            return Err(Failure::User(format!(
                "error: '{}' does not belong to '{}': it is of other pixels",
                path.display(),
                first.display()
            )));
        }
        if header.identity.get("noise").is_some() {
            return Err(Failure::User(noise_message(parts)));
        }
        if let Some(range) = joined.samples.overlap(&header.samples) {
            let other = parts[..i]
                .iter()
                .find(|(_, other)| other.samples.overlap(&header.samples).is_some());
            let other = other.map_or(first, |(path, _)| path);
            return Err(Failure::User(format!(
                "error: '{}' and '{}' both have the samples {}..{}\n  hint: leave one of them out",
                other.display(),
                path.display(),
                range.start,
                range.end
            )));
        }
        joined.samples = joined.samples.union(&header.samples);
        joined.computes_names |= header.computes_names;
        joined.layout.variance &= header.layout.variance;
    }
    if joined.samples.is_empty() {
        return Err(Failure::User(format!("error: there are no samples in '{}'", first.display())));
    }
    let gaps = joined.samples.gaps();
    if !gaps.is_empty() && !allow_gaps {
        return Err(Failure::User(gap_message(parts, &joined)));
    }
    Ok(joined)
}

/// Parts with --noise are successive states of one render and cannot be merged.
fn noise_message(parts: &[Named]) -> String {
    let names: Vec<String> = parts.iter().map(|(path, _)| format!("'{}'", path.display())).collect();
    let most = parts.iter().max_by_key(|(_, header)| header.samples.count());
    let hint = most.map_or(String::new(), |(path, header)| {
        format!("\n  hint: take '{}' alone, with the samples {}", path.display(), header.samples)
    });
    format!(
        "error: {} are of one render with --noise, and each has all samples from the first on{hint}",
        names.join(" and ")
    )
}

/// Missing samples, and the files between which they are missing.
fn gap_message(parts: &[Named], joined: &Header) -> String {
    let gaps = joined.samples.gaps();
    let mut message = format!("error: the samples {gaps} are missing");
    for gap in gaps.list() {
        let ends = |header: &Header, at: u64| header.samples.list().iter().any(|range| range.end == at);
        let begins = |header: &Header, at: u64| header.samples.list().iter().any(|range| range.start == at);
        let before = parts.iter().find(|(_, header)| ends(header, gap.start));
        let after = parts.iter().find(|(_, header)| begins(header, gap.end));
        message += &match (before, after) {
            (Some((a, _)), Some((b, _))) => format!("\n  between '{}' and '{}'", a.display(), b.display()),
            (None, Some((b, _))) => format!("\n  before '{}'", b.display()),
            _ => String::new(),
        };
    }
    message + "\n  hint: render them with --samples, or allow the gaps with --allow-gaps"
}
