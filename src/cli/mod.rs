//! The command line: one file a subcommand.

#[macro_use]
mod say;

#[cfg(feature = "standin")]
mod bench;
mod campaign;
mod common;
mod corpus;
mod coverage;
mod drill;
mod explain;
mod fuzz;
mod minimize;
mod replay;
mod run;
mod tally;

use clap::{Parser, Subcommand};

/// Every rule held.
const CLEAN: i32 = 0;
/// Something was found.
const FOUND: i32 = 1;
/// Bad arguments, or a refusal: isolation not proven, a target that does not start.
const REFUSED: i32 = 2;

/// Fuzzes pardes, or the stand-in for it, over 9P in a sandbox.
#[derive(Debug, Parser)]
#[command(name = "monkey9p", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Fuzz with libFuzzer: the main job
    Fuzz(fuzz::Arguments),
    /// Run seeded random steps, without libFuzzer
    Run(run::Arguments),
    /// Run a fixed seed for a few steps, and fail on any failure
    Smoke(run::SmokeArguments),
    /// Run an ops log, a bug record or a libFuzzer artifact exactly
    Replay(replay::Arguments),
    /// Make a failing sequence smaller
    Minimize(minimize::Arguments),
    /// Say in words what a log, a record or an artifact does
    Explain(explain::Arguments),
    /// Show that isolation holds and that failures are seen
    Drill(drill::Arguments),
    /// Run detached, for a time
    Campaign(campaign::Arguments),
    /// Measure how soon planted defects are found, and by what help
    #[cfg(feature = "standin")]
    Bench(bench::Arguments),
    /// Make the corpus from the seeds, or check it
    Corpus(corpus::Arguments),
}

/// Runs the command line and gives its exit code: 0 clean, 1 found, 2 usage or a refusal.
pub fn main() -> i32 {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Command::Fuzz(arguments) => fuzz::main(&arguments),
        Command::Run(arguments) => run::main(&arguments),
        Command::Smoke(arguments) => run::smoke(&arguments),
        Command::Replay(arguments) => replay::main(&arguments),
        Command::Minimize(arguments) => minimize::main(&arguments),
        Command::Explain(arguments) => explain::main(&arguments),
        Command::Drill(arguments) => drill::main(&arguments),
        Command::Campaign(arguments) => campaign::main(&arguments),
        #[cfg(feature = "standin")]
        Command::Bench(arguments) => bench::main(&arguments),
        Command::Corpus(arguments) => corpus::main(&arguments),
    };
    done.unwrap_or_else(|why| {
        eprintln!("monkey9p: {why:#}");
        REFUSED
    })
}
