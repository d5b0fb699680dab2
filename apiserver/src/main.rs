//! The program.

use std::io::Write as _;
use std::process::ExitCode;

use apiserver::commands::Subcommand;
use apiserver::connection::Shutdown;
use apiserver::connection::signals::shutdown_on_signal;
use apiserver::envtest::{Etcd, Parent};
use apiserver::options::{self, Command, Config, Exit};
use apiserver::server;
use tokio::runtime::Builder;

fn main() -> ExitCode {
    let parent = Parent::now();
    match options::parse(std::env::args_os()) {
        Ok(Command::Serve(config)) => serve(&config, parent),
        Ok(Command::Run(subcommand)) => run(&subcommand),
        Ok(Command::StandIn(etcd)) => stand_in(&etcd, parent),
        Err(exit) => end(&exit),
    }
}

fn run(subcommand: &Subcommand) -> ExitCode {
    match subcommand.run(&mut std::io::stdin().lock()) {
        Ok(findings) => {
            drop(write!(std::io::stdout(), "{}", findings.text));
            if findings.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(exit) => end(&exit),
    }
}

fn end(exit: &Exit) -> ExitCode {
    match exit {
        Exit::Success(text) => {
            // Nobody is left to tell if this cannot be written.
            drop(write!(std::io::stdout(), "{text}"));
            ExitCode::SUCCESS
        }
        Exit::Failure(text) => fail(text),
    }
}

fn fail(text: &str) -> ExitCode {
    drop(write!(std::io::stderr(), "{text}"));
    ExitCode::FAILURE
}

fn serve(config: &Config, parent: Parent) -> ExitCode {
    apiserver::logging::start(config.verbosity);
    for flag in &config.without_effect {
        tracing::warn!("--{flag} is accepted for compatibility and does nothing");
    }
    if let Some(limit) = apiserver::descriptors::raise_limit() {
        tracing::debug!("up to {limit} files and sockets may be open");
    }
    let parent = config.ends_with_parent.then_some(parent);
    until_stopped(Builder::new_multi_thread(), parent, async |shutdown| {
        let ready = server::start(config, shutdown).await?;
        let text = format!(
            "Ready at {}. Next: kubectl --kubeconfig {} get flowschemas\n",
            ready.url,
            config.kubeconfig_out.display()
        );
        drop(write!(std::io::stdout(), "{text}"));
        ready.run().await;
        Ok(())
    })
}

fn stand_in(etcd: &Etcd, parent: Parent) -> ExitCode {
    until_stopped(Builder::new_current_thread(), Some(parent), async |shutdown| {
        let bound = etcd.bind().await?;
        for url in bound.urls() {
            drop(writeln!(std::io::stdout(), "Ready at {url}"));
        }
        bound.run(shutdown).await;
        Ok(())
    })
}

/// Runs something until a signal stops it, or the end of the process that it is not to outlive.
fn until_stopped(
    mut builder: Builder,
    parent: Option<Parent>,
    run: impl AsyncFnOnce(Shutdown) -> Result<(), String>,
) -> ExitCode {
    let runtime = match builder.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("Error: {error}\n")),
    };
    let served = runtime.block_on(async {
        let shutdown = shutdown_on_signal().map_err(|error| error.to_string())?;
        if let Some(parent) = parent {
            let stop = shutdown.graceful.clone();
            tokio::spawn(async move {
                parent.ended().await;
                stop.cancel();
            });
        }
        run(shutdown).await
    });
    // What still runs has had its time.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("Error: {error}\n")),
    }
}
