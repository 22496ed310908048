//! `.npy` files made and taken apart by hand, for the tests of the command line.
//!
//! Used by the other files of this folder.  It shares no code with the
//! reader under test: headers are put together as text, so wrong ones are as
//! easy to make as right ones, and results are checked element by element with
//! [`gather`].

/// An array as it lies in a file.
#[derive(Clone, Debug)]
pub struct Npy {
    pub version: u8,
    /// The element type as Python text, quotes included.
    pub descr: String,
    pub item: usize,
    pub fortran: bool,
    pub shape: Vec<usize>,
    pub data: Vec<u8>,
}

impl Npy {
    /// An array whose bytes all differ from their neighbours.
    pub fn new(descr: &str, item: usize, shape: &[usize]) -> Npy {
        let len = shape.iter().product::<usize>() * item;
        let data = (0..len).map(|i| (i * 7 + i / 251 + 3) as u8).collect();
        Npy { version: 1, descr: descr.into(), item, fortran: false, shape: shape.into(), data }
    }

    pub fn version(self, version: u8) -> Npy {
        Npy { version, ..self }
    }

    pub fn descr(self, descr: &str) -> Npy {
        Npy { descr: descr.into(), ..self }
    }

    pub fn fortran(self) -> Npy {
        Npy { fortran: true, ..self }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let order = if self.fortran { "True" } else { "False" };
        let sizes: String = self.shape.iter().map(|size| format!("{size}, ")).collect();
        let shape = if self.shape.is_empty() { "()".into() } else { format!("({sizes})") };
        let text = format!("{{'descr': {}, 'fortran_order': {order}, 'shape': {shape}, }}", self.descr);
        [file(self.version, text.as_bytes()), self.data.clone()].concat()
    }

    /// Takes a file of `item`-byte elements apart; panics if it is not one NumPy would write.
    pub fn parse(bytes: &[u8], item: usize) -> Npy {
        assert_eq!(&bytes[..6], b"\x93NUMPY");
        let version = bytes[6];
        let (start, len) = match version {
            1 => (10, usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))),
            _ => (12, u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize),
        };
        assert_eq!((start + len) % 64, 0, "the data is aligned");
        let text: String = bytes[start..start + len].iter().map(|&b| char::from(b)).collect();
        let rest = text.strip_prefix("{'descr': ").unwrap();
        let (descr, rest) = rest.split_once(", 'fortran_order': False, 'shape': (").unwrap();
        let (sizes, rest) = rest.split_once("), }").unwrap();
        assert!(rest.ends_with('\n') && rest.trim().is_empty());
        let shape: Vec<usize> =
            sizes.split(',').map(str::trim).filter(|s| !s.is_empty()).map(|s| s.parse().unwrap()).collect();
        let data = bytes[start + len..].to_vec();
        assert_eq!(data.len(), shape.iter().product::<usize>() * item, "data of shape {shape:?}");
        Npy { version, descr: descr.into(), item, fortran: false, shape, data }
    }

    /// The bytes of one element.
    pub fn at(&self, index: &[usize]) -> &[u8] {
        let mut axes: Vec<_> = index.iter().zip(&self.shape).collect();
        if self.fortran {
            axes.reverse();
        }
        let place = axes.iter().fold(0, |place, &(&i, &size)| place * size + i);
        &self.data[place * self.item..][..self.item]
    }
}

/// A file with any header text: magic, version, length, the text, blanks and a newline.
pub fn file(version: u8, text: &[u8]) -> Vec<u8> {
    let width = if version == 1 { 2 } else { 4 };
    let total = (8 + width + text.len() + 1).next_multiple_of(64);
    let len = total - 8 - width;
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    bytes.extend(&(len as u32).to_le_bytes()[..width]);
    bytes.extend(text);
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// The data of an output of `shape` whose element at an index is `source`'s at `from(index)`.
pub fn gather(source: &Npy, shape: &[usize], from: impl Fn(&[usize]) -> Vec<usize>) -> Vec<u8> {
    let mut data = Vec::new();
    for place in 0..shape.iter().product() {
        let mut rest = place;
        let mut index = vec![0; shape.len()];
        for (i, &size) in index.iter_mut().zip(shape).rev() {
            *i = rest % size;
            rest /= size;
        }
        data.extend(source.at(&from(&index)));
    }
    data
}
