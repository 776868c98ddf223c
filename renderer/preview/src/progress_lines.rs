//! `--progress openjd`: progress messages of Open Job Description on standard output, for schedulers:
//! <https://github.com/OpenJobDescription/openjd-specifications/wiki/How-Jobs-Are-Run#stdoutstderr-messages>.

use std::sync::{Mutex, PoisonError};

use renderer_support::tell;

/// Progress that was reported last.
#[derive(Default)]
pub struct ProgressLines {
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    percent: Option<u64>,
    status: &'static str,
}

impl ProgressLines {
    /// `done` of `total` samples are taken.
    pub fn samples(&self, done: u64, total: u64) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.status("rendering");
        let percent = done * 100 / total.max(1);
        if told.percent != Some(percent) {
            told.percent = Some(percent);
            tell(&format!("openjd_progress: {percent}\n"));
        }
    }

    /// Photons are shot.
    pub fn photons(&self) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.status("shooting photons");
    }
}

impl Told {
    fn status(&mut self, status: &'static str) {
        if self.status != status {
            self.status = status;
            tell(&format!("openjd_status: {status}\n"));
        }
    }
}
