//! Wrong tags do not compile, and the compiler says why.

#[test]
fn wrong_tags_are_compile_errors() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
