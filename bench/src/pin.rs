//! Puts this process, and what it starts from now on, on one core.

/// Pins to the first core that this process may use; whether that worked.
///
/// By system call rather than with `taskset`, which does the same and is not everywhere.
#[cfg(target_os = "linux")]
pub(crate) fn to_one_core() -> bool {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Ok(allowed) = sched_getaffinity(None) else { return false };
    let Some(core) = (0..CpuSet::MAX_CPU).find(|&core| allowed.is_set(core)) else { return false };
    let mut one = CpuSet::new();
    one.set(core);
    sched_setaffinity(None, &one).is_ok()
}

/// Not possible here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn to_one_core() -> bool {
    false
}
