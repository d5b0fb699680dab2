//! Writes the documentation page of the tags: `cargo run -p validation-tags --example markdown`.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(validation_tags::markdown().as_bytes())
}
