//! `kiln compare`: how far an image is from a reference.

use super::Failure;
use crate::cli::CompareArgs;
use crate::compare::{compare, diff_image};
use crate::image::{WriteOptions, check_writable, read, write};

pub(super) fn run(args: &CompareArgs) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        check_writable(path)?;
    }
    let (image, reference) = (read(&args.image)?, read(&args.reference)?);
    let report = compare(&image, &reference)?;
    println!("RMSE          {:.6e}", report.rmse);
    println!("relative MSE  {:.6e}", report.rel_mse);
    println!("FLIP          {:.6}", report.flip);
    let (x, y) = report.max_error_at;
    println!("max error     {:.6e} at pixel ({x}, {y})", report.max_error);
    for (channel, (a, b)) in ["red", "green", "blue", "alpha"]
        .iter()
        .zip(report.mean_a.iter().zip(&report.mean_b))
    {
        println!(
            "mean {channel:<8} {a:.6} and {b:.6}, {:+.3} %",
            100.0 * (a / b - 1.0)
        );
    }
    for (path, count) in [
        (&args.image, report.non_finite_a),
        (&args.reference, report.non_finite_b),
    ] {
        if count > 0 {
            println!("{} has {count} values that are not finite", path.display());
        }
    }
    if let Some(path) = &args.output {
        write(path, &diff_image(&image, &reference)?, &WriteOptions::default())?;
    }
    match args.threshold {
        Some(threshold) if report.exceeds(threshold) => {
            Err(Failure::User(format!("the relative MSE is beyond {threshold:e}")))
        }
        _ => Ok(()),
    }
}
