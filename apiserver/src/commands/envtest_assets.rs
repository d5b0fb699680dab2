//! `apiserver envtest-assets`: makes a folder for `KUBEBUILDER_ASSETS`.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::Findings;
use crate::envtest::Persona;
use crate::options::Exit;

pub(super) const NAME: &str = "envtest-assets";
const KUBECTL: &str = "kubectl";

/// Where the assets are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    folder: PathBuf,
    copy: bool,
}

pub(super) fn parser() -> Command {
    Command::new(NAME)
        .about("Make a folder for KUBEBUILDER_ASSETS, from which envtest starts this server")
        .arg(Arg::new("folder").value_name("DIR").help("The folder; made where it is not there"))
        .arg(
            Arg::new("copy")
                .long("copy")
                .action(ArgAction::SetTrue)
                .help("Copy the program instead of linking to it, for folders that are moved"),
        )
}

impl Arguments {
    pub(super) fn read(matches: &ArgMatches) -> Result<Self, Exit> {
        let folder = matches.get_one::<String>("folder").map(PathBuf::from);
        let missing = || Exit::failure(["which folder? name one".to_owned()]);
        Ok(Self { folder: folder.ok_or_else(missing)?, copy: matches.get_flag("copy") })
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Findings, Exit> {
    let Arguments { folder, copy } = arguments;
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |why: io::Error| Exit::failure([format!("{path}: {why}")])
    };
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let folder = fs::canonicalize(folder).map_err(failed(folder))?;
    let own = std::env::current_exe().and_then(fs::canonicalize);
    let own = own.map_err(failed(Path::new("this program")))?;
    for (name, _) in Persona::NAMES {
        let asset = folder.join(name);
        put(&own, &asset, *copy).map_err(failed(&asset))?;
    }
    let kubectl = folder.join(KUBECTL);
    let note = match on_path(KUBECTL).filter(|found| *found != kubectl) {
        Some(found) => {
            put(&found, &kubectl, false).map_err(failed(&kubectl))?;
            ""
        }
        None if kubectl.exists() => "",
        None => "# There is no kubectl on PATH: tests that need one will say so.\n",
    };
    let text = format!("{note}export KUBEBUILDER_ASSETS={}\n", quoted(&folder));
    Ok(Findings { text, ok: true })
}

/// Puts a program under another name, in one step: whoever starts it meanwhile finds the old one or
/// the new one.
fn put(program: &Path, asset: &Path, copy: bool) -> io::Result<()> {
    let draft = asset.with_extension(format!("{}.draft", std::process::id()));
    if copy {
        fs::copy(program, &draft)?;
    } else {
        symlink(program, &draft)?;
    }
    fs::rename(&draft, asset).inspect_err(|_| drop(fs::remove_file(&draft)))
}

/// The program of that name that a shell would start.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let candidates = std::env::split_paths(&path).map(|folder| folder.join(name));
    let mut programs = candidates.filter(|candidate| {
        fs::metadata(candidate).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    });
    programs.next()
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_holds_the_program_under_both_names() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("a b");
        let arguments = Arguments { folder: folder.clone(), copy: false };
        // Twice: a folder that is there is brought up to date.
        run(&arguments).unwrap();
        let findings = run(&arguments).unwrap();
        let own = fs::canonicalize(std::env::current_exe().unwrap()).unwrap();
        for name in ["kube-apiserver", "etcd"] {
            assert_eq!(fs::canonicalize(folder.join(name)).unwrap(), own);
        }
        let last = findings.text.lines().last().unwrap();
        assert!(last.starts_with("export KUBEBUILDER_ASSETS='/"), "{last}");
        let left = fs::read_dir(&folder).unwrap().count();
        assert!(left <= 3, "{left}");
    }

    #[test]
    fn a_copy_stands_by_itself() {
        let outer = tempfile::tempdir().unwrap();
        let (program, asset) = (outer.path().join("p"), outer.path().join("a"));
        fs::write(&program, "x").unwrap();
        put(&program, &asset, true).unwrap();
        fs::remove_file(&program).unwrap();
        assert_eq!(fs::read_to_string(&asset).unwrap(), "x");
    }
}
