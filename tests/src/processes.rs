//! The process table, as far as tests ask about it: who lives, who is a zombie, who leads a group.

use std::time::{Duration, Instant};

use crate::BOUND;

/// How long to wait before looking again. The table tells nobody when it changes.
const LOOK: Duration = Duration::from_millis(2);

/// One process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub id: u32,
    /// The id of its parent.
    pub parent: u32,
    /// The id of its process group.
    pub group: u32,
    /// `R`, `S`, `Z`, ...
    pub state: char,
    /// When it started, in ticks; with the id it names one process for ever.
    pub started: u64,
}

impl Process {
    /// The process with this id, dead ones that were not reaped included.
    pub fn find(id: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name in brackets may hold anything.
        let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace();
        Some(Self {
            id,
            state: fields.next()?.chars().next()?,
            parent: fields.next()?.parse().ok()?,
            group: fields.next()?.parse().ok()?,
            started: fields.nth(16)?.parse().ok()?,
        })
    }

    /// Whether it is gone altogether: neither alive nor a zombie that this process should reap.
    /// Those of others, orphans above all, are reaped by init, when that gets round to it.
    pub fn is_gone(&self) -> bool {
        Self::find(self.id).is_none_or(|now| {
            let is_another = now.started != self.started;
            is_another || (now.state == 'Z' && now.parent != std::process::id())
        })
    }

    /// Waits until it is gone altogether. Blocks the thread, so that a runtime under test gets no
    /// turn.
    ///
    /// # Panics
    ///
    /// If it stays.
    pub fn wait_until_gone(&self) {
        wait(&format!("the end of {self:?}"), || self.is_gone());
    }
}

/// All processes that are alive and have `tag` on their command line.
pub fn tagged(tag: &str) -> Vec<Process> {
    let has_tag = |id: &u32| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|argument| argument == tag.as_bytes())
    };
    ids().filter(has_tag).filter_map(Process::find).filter(|process| process.state != 'Z').collect()
}

/// Waits until `count` processes with `tag` are alive.
///
/// # Panics
///
/// If that does not happen.
pub fn wait_for(tag: &str, count: usize) -> Vec<Process> {
    wait(&format!("{count} processes of {tag}"), || tagged(tag).len() == count);
    tagged(tag)
}

/// The children of this process that ended and were not reaped.
pub fn zombies() -> Vec<Process> {
    let own = std::process::id();
    ids().filter_map(Process::find).filter(|process| process.parent == own && process.state == 'Z').collect()
}

/// Waits until each child that is a zombie now has been reaped. Others, of tests that run at the
/// same time, may come meanwhile.
///
/// # Panics
///
/// If one stays.
pub fn wait_until_reaped() {
    for zombie in zombies() {
        zombie.wait_until_gone();
    }
}

/// Looks until `condition` holds. Blocks the thread, so that a runtime under test gets no turn.
///
/// # Panics
///
/// If it never does.
pub fn wait(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < BOUND, "waited in vain: {what}");
        std::thread::sleep(LOOK);
    }
}

/// The high-water mark of the memory of a process, in bytes.
pub fn peak_memory(id: u32) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn ids() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}
