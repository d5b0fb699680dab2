//! The static tokens of `--token-auth-file` (spec: apimachinery 5.1).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aws_lc_rs::digest::{SHA256, digest};

use super::csv::{self, CsvError, Record};
use super::token::{TokenAuthenticator, TokenUser, implicit_audiences};
use crate::user::User;

/// A token file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenFileError {
    /// The file cannot be read.
    #[error("token file {path:?} cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The text is no list of comma-separated values.
    #[error("token file: {0}")]
    Csv(#[from] CsvError),
    /// A line lacks columns.
    #[error(
        "token file: line {line}: must have at least 3 columns (token, user name, user uid), \
         found {found}"
    )]
    TooFewColumns {
        /// The line, from 1.
        line: usize,
        /// How many columns it has.
        found: usize,
    },
}

/// Users by their tokens. Tokens are kept and looked up as hashes, so that the time a lookup takes
/// says nothing about them.
pub struct TokenFile {
    users: BTreeMap<Vec<u8>, User>,
    api_audiences: Vec<String>,
}

impl TokenFile {
    /// Reads lines `token,user,uid[,"group,group"]`. Further columns and lines with an empty token
    /// are ignored; of several lines with the same token the last counts.
    ///
    /// # Errors
    /// [`TokenFileError`] with the line of the first mistake.
    pub fn parse(text: &str, api_audiences: Vec<String>) -> Result<Self, TokenFileError> {
        let mut users = BTreeMap::new();
        for record in csv::records(text)? {
            let (token, user) = read_record(record)?;
            if !token.is_empty() {
                users.insert(hash(&token), user);
            }
        }
        Ok(Self { users, api_audiences })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`TokenFileError`]
    pub fn read(path: &Path, api_audiences: Vec<String>) -> Result<Self, TokenFileError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| TokenFileError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&text, api_audiences)
    }
}

impl TokenAuthenticator for TokenFile {
    fn authenticate_token(
        &self,
        token: &str,
        audiences: &[String],
        _: i64,
    ) -> Result<Option<TokenUser>, String> {
        let Some(audiences) = implicit_audiences(&self.api_audiences, audiences) else {
            return Ok(None);
        };
        let user = self.users.get(&hash(token)).cloned();
        Ok(user.map(|user| TokenUser { user, audiences }))
    }
}

fn read_record(record: Record) -> Result<(String, User), TokenFileError> {
    let Record { line, fields } = record;
    let found = fields.len();
    let mut fields = fields.into_iter();
    let (Some(token), Some(name), Some(uid)) = (fields.next(), fields.next(), fields.next()) else {
        return Err(TokenFileError::TooFewColumns { line, found });
    };
    let groups = fields.next().unwrap_or_default();
    let groups = groups.split(',').filter(|group| !group.is_empty());
    Ok((token, User { uid, ..User::new(name).with_groups(groups) }))
}

fn hash(token: &str) -> Vec<u8> {
    digest(&SHA256, token.as_bytes()).as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(file: &str, token: &str) -> Option<User> {
        let file = TokenFile::parse(file, Vec::new()).unwrap();
        file.authenticate_token(token, &[], 0).unwrap().map(|found| found.user)
    }

    #[test]
    fn lines_give_name_uid_and_groups() {
        let file = "t1,alice,u1,\"dev,qa\",ignored\nt2,bob,u2\n";
        let alice = User { uid: "u1".to_owned(), ..User::new("alice").with_groups(["dev", "qa"]) };
        assert_eq!(user(file, "t1"), Some(alice));
        assert_eq!(user(file, "t2"), Some(User { uid: "u2".to_owned(), ..User::new("bob") }));
        assert_eq!(user(file, "t3"), None);
    }

    #[test]
    fn empty_tokens_are_no_tokens_and_later_lines_win() {
        let file = ",nobody,u\nt,first,u\nt,second,u\n";
        assert_eq!(user(file, ""), None);
        assert_eq!(user(file, "t").map(|user| user.name), Some("second".to_owned()));
    }

    #[test]
    fn short_lines_are_errors_with_their_line() {
        let error = TokenFile::parse("t,alice,u\n\nt2,bob\n", Vec::new()).err().unwrap();
        assert_eq!(
            error.to_string(),
            "token file: line 3: must have at least 3 columns (token, user name, user uid), found 2"
        );
    }

    #[test]
    fn broken_quotes_are_errors_with_their_line() {
        let error = TokenFile::parse("t,alice,u\nt2,b\"ob,u\n", Vec::new()).err().unwrap();
        assert_eq!(error.to_string(), "token file: line 2: bare \" in non-quoted field");
    }

    #[test]
    fn missing_files_are_named() {
        let error = TokenFile::read(Path::new("/does/not/exist"), Vec::new()).err().unwrap();
        assert!(error.to_string().starts_with("token file \"/does/not/exist\" cannot be read: "));
    }

    #[test]
    fn static_tokens_are_meant_for_the_server_alone() {
        let own = vec!["api".to_owned(), "alias".to_owned()];
        let file = TokenFile::parse("t,alice,u", own.clone()).unwrap();
        let asked = |audiences: &[&str]| {
            let audiences: Vec<_> = audiences.iter().map(|&audience| audience.to_owned()).collect();
            file.authenticate_token("t", &audiences, 0).unwrap().map(|found| found.audiences)
        };
        assert_eq!(asked(&["alias", "other", "api"]), Some(own));
        assert_eq!(asked(&["other"]), None);
        assert_eq!(asked(&[]), Some(Vec::new()));
    }
}
