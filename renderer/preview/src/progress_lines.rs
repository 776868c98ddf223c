//! `--progress openjd`: progress messages of Open Job Description on standard output, for schedulers:
//! <https://github.com/OpenJobDescription/openjd-specifications/wiki/How-Jobs-Are-Run#stdoutstderr-messages>.

use std::sync::Mutex;

use renderer_support::{lock, print_result};

/// Progress that was reported last.
#[derive(Default)]
pub struct ProgressLines {
    reported: Mutex<Reported>,
}

#[derive(Default)]
struct Reported {
    percent: Option<u64>,
    status: &'static str,
}

impl ProgressLines {
    /// `done` of `total` samples are taken.
    pub fn samples(&self, done: u64, total: u64) {
        let mut reported = lock(&self.reported);
        reported.status("rendering");
        let percent = done * 100 / total.max(1);
        if reported.percent != Some(percent) {
            reported.percent = Some(percent);
            print_result(&format!("openjd_progress: {percent}\n"));
        }
    }

    /// Photons are shot.
    pub fn photons(&self) {
        let mut reported = lock(&self.reported);
        reported.status("shooting photons");
    }
}

impl Reported {
    fn status(&mut self, status: &'static str) {
        if self.status != status {
            self.status = status;
            print_result(&format!("openjd_status: {status}\n"));
        }
    }
}
