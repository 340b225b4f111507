//! One measured run: warm up, measure, check that nothing is missing.

mod managed;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};

use crate::arguments::Run;
use crate::clients::{Callers, Floor, HttpFloor, Load, Name, Ours, Rmcp, Setup};
use crate::peer::{self, Peer};
use crate::pin;
use crate::sample::Sample;
use crate::usage;
use crate::workload::Work;

/// A run that takes longer hangs.
const MOST: Duration = Duration::from_secs(60);

/// How long notifications may be behind the answer that they came before.
const PATIENCE: Duration = Duration::from_secs(2);

/// Does the run and prints its figures.
pub(crate) fn run(run: &Run) -> Result<()> {
    let is_pinned = run.is_pinned && pin::to_one_core();
    let (peer, server) = peer::prepare(&run.workload.server)?;
    let trial = Trial::new(run, peer);
    let is_http = run.workload.is_http();
    let runtime = || match is_http {
        // What rmcp is faster with over HTTP; ours gets the same.
        true => Builder::new_current_thread(),
        false => Builder::new_multi_thread(),
    };
    let mut sample = match run.client {
        Name::Floor if is_http => drive(runtime(), trial.take::<HttpFloor>()),
        // It is one task and needs no more than one thread.
        Name::Floor => drive(Builder::new_current_thread(), trial.take::<Floor>()),
        Name::Rmcp => drive(runtime(), trial.take::<Callers<Rmcp>>()),
        Name::Ours => drive(runtime(), trial.take_ours()),
    }?;
    sample.is_pinned = is_pinned;
    if let Some(server) = server {
        server.stop()?;
    }
    writeln!(io::stdout(), "{}", serde_json::to_string(&sample)?)?;
    Ok(())
}

fn drive(
    mut runtime: Builder,
    trial: impl Future<Output = Result<Sample>> + Send + 'static,
) -> Result<Sample> {
    let runtime = runtime.enable_all().build()?;
    // As a task: the thread that waits here is not one of the workers.
    let trial = runtime.spawn(trial);
    let sample = runtime.block_on(async { timeout(MOST, trial).await.context("it hangs")?? });
    // Which a task that spins would keep from ending.
    runtime.shutdown_background();
    sample
}

struct Trial {
    setup: Setup,
    work: Work,
    tools: usize,
    notify: usize,
    warm_up: Duration,
    measured: Duration,
}

/// What was done in some time.
struct Done {
    count: u64,
    time: Duration,
    cpu: Duration,
}

impl Trial {
    fn new(run: &Run, peer: Peer) -> Self {
        let workload = run.workload;
        let setup = Setup { peer, has_largest: workload.is_largest() };
        let (warm_up, measured) = workload.times(run.is_quick);
        let server = &workload.server;
        let (tools, notify) = (server.tools, server.notify);
        Self { setup, work: workload.work, tools, notify, warm_up, measured }
    }

    async fn take<L: Load>(self) -> Result<Sample> {
        match self.work {
            Work::Calls { .. } | Work::List => self.repeat::<L>().await,
            Work::Start { servers, repeats, idle } => self.starts::<L>(servers, repeats, idle).await,
            Work::Managed { servers, repeats, .. } => {
                self.starts::<L>(servers, repeats, Duration::ZERO).await
            }
        }
    }

    async fn take_ours(self) -> Result<Sample> {
        match self.work {
            Work::Managed { servers, repeats, hung } => self.managed(servers, repeats, hung).await,
            _ => self.take::<Callers<Ours>>().await,
        }
    }

    async fn repeat<L: Load>(&self) -> Result<Sample> {
        let mut load = L::start(&self.setup).await?;
        let warm = self.work_for(self.warm_up, &mut load).await?;
        let done = self.work_for(self.measured, &mut load).await?;
        self.wait_for_notifications(&load, warm.count + done.count).await?;
        let memory = usage::peak_memory()?;
        load.stop().await?;
        done.sample(memory)
    }

