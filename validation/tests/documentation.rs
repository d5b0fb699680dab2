//! The documentation pages say what the code does.

#[test]
fn the_page_of_tags_is_that_of_the_table() {
    let page = include_str!("../../docs/validation-tags.md");
    assert_eq!(
        page,
        validation_tags::markdown(),
        "write it anew: cargo run -p validation-tags --example markdown > docs/validation-tags.md"
    );
}
