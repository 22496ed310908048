//! The `.npy` format: reading a header, the data behind it, writing a header.
//!
//! [`Source::open`] is called by every subcommand that takes a file, `read` by
//! those that compute, [`write_header`] by `output`.  Versions 1.0, 2.0 and 3.0
//! of the format, both storage orders, any fixed-size element (see `descr`).
//!
//! Invariant: nothing is allocated on the word of a header.  The header's
//! length, then the product of shape and element size, are held against the
//! length of the file first, so a lying file costs a message and no memory.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use stridecast::Layout;

use crate::descr;
use crate::literal::{self, Node, Value};
use crate::memory::Bytes;
use crate::report::{Failure, shape_text};
use crate::signals::Stop;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// NumPy stops at 10 kB unless told otherwise; wide records may need more.
const MAX_HEADER: u64 = 1 << 20;
/// How much is read between two looks at the stop flag.
const READ_STEP: usize = 64 << 20;

/// What a header says, checked.
#[derive(Debug)]
pub struct Header {
    /// Major version of the format: 1, 2 or 3.
    pub version: u8,
    /// The element type as the file wrote it, copied to the output verbatim.
    pub descr: Vec<u8>,
    pub item_size: usize,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
    /// Bytes of data: elements times element size.
    pub data_len: usize,
}

impl Header {
    /// How the elements lie in the data.
    pub fn layout(&self) -> stridecast::Result<Layout<'_>> {
        if self.fortran_order { Layout::f_order(&self.shape) } else { Layout::new(&self.shape) }
    }
}

/// An opened file, its header read, its position at the first data byte.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    file: File,
    pub header: Header,
}

impl Source {
    pub fn open(path: &Path) -> Result<Source, Failure> {
        let refuse = |what: String| Failure::refused(path, what);
        let cannot = |e: io::Error| refuse(format!("cannot read: {e}"));
        // Looked at before opening: opening a pipe would wait for a writer.
        let meta = path.metadata().map_err(cannot)?;
        if meta.is_dir() {
            return Err(refuse("is a directory, not a .npy file".into()));
        }
        if !meta.is_file() {
            return Err(refuse("is not a regular file".into()));
        }
        let mut file = File::open(path).map_err(cannot)?;
        let len = file.metadata().map_err(cannot)?.len();
        let header = read_header(&mut file, len).map_err(refuse)?;
        Ok(Source { path: path.into(), file, header })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All the data, in the order of the file; the file is closed, so that the output may replace it.
    pub fn read(mut self, stop: &Stop) -> Result<(Header, Bytes), Failure> {
        let want = self.header.data_len;
        let mut data = Bytes::zeroed(want)
            .ok_or_else(|| Failure::refused(&self.path, format!("not enough memory for its {want} bytes")))?;
        for step in data.chunks_mut(READ_STEP) {
            stop.check()?;
            self.file.read_exact(step).map_err(|e| match e.kind() {
                io::ErrorKind::UnexpectedEof => Failure::refused(&self.path, "became shorter while it was read"),
                _ => Failure::refused(&self.path, format!("cannot read: {e}")),
            })?;
        }
        Ok((self.header, data))
    }
}

/// What the header says, in a line.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Header { descr, fortran_order, shape, item_size, .. } = &self.header;
        let order = if *fortran_order { "Fortran" } else { "C" };
        write!(
            f,
            "{}, {order} order, {item_size}-byte elements {}",
            shape_text(shape),
            descr.escape_ascii().to_string().replace("\\'", "'")
        )
    }
}

/// Reads up to the first data byte of a file of `len` bytes.
pub fn read_header(file: &mut impl Read, len: u64) -> Result<Header, String> {
    let fill = |file: &mut dyn Read, buf: &mut [u8]| {
        file.read_exact(buf).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => "truncated: the file ends within its header".into(),
            _ => format!("cannot read: {e}"),
        })
    };
    let mut magic = [0; 6];
    if len < 6 || fill(file, &mut magic).is_err() || magic != *MAGIC {
        return Err("not a .npy file (it does not begin with \\x93NUMPY)".into());
    }
    let mut version = [0; 2];
    fill(file, &mut version)?;
    let [major, minor] = version;
    if !(1..=3).contains(&major) || minor != 0 {
        return Err(format!("unknown .npy version {major}.{minor} (1.0, 2.0 and 3.0 are known)"));
    }
    let mut length = [0; 4];
    let width = if major == 1 { 2 } else { 4 };
    fill(file, &mut length[..width])?;
    let text_len = u64::from(u32::from_le_bytes(length));
    let data_at = 8 + width as u64 + text_len;
    if data_at > len {
        return Err(format!("truncated: a header of {text_len} bytes, a file of {len}"));
    }
    if text_len > MAX_HEADER {
        return Err(format!("malformed: a header of {text_len} bytes (at most {MAX_HEADER} are read)"));
    }
    let mut text = vec![0; text_len as usize];
    fill(file, &mut text)?;
    if major == 3 && str::from_utf8(&text).is_err() {
        return Err("malformed: a version 3.0 header that is not UTF-8".into());
    }
    let header = read_text(major, &text)?;
    let found = len - data_at;
    if (header.data_len as u64) > found {
        return Err(format!(
            "truncated: shape {} of {}-byte elements needs {} bytes of data, the file has {found}",
            shape_text(&header.shape),
            header.item_size,
            header.data_len
        ));
    }
    Ok(header)
}

