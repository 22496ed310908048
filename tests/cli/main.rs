//! The command line on good and bad files: values, exit codes, messages, what is left in the folder.
//!
//! Every run goes through [`Place`], a fresh folder, so that "leaves nothing
//! behind" is a listing of that folder.

mod apply;
mod bench;
mod functions;
mod npy;
mod refusals;
mod runs;
mod sum_to;
mod values;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::thread::sleep;
#[cfg(unix)]
use std::time::{Duration, Instant};

use npy::Npy;

/// A folder of one test, gone at its end.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stridecast"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// The names in the folder, hidden ones too.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `args` with an output added; its file, taken apart.
    fn result(&self, args: &[&str], item: usize) -> Npy {
        let done = self.run(&[args, &["-o", "out.npy"]].concat());
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{args:?} is silent");
        Npy::parse(&fs::read(self.path("out.npy")).unwrap(), item)
    }

    /// Runs `args`, which must be refused with one line that has all of `words` in it.
    fn refused(&self, args: &[&str], words: &[&str]) {
        let before = self.names();
        let done = self.run(args);
        check_refused(&done, args, words);
        assert_eq!(before, self.names(), "{args:?} leaves nothing behind");
    }
}

fn check_refused(done: &Output, args: &[&str], words: &[&str]) {
    let text = String::from_utf8(done.stderr.clone()).unwrap();
    assert_eq!(done.status.code(), Some(2), "{args:?}: {text}");
    assert!(done.stdout.is_empty(), "{args:?}");
    assert_eq!(text.lines().count(), 1, "one line for {args:?}: {text}");
    assert!(text.starts_with("stridecast: ") && text.ends_with('\n'), "{args:?}: {text}");
    for word in words {
        assert!(text.contains(word), "'{word}' in the message of {args:?}: {text}");
    }
}

#[cfg(unix)]
impl Place {
    /// Runs a line of sh in which `$0` is the program.
    fn shell(&self, line: &str) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", line, env!("CARGO_BIN_EXE_stridecast")]).current_dir(self.0.path());
        command.output().unwrap()
    }

    /// Runs `args` until there is a temporary file, and sends `signal`: it ends in order and leaves nothing behind.
    fn interrupted(&self, args: &[&str], signal: &str, code: i32) {
        let before = self.names();
        let mut child = self.command(args).stderr(Stdio::piped()).spawn().unwrap();
        let started = Instant::now();
        while self.names() == before && started.elapsed() < Duration::from_secs(60) {
            sleep(Duration::from_millis(5));
        }
        assert_eq!(self.names().len(), before.len() + 1, "the temporary file");
        let killed = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status();
        assert!(killed.unwrap().success());
        while child.try_wait().unwrap().is_none() {
            if started.elapsed() > Duration::from_secs(120) {
                child.kill().unwrap();
            }
            sleep(Duration::from_millis(5));
        }
        let done = child.wait_with_output().unwrap();
        let text = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(code), "{text}");
        assert_eq!(text, "stridecast: interrupted, nothing was written\n");
        assert_eq!(self.names(), before);
    }
}
