//! Bearer tokens from a file: `token,user,uid,"group1,group2"`, a line each.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::User;

/// Tokens are looked up by their digest, so that how long it takes tells nothing about them.
type TokenDigest = [u8; 32];

/// The tokens of a file.
#[derive(Debug, Default)]
pub(super) struct TokenFile {
    users: BTreeMap<TokenDigest, User>,
}

impl TokenFile {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("--token-auth-file {}: {error}", path.display()))?;
        Self::parse(&text).map_err(|error| format!("--token-auth-file {}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut users = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let fields =
                fields(line).ok_or_else(|| format!("line {}: a quote is not closed", index + 1))?;
            let [token, name, uid, rest @ ..] = &fields[..] else {
                return Err(format!(
                    "line {}: needs at least token, user name and user uid, has {} fields",
                    index + 1,
                    fields.len()
                ));
            };
            if token.is_empty() {
                continue;
            }
            let groups = rest.first().map(String::as_str).unwrap_or_default();
            let groups = groups.split(',').map(str::trim).filter(|group| !group.is_empty());
            let user = User {
                name: name.clone(),
                uid: uid.clone(),
                groups: groups.map(str::to_owned).collect(),
                extra: BTreeMap::new(),
            };
            users.insert(Sha256::digest(token).into(), user);
        }
        Ok(Self { users })
    }

    pub(super) fn user(&self, token: &str) -> Option<User> {
        let digest: TokenDigest = Sha256::digest(token).into();
        self.users.get(&digest).cloned()
    }
}

/// The fields of a line; quoted ones may hold commas and doubled quotes.
fn fields(line: &str) -> Option<Vec<String>> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let field = fields.last_mut()?;
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => field.push(other),
        }
    }
    if quoted {
        return None;
    }
    Some(fields.iter().map(|field| field.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_stand_in_one_quoted_field() {
        let file = TokenFile::parse("t1,alice,1,\"dev,qa\"\n\nt2,bob,2,dev\nt3,carol,3\n").unwrap();
        assert_eq!(file.user("t1").unwrap().groups, ["dev", "qa"]);
        assert_eq!(file.user("t2").unwrap().groups, ["dev"]);
        assert_eq!(file.user("t3").unwrap().name, "carol");
        assert_eq!(file.user("t4"), None);
    }

    #[test]
    fn a_bad_line_is_named() {
        assert!(TokenFile::parse("a,b,c\nx,y\n").unwrap_err().starts_with("line 2: needs"));
        assert!(TokenFile::parse("a,\"b,c\n").unwrap_err().starts_with("line 1: a quote"));
    }
}
