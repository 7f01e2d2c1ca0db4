//! monkey9p: the command line, and by their roles the processes it starts.

fn main() {
    monkey9p::roles::dispatch();
    std::process::exit(monkey9p::cli::main())
}
