//! The program.

use std::io::Write as _;
use std::process::ExitCode;

use apiserver::commands::Subcommand;
use apiserver::connection::signals::shutdown_on_signal;
use apiserver::options::{self, Command, Config, Exit};
use apiserver::server;

fn main() -> ExitCode {
    match options::parse(std::env::args_os()) {
        Ok(Command::Serve(config)) => serve(&config),
        Ok(Command::Run(subcommand)) => run(&subcommand),
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

fn serve(config: &Config) -> ExitCode {
    apiserver::logging::start(config.verbosity);
    for flag in &config.without_effect {
        tracing::warn!("--{flag} is accepted for compatibility and does nothing");
    }
    if let Some(limit) = apiserver::descriptors::raise_limit() {
        tracing::debug!("up to {limit} files and sockets may be open");
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("Error: {error}\n")),
    };
    let served = runtime.block_on(async {
        let shutdown = shutdown_on_signal().map_err(|error| error.to_string())?;
        let ready = server::start(config, shutdown).await?;
        let text = format!(
            "Ready at {}. Next: kubectl --kubeconfig {} get flowschemas\n",
            ready.url,
            config.kubeconfig_out.display()
        );
        drop(write!(std::io::stdout(), "{text}"));
        ready.run().await;
        Ok(())
    });
    // What still runs has had its time.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let error: String = error;
            fail(&format!("Error: {error}\n"))
        }
    }
}
