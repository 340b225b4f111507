//! The progress bar.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use mcp_types::ProgressParams;

use super::count;
use crate::show::escape;

/// The bar counts in thousandths, since progress may be a fraction.
const SCALE: f64 = 1000.0;

/// A bar on stderr, while there is progress to show.
#[derive(Default)]
pub(super) struct Bar(Option<ProgressBar>);

impl Bar {
    pub(super) fn show(&mut self, progress: &ProgressParams) {
        let bar = self.0.get_or_insert_with(|| {
            let bar = ProgressBar::no_length();
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        match progress.total.filter(|total| *total > 0.0) {
            Some(total) => {
                bar.set_style(style("{spinner} {bar:30} {percent:>3}% {wide_msg}"));
                bar.set_length((total * SCALE) as u64);
                bar.set_position((progress.progress.min(total) * SCALE) as u64);
            }
            None => bar.set_style(style("{spinner} {wide_msg}")),
        }
        let counted = || count(progress);
        bar.set_message(progress.message.as_deref().map_or_else(counted, escape::line));
    }

    /// Takes the bar out of the way while `write` writes.
    pub(super) fn suspend(&self, write: impl FnOnce()) {
        match &self.0 {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    pub(super) fn end(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