/// The text of the header; what it says must describe a possible array.
fn read_text(version: u8, text: &[u8]) -> Result<Header, String> {
    let malformed = |e: String| format!("malformed header: {e}");
    let [descr, fortran, shape] = entries(text).map_err(malformed)?;
    let item_size = descr::item_size(&descr)?;
    let Value::Bool(fortran_order) = fortran.value else {
        let kind = fortran.value.kind();
        return Err(malformed(format!("fortran_order is {kind}, not True or False")));
    };
    let Value::Tuple(sizes) = shape.value else {
        let kind = shape.value.kind();
        return Err(malformed(format!("the shape is {kind}, not a tuple")));
    };
    let shape: Vec<_> = sizes.iter().map(descr::size_of).collect::<Result<_, _>>().map_err(malformed)?;
    // As NumPy: even where a size is 0, the others must multiply to a possible array.
    let bytes = shape
        .iter()
        .filter(|&&size| size != 0)
        .try_fold(item_size, |n, &size| n.checked_mul(size))
        .filter(|&n| isize::try_from(n).is_ok())
        .ok_or_else(|| malformed(format!("the shape {} is too large", shape_text(&shape))))?;
    let data_len = if shape.contains(&0) { 0 } else { bytes };
    let descr = text[descr.span].to_vec();
    Ok(Header { version, descr, item_size, fortran_order, shape, data_len })
}

/// The dict of the header, which has exactly `descr`, `fortran_order` and `shape`.
fn entries(text: &[u8]) -> Result<[Node<'_>; 3], String> {
    let root = literal::parse(text)?;
    let Value::Dict(entries) = root.value else {
        return Err(format!("it is {}, not a dict", root.value.kind()));
    };
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    for (key, node) in entries {
        let slot = match key.value {
            Value::Str(b"descr") => &mut descr,
            Value::Str(b"fortran_order") => &mut fortran,
            Value::Str(b"shape") => &mut shape,
            Value::Str(other) => return Err(format!("unknown key '{}'", other.escape_ascii())),
            other => return Err(format!("a key is {}", other.kind())),
        };
        if slot.replace(node).is_some() {
            return Err("a key stands twice".into());
        }
    }
    let missing = |key: &str| format!("the key '{key}' is missing");
    Ok([
        descr.ok_or_else(|| missing("descr"))?,
        fortran.ok_or_else(|| missing("fortran_order"))?,
        shape.ok_or_else(|| missing("shape"))?,
    ])
}

/// Writes the header of a C-order array; the same bytes NumPy would write.
///
/// The version stays that of the input, because the bytes of `descr` are in
/// its encoding; only a text too long for version 1 moves it to 2.
pub fn write_header(out: &mut impl Write, version: u8, descr: &[u8], shape: &[usize]) -> io::Result<()> {
    let mut text = b"{'descr': ".to_vec();
    text.extend_from_slice(descr);
    text.extend_from_slice(b", 'fortran_order': False, 'shape': ");
    text.extend_from_slice(shape_text(shape).as_bytes());
    text.extend_from_slice(b", }");
    // Room for the first size to grow in place to 21 digits, as NumPy leaves it.
    if let Some(first) = shape.first() {
        let digits = first.to_string().len();
        text.resize(text.len() + 21usize.saturating_sub(digits), b' ');
    }
    let pad = |fixed: usize| 64 - (fixed + text.len() + 1) % 64;
    let long = version > 1 || text.len() + 1 + pad(10) > usize::from(u16::MAX);
    let version = if long { version.max(2) } else { version };
    let padding = pad(if long { 12 } else { 10 });
    text.resize(text.len() + padding, b' ');
    text.push(b'\n');

    out.write_all(MAGIC)?;
    out.write_all(&[version, 0])?;
    let too_long = || io::Error::other("the header is too long");
    if long {
        out.write_all(&u32::try_from(text.len()).map_err(|_| too_long())?.to_le_bytes())?;
    } else {
        out.write_all(&u16::try_from(text.len()).map_err(|_| too_long())?.to_le_bytes())?;
    }
    out.write_all(&text)
}
