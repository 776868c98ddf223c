//! `kiln compare`: error metrics of an image against a reference.

use renderer_cli::CompareArgs;
use renderer_image::compare::{Report, compare};
use renderer_image::{WriteOptions, read, write};
use renderer_support::outputs::Outputs;
use renderer_support::{Failure, print_result};

pub(super) fn run(args: &CompareArgs) -> Result<(), Failure> {
    let mut outputs = Outputs::default();
    if let Some(path) = &args.output {
        outputs.image("-o", path)?;
    }
    if let Some(path) = &args.false_colour {
        outputs.image("--false-colour", path)?;
    }
    outputs.check_inputs([&args.image, &args.reference])?;
    let (image, reference) = (read(&args.image)?, read(&args.reference)?);
    let report = compare(&image, &reference)?;
    print_result(&text(args, &report));
    if let Some(path) = &args.output {
        write(path, &report.picture(), &WriteOptions::default())?;
    }
    if let Some(path) = &args.false_colour {
        write(path, &report.false_color(), &WriteOptions::default())?;
    }
    match args.threshold {
        Some(threshold) if report.exceeds(threshold) => Err(Failure::User(format!(
            "error: the relative MSE {:e} is beyond {threshold:e}",
            report.rel_mse
        ))),
        _ => Ok(()),
    }
}

/// The report in words.
fn text(args: &CompareArgs, report: &Report) -> String {
    let (x, y) = report.max_error_at;
    let mut lines = vec![
        format!("RMSE          {:.6e}", report.rmse),
        format!("relative MSE  {:.6e}", report.rel_mse),
        format!("FLIP          {:.6}", report.flip),
        format!("max error     {:.6e} at pixel ({x}, {y})", report.max_error),
    ];
    let means = report.mean_a.iter().zip(&report.mean_b);
    for (channel, (a, b)) in ["red", "green", "blue", "alpha"].iter().zip(means) {
        // Both may be zero.
        let percent = if a == b { 0.0 } else { 100.0 * (a / b - 1.0) };
        let (a, b) = (number(*a), number(*b));
        lines.push(format!("mean {channel:<8} {a} and {b}, {percent:+.3} %"));
    }
    let counts = [(&args.image, report.non_finite_a), (&args.reference, report.non_finite_b)];
    for (path, count) in counts.iter().filter(|(_, count)| *count > 0) {
        let are = if *count == 1 { "value that is" } else { "values that are" };
        lines.push(format!("{} has {count} {are} not finite", path.display()));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Six digits after the decimal point if they are significant, else scientific notation.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        format!("{value:.6}")
    } else {
        format!("{value:.6e}")
    }
}
