//! The stand-in server as a program of its own.

fn main() {
    std::process::exit(monkey9p::standin::main());
}
