//! Whether a process group holds nothing but the dead.
//!
//! An orphan of a server that ended falls to the system's first process, which may take its time
//! to reap it. Until then the group answers to signals as if it were alive.

use std::fs;

use rustix::process::Pid;

/// Whether all that is left of a group are processes that have ended. Reads all of `/proc`, so it
/// is for the rare case that a group does not go.
pub(super) fn only_zombies(group: Pid) -> bool {
    let Ok(entries) = fs::read_dir("/proc") else { return false };
    let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    // Who sees none of the group, in a container that hides processes, knows nothing.
    let mut has_seen_one = false;
    let all_dead = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(is_number))
        .filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok())
        .filter_map(|stat| state_and_group(&stat))
        .filter(|(_, of)| *of == group.as_raw_nonzero().get())
        .all(|(state, _)| {
            has_seen_one = true;
            matches!(state, 'Z' | 'X')
        });
    all_dead && has_seen_one
}

/// The state and the process group in a line of `/proc/PID/stat`. The command in it stands in
/// parentheses and may hold anything.
fn state_and_group(stat: &str) -> Option<(char, i32)> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?.chars().next()?;
    let group = fields.nth(1)?.parse().ok()?;
    Some((state, group))
}

#[cfg(test)]
mod tests {
    use super::state_and_group;

    #[test]
    fn the_command_may_hold_anything() {
        assert_eq!(state_and_group("12 (a) Z (b) S 1 77 77 0 -1"), Some(('S', 77)));
        assert_eq!(state_and_group("12 (sh) Z 1 12 12 0"), Some(('Z', 12)));
        assert_eq!(state_and_group("12"), None);
    }
}
