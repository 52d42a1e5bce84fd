//! The command `shashki`.

fn main() {}
