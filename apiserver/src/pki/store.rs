//! Certificates and keys as files, written whole or not at all.
//!
//! Nothing is synced: that would take longer than the rest of a first start. When the power fails
//! right after it, files may be left empty. Empty files count as not there, and are made again.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::{Error, Pair, PemFile};

/// The files of a certificate and its key.
pub(super) struct PairFiles {
    pub(super) certificate: PathBuf,
    pub(super) key: PathBuf,
}

impl PairFiles {
    pub(super) fn new(directory: &Path, name: &str) -> Self {
        Self {
            certificate: directory.join(format!("{name}.crt")),
            key: directory.join(format!("{name}.key")),
        }
    }

    /// What the files hold; nothing if there is no certificate, since it is written last.
    pub(super) fn load(&self) -> Result<Option<Pair>, Error> {
        let Some(certificate) = read_if_there(&self.certificate)? else { return Ok(None) };
        let Some(key) = read_if_there(&self.key)? else {
            if self.key.exists() {
                return Ok(None);
            }
            let why = format!(
                "its key {} is missing: put it back, or delete the certificate to have both made",
                self.key.display()
            );
            return Err(Error::Content { path: self.certificate.clone(), why });
        };
        Ok(Some(Pair { certificate, key }))
    }

    pub(super) fn save(&self, pair: Pair) -> Result<Pair, Error> {
        write(&self.key, pair.key.as_bytes(), 0o600)?;
        write(&self.certificate, pair.certificate.as_bytes(), 0o644)?;
        Ok(pair)
    }
}

/// The key in a file, else a new one.
pub(super) fn load_or_make_key(
    path: PathBuf,
    make: impl FnOnce() -> Result<String, Error>,
) -> Result<PemFile, Error> {
    let text = match read_if_there(&path)? {
        Some(key) => key,
        None => {
            let key = make()?;
            write(&path, key.as_bytes(), 0o600)?;
            key
        }
    };
    Ok(PemFile { path, text })
}

/// A file that has to be there.
pub(super) fn read(path: &Path) -> Result<PemFile, Error> {
    let text = fs::read_to_string(path).map_err(|source| failed(path, source))?;
    Ok(PemFile { path: path.to_owned(), text })
}

/// What a file holds, if it is there and not empty.
fn read_if_there(path: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(path, source)),
    }
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::File { path: path.to_owned(), source }
}

/// Writes a file by a new one that takes its place, directories included.
pub(super) fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), Error> {
    replace(path, content, mode).map_err(|source| failed(path, source))
}

fn replace(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let directory = path.parent().unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(directory)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = directory.join(format!(".{name}.{}", std::process::id()));
    // One that a killed process of the same number left may have another mode.
    drop(fs::remove_file(&temporary));
    let mut file =
        fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
    let replaced = file.write_all(content).and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        drop(fs::remove_file(&temporary));
    }
    replaced
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn private_keys_are_for_their_owner_only() {
        let directory = tempfile::tempdir().unwrap();
        let files = PairFiles::new(&directory.path().join("deep/er"), "x");
        files.save(Pair { certificate: "c".to_owned(), key: "k".to_owned() }).unwrap();
        assert_eq!((mode(&files.key), mode(&files.certificate)), (0o600, 0o644));
        assert_eq!(files.load().unwrap().unwrap().key, "k");
    }

    #[test]
    fn a_file_that_is_replaced_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        fs::write(&path, "before, readable by all").unwrap();
        write(&path, b"after", 0o600).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode(&path)), ("after", 0o600));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        let taken = directory.path().join("directory");
        fs::create_dir_all(taken.join("full")).unwrap();
        let error = write(&taken, b"", 0o600).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: ", taken.display())), "{error}");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_certificate_without_its_key_is_not_written_over() {
        let directory = tempfile::tempdir().unwrap();
        let files = PairFiles::new(directory.path(), "x");
        fs::write(&files.certificate, "c").unwrap();
        let error = files.load().unwrap_err().to_string();
        assert!(error.contains("x.crt: its key ") && error.contains("is missing"), "{error}");
        fs::remove_file(&files.certificate).unwrap();
        fs::write(&files.key, "k").unwrap();
        assert_eq!(files.load().unwrap(), None, "a start that was interrupted begins again");
        fs::write(&files.certificate, "c").unwrap();
        for path in [&files.key, &files.certificate] {
            fs::write(path, "").unwrap();
            assert_eq!(files.load().unwrap(), None, "as after a power cut: {}", path.display());
        }
        let key = load_or_make_key(files.key.clone(), || Ok("new".to_owned())).unwrap();
        assert_eq!(
            (key.text.as_str(), fs::read_to_string(&files.key).unwrap()),
            ("new", "new".to_owned())
        );
    }
}
