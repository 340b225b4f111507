//! What this process has used so far: CPU time and peak memory, its children not included.

#[cfg(target_os = "linux")]
pub(crate) use self::linux::{cpu_time, peak_memory, resident};
#[cfg(not(target_os = "linux"))]
pub(crate) use self::unknown::{cpu_time, peak_memory, resident};

#[cfg(target_os = "linux")]
mod linux {
    //! From the kernel.

    use std::fs;
    use std::time::Duration;

    use anyhow::{Context, Result};
    use rustix::time::{ClockId, clock_gettime};

    /// User and system time of all threads.
    pub(crate) fn cpu_time() -> Result<Duration> {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Ok(Duration::new(u64::try_from(time.tv_sec)?, u32::try_from(time.tv_nsec)?))
    }

    /// Most memory that was resident at once, in MiB.
    pub(crate) fn peak_memory() -> Result<f64> {
        Ok(kib("VmHWM:")? / 1024.0)
    }

    /// Memory that is resident now, in KiB.
    pub(crate) fn resident() -> Result<f64> {
        kib("VmRSS:")
    }

    fn kib(name: &str) -> Result<f64> {
        let status = fs::read_to_string("/proc/self/status")?;
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.and_then(|line| line.split_whitespace().next()).context("no such line")?;
        Ok(kib.parse::<f64>()?)
    }
}

#[cfg(not(target_os = "linux"))]
mod unknown {
    //! Where nobody asked for it yet: nothing, which the report shows as unknown.

    use std::time::Duration;

    use anyhow::Result;

    #[expect(clippy::unnecessary_wraps, reason = "fails on other systems")]
    pub(crate) fn cpu_time() -> Result<Duration> {
        Ok(Duration::ZERO)
    }

    #[expect(clippy::unnecessary_wraps, reason = "fails on other systems")]
    pub(crate) fn peak_memory() -> Result<f64> {
        Ok(0.0)
    }

    #[expect(clippy::unnecessary_wraps, reason = "fails on other systems")]
    pub(crate) fn resident() -> Result<f64> {
        Ok(0.0)
    }
}
