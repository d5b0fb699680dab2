//! Certificates and keys as files, written whole or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::{Error, Pair};

/// The pair in `<name>.crt` and `<name>.key` if it serves, else a new one.
pub(super) fn load_or_make(
    directory: &Path,
    name: &str,
    serves: impl Fn(&Pair) -> bool,
    make: impl FnOnce() -> Result<Pair, Error>,
) -> Result<Pair, Error> {
    let certificate_path = directory.join(format!("{name}.crt"));
    let key_path = directory.join(format!("{name}.key"));
    if let (Ok(certificate), Ok(key)) =
        (fs::read_to_string(&certificate_path), fs::read_to_string(&key_path))
    {
        let pair = Pair { certificate, key };
        if serves(&pair) {
            return Ok(pair);
        }
    }
    let pair = make()?;
    write(&key_path, pair.key.as_bytes(), 0o600)?;
    write(&certificate_path, pair.certificate.as_bytes(), 0o644)?;
    Ok(pair)
}

/// The key in `<name>.key`, else a new one.
pub(super) fn load_or_make_key(
    directory: &Path,
    name: &str,
    make: impl FnOnce() -> Result<String, Error>,
) -> Result<String, Error> {
    let path = directory.join(format!("{name}.key"));
    match fs::read_to_string(&path) {
        Ok(key) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let key = make()?;
            write(&path, key.as_bytes(), 0o600)?;
            Ok(key)
        }
        Err(source) => Err(Error::File { path, source }),
    }
}

/// Writes a file by a new one that takes its place.
pub(super) fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), Error> {
    replace(path, content, mode).map_err(|source| Error::File { path: path.to_owned(), source })
}

fn replace(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let directory = path.parent().unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(directory)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = directory.join(format!(".{name}.{}", std::process::id()));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(mode)
        .open(&temporary)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}
