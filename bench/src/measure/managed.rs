//! The start of many servers through the manager, as a host would do it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use mcp_client::ClientOptions;
use mcp_manager::policy::ServerKind;
use mcp_manager::{Manager, ManagerOptions, ServerSpec, StartReport};
use mcp_transport_stdio::StdioConfig;

use super::{Done, MOST, Trial, median};
use crate::arguments::ServerOptions;
use crate::bars;
use crate::peer::{Peer, Program};
use crate::sample::Sample;
use crate::usage;

impl Trial {
    /// All servers are good at first; then the gate is measured where some hang.
    pub(super) async fn managed(&self, servers: usize, repeats: usize, hung: usize) -> Result<Sample> {
        let mut all = Vec::new();
        for _ in 0..repeats {
            let (start, cpu) = (Instant::now(), usage::cpu_time()?);
            let (manager, report) = self.start_managed(servers, 0, MOST).await?;
            let (time, cpu) = (start.elapsed(), usage::cpu_time()?.saturating_sub(cpu));
            all.push(Done { count: 1, time, cpu });
            ensure!(report.ready().count() == servers, "not all are ready: {report:?}");
            let tools: usize = report.servers.values().map(|server| server.tools).sum();
            ensure!(tools == servers * self.tools, "not all tools are there");
            manager.shutdown().await;
        }
        let mut sample = median(all)?;
        let start = Instant::now();
        let (manager, report) = self.start_managed(servers - hung, hung, bars::GATE).await?;
        sample.gate = Some(start.elapsed().as_secs_f64() * 1e3);
        ensure!(report.pending().count() >= hung, "those that hang are not ready");
        // At once: whoever hangs is not asked to end.
        drop(manager);
        Ok(sample)
    }

    async fn start_managed(
        &self,
        good: usize,
        hung: usize,
        gate: Duration,
    ) -> Result<(Manager, StartReport)> {
        let Peer::Program(program) = &self.setup.peer else { bail!("no program") };
        let hangs = ServerOptions { hangs: true, ..ServerOptions::default() };
        let hangs = Program { path: program.path.clone(), arguments: hangs.arguments() };
        let of = |number: usize| if number < good { program } else { &hangs };
        let specs = (0..good + hung).map(|number| spec(number, of(number))).collect::<Result<Vec<_>>>()?;
        let mut options = ManagerOptions::new(ClientOptions::new("bench", "1"));
        options.gate = gate;
        Ok(Manager::start(specs, options).await)
    }
}

fn spec(number: usize, program: &Program) -> Result<ServerSpec> {
    let path = program.path.to_str().context("the path of this program is not UTF-8")?;
    let server = StdioConfig::new(path).with_args(program.arguments.iter().cloned());
    let mut spec = ServerSpec::new(format!("s{number}"), Arc::new(server));
    spec.kind = ServerKind::Process;
    Ok(spec)
}
