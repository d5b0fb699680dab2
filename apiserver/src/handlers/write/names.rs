//! Names that the server makes.

/// The longest start of a generated name, in bytes.
const GENERATE_NAME_BYTES_MAX: usize = 58;
/// What generated names end in: no vowels, so that no words come out.
const NAME_CHARACTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

pub(crate) fn generated_start(generate_name: &str) -> String {
    let mut end = generate_name.len().min(GENERATE_NAME_BYTES_MAX);
    while !generate_name.is_char_boundary(end) {
        end -= 1;
    }
    generate_name[..end].to_owned()
}

pub(crate) fn random_suffix() -> String {
    let random = uuid::Uuid::new_v4();
    let letters = random.as_bytes()[..5].iter();
    letters
        .map(|byte| char::from(NAME_CHARACTERS[usize::from(*byte) % NAME_CHARACTERS.len()]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_are_cut_to_make_room() {
        assert_eq!(generated_start(&"x".repeat(100)).len(), GENERATE_NAME_BYTES_MAX);
        assert_eq!(generated_start("a-"), "a-");
        let suffix = random_suffix();
        assert!(suffix.len() == 5 && suffix.bytes().all(|b| NAME_CHARACTERS.contains(&b)));
    }
}
