//! Warnings shared by commands: reports of shaders, lost textures, results of earlier runs.

use std::collections::BTreeMap;

use shading::{Diagnostic, Report};

use super::terminal::plural;

/// Converts the reports of shaders to warnings: one for each place in a source, in the order of the sources.
pub fn of_reports(reports: &[Report]) -> Vec<Diagnostic> {
    let mut places: BTreeMap<_, Vec<&Report>> = BTreeMap::new();
    for report in reports {
        let place = report.place.as_ref();
        let place = place.map(|place| (place.file.as_str(), place.line, place.column));
        // Reports without a place are distinguished by their text.
        let words = place.is_none().then(|| report.to_string());
        let key = (place, words, format!("{:?}", report.kind));
        places.entry(key).or_default().push(report);
    }
    let warnings = places.into_values().map(|mut reports| {
        reports.sort_by(|a, b| (&a.shader, &a.message).cmp(&(&b.shader, &b.message)));
        let warning = Diagnostic::warning(reports[0].to_string());
        let mut shaders: Vec<&str> = reports.iter().map(|report| report.shader.as_str()).collect();
        shaders.dedup();
        match shaders.len() - 1 {
            0 => warning,
            others => warning.hint(format!("the same in {}", plural(others, "other material"))),
        }
    });
    warnings.collect()
}

/// Warns that the results of an earlier run may come from other files: the shaders of the scene compose file names, which
/// the fingerprint does not cover.
pub fn unknown_files(work: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::warning(format!(
        "{work} may be of other files: shaders of this scene compose names of textures or point clouds while they run, \
         and whether those files are as they were is not known"
    ))
    .hint("names that stand in a shader, also to choose from, are known")
}

/// Warns that texels could not be read during rendering.
pub fn lost_texels(reason: &str) -> Diagnostic {
    Diagnostic::warning(format!("a texture is black in places: {reason}"))
        .hint("its file was changed or lost while it was in use; render again")
}

#[cfg(test)]
mod tests {
    use shading::ReportKind;
    use shading::runtime::ReportPlace;

    use super::*;

    #[test]
    fn materials_that_share_a_place_are_counted() {
        let report = |shader: &str, line: u32, message: &str| Report {
            kind: ReportKind::IndexOutOfRange,
            message: message.to_owned(),
            shader: shader.to_owned(),
            place: Some(ReportPlace {
                file: "a.ksl".to_owned(),
                line,
                column: 3,
                instance: "".into(),
                unit: "u".into(),
                text: "".into(),
            }),
        };
        let list = [
            report("n", 7, "x"),
            report("m", 2, "y"),
            report("m", 7, "z"),
            report("m", 7, "a"),
            report("o", 7, "b"),
        ];
        let shown: Vec<String> = of_reports(&list).iter().map(ToString::to_string).collect();
        assert_eq!(shown.len(), 2);
        assert!(shown[0].contains("a.ksl:2:3: m: y") && !shown[0].contains("other"), "{shown:?}");
        assert!(
            shown[1].contains("a.ksl:7:3: m: a") && shown[1].contains("the same in 2 other materials"),
            "{shown:?}"
        );
    }
}