    async fn work_for<L: Load>(&self, time: Duration, load: &mut L) -> Result<Done> {
        let (start, cpu) = (Instant::now(), usage::cpu_time()?);
        let until = start + time;
        let count = match self.work {
            Work::Calls { callers, size } => load.calls(callers, size, until).await?,
            _ => {
                let mut count = 0;
                while count == 0 || Instant::now() < until {
                    load.list(self.tools).await?;
                    count += 1;
                }
                count
            }
        };
        Ok(Done { count, time: start.elapsed(), cpu: usage::cpu_time()?.saturating_sub(cpu) })
    }

    async fn wait_for_notifications<L: Load>(&self, load: &L, calls: u64) -> Result<()> {
        let expected = calls * self.notify as u64;
        let until = Instant::now() + PATIENCE;
        while load.notifications() < expected && Instant::now() < until {
            sleep(Duration::from_millis(1)).await;
        }
        let came = load.notifications();
        ensure!(came == expected, "{came} notifications, not {expected}");
        Ok(())
    }

    /// The median of the repeats counts.
    async fn starts<L: Load>(&self, servers: usize, repeats: usize, idle: Duration) -> Result<Sample> {
        let mut all = Vec::new();
        let mut loads = Vec::new();
        let resident = usage::resident()?;
        for _ in 0..repeats {
            stop_all(&mut loads).await?;
            let (start, cpu) = (Instant::now(), usage::cpu_time()?);
            loads = self.start_all::<L>(servers).await?;
            all.push(Done { count: 1, time: start.elapsed(), cpu: usage::cpu_time()?.saturating_sub(cpu) });
        }
        let mut sample = median(all)?;
        sample.idle = idle_cpu(idle).await?;
        // What repeats before left behind is nobody's.
        if sample.idle.is_some() && repeats == 1 {
            #[expect(clippy::cast_precision_loss, reason = "nobody starts 2^52 servers")]
            let each = (usage::resident()? - resident) / servers as f64;
            sample.each = Some(each);
        }
        stop_all(&mut loads).await?;
        Ok(sample)
    }

    async fn start_all<L: Load>(&self, servers: usize) -> Result<Vec<L>> {
        let start = |_| {
            let (setup, tools) = (self.setup.clone(), self.tools);
            tokio::spawn(async move {
                let mut load = L::start(&setup).await?;
                load.list(tools).await?;
                anyhow::Ok(load)
            })
        };
        let tasks = (0..servers).map(start).collect::<Vec<_>>();
        let mut loads = Vec::new();
        for task in tasks {
            loads.push(task.await??);
        }
        Ok(loads)
    }
}

fn median(mut all: Vec<Done>) -> Result<Sample> {
    all.sort_by_key(|done| done.time);
    all[all.len() / 2].sample(usage::peak_memory()?)
}

async fn stop_all<L: Load>(loads: &mut Vec<L>) -> Result<()> {
    for load in loads.drain(..) {
        load.stop().await?;
    }
    Ok(())
}

/// CPU time of nothing to do, in ms a second.
async fn idle_cpu(time: Duration) -> Result<Option<f64>> {
    if time.is_zero() {
        return Ok(None);
    }
    let cpu = usage::cpu_time()?;
    sleep(time).await;
    let cpu = usage::cpu_time()?.saturating_sub(cpu);
    Ok(Some(cpu.as_secs_f64() * 1e3 / time.as_secs_f64()))
}

impl Done {
    #[expect(clippy::cast_precision_loss, reason = "nobody makes 2^52 calls")]
    fn sample(&self, memory: f64) -> Result<Sample> {
        ensure!(self.count > 0, "nothing was measured");
        let count = self.count as f64;
        Ok(Sample {
            per_second: count / self.time.as_secs_f64(),
            cpu_micros: self.cpu.as_secs_f64() * 1e6 / count,
            memory,
            idle: None,
            each: None,
            gate: None,
            is_pinned: false,
        })
    }
}
