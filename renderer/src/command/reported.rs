//! What shaders report while they run, as warnings.

use std::collections::BTreeMap;

use shading::{Diagnostic, Report};

use super::terminal::plural;

/// A warning for each place in a source that reports, however many materials run it, in the order of the sources.
pub(super) fn warnings(reports: &[Report]) -> Vec<Diagnostic> {
    let mut places: BTreeMap<_, Vec<&Report>> = BTreeMap::new();
    for report in reports {
        let place = report.place.as_ref();
        let place = place.map(|place| (place.file.as_str(), place.line, place.column));
        // Where there is no place, all that is said counts.
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
        let shown: Vec<String> = warnings(&list).iter().map(ToString::to_string).collect();
        assert_eq!(shown.len(), 2);
        assert!(
            shown[0].contains("a.ksl:2:3: m: y") && !shown[0].contains("other"),
            "{shown:?}"
        );
        assert!(
            shown[1].contains("a.ksl:7:3: m: a") && shown[1].contains("the same in 2 other materials"),
            "{shown:?}"
        );
    }
}
