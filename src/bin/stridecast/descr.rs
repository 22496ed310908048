//! Element types: the bytes of one element, from the `descr` entry of a header.
//!
//! `npy` calls [`item_size`] once per file.  Broadcasting only moves whole
//! elements, so the size is all that is needed: numbers, dates, fixed-width
//! text, raw bytes and records of them all pass.  Refused are types whose
//! elements are not their own bytes (Python objects) and types stored in the
//! byte order of another machine: nothing here swaps bytes, and handing them
//! on unlooked-at would hide the mistake.
//!
//! Invariant: a size handed out is between 1 and `isize::MAX`.

use stridecast::DType;

use crate::literal::{self, Node, Value};

/// The size in bytes of one element of the type `node`.
pub fn item_size(node: &Node<'_>) -> Result<usize, String> {
    let size = match &node.value {
        Value::Str(text) => type_string(text)?,
        Value::List(fields) => record(fields)?,
        other => {
            let kind = other.kind();
            return Err(format!("the element type is {kind}, not a type string or a list of fields"));
        }
    };
    if size == 0 {
        return Err("elements of zero bytes are not supported".into());
    }
    Ok(size)
}

/// The library's type for a `descr` that [`item_size`] has passed: what functions are defined on.
///
/// NumPy does not know bfloat16; ml_dtypes saves it as raw elements of two bytes.
pub fn dtype(descr: &[u8], raw_is_bf16: bool) -> Result<DType, String> {
    let shown = descr.escape_ascii().to_string().replace("\\'", "'");
    let node = literal::parse(descr)?;
    let Value::Str(text) = node.value else {
        return Err(format!("the elements {shown} are records, and functions take numbers; save one field"));
    };
    let known = DType::ALL.iter().find(|&&dtype| same_type(of(dtype), text));
    match known {
        Some(DType::BF16) if !raw_is_bf16 => {
            Err(format!("raw elements of two bytes ({shown}): say --dtype bf16 if they are bfloat16"))
        }
        Some(dtype) => Ok(*dtype),
        None => Err(format!("functions take numbers and bool, and these elements are {shown}")),
    }
}

/// Whether a quoted `descr` of this module and a type string are one type, byte order aside.
fn same_type(quoted: &[u8], text: &[u8]) -> bool {
    let plain = |t: &[u8]| match t {
        [b'<' | b'>' | b'=' | b'|', rest @ ..] => rest.to_vec(),
        rest => rest.to_vec(),
    };
    plain(&quoted[1..quoted.len() - 1]) == plain(text)
}

/// What NumPy writes for a type.
pub fn of(dtype: DType) -> &'static [u8] {
    // The byte order of this machine, which is the only one that gets here.
    let [little, big]: [&[u8]; 2] = match dtype {
        DType::Bool => return b"'|b1'",
        DType::I8 => return b"'|i1'",
        DType::U8 => return b"'|u1'",
        DType::F16 => [b"'<f2'", b"'>f2'"],
        DType::BF16 => [b"'<V2'", b"'>V2'"],
        DType::F32 => [b"'<f4'", b"'>f4'"],
        DType::F64 => [b"'<f8'", b"'>f8'"],
        DType::I16 => [b"'<i2'", b"'>i2'"],
        DType::I32 => [b"'<i4'", b"'>i4'"],
        DType::I64 => [b"'<i8'", b"'>i8'"],
        DType::U16 => [b"'<u2'", b"'>u2'"],
        DType::U32 => [b"'<u4'", b"'>u4'"],
        DType::U64 => [b"'<u8'", b"'>u8'"],
        DType::C64 => [b"'<c8'", b"'>c8'"],
        DType::C128 => [b"'<c16'", b"'>c16'"],
        _ => return b"'|V1'",
    };
    if cfg!(target_endian = "big") { big } else { little }
}

/// A list of `(name, type)` and `(name, type, shape)`; NumPy writes padding
/// out as unnamed fields, so the sizes simply add up.
fn record(fields: &[Node<'_>]) -> Result<usize, String> {
    let mut total = 0usize;
    for field in fields {
        let Value::Tuple(parts) = &field.value else {
            return Err(format!("a field of the element type is {}, not a tuple", field.value.kind()));
        };
        let (name, inner, shape) = match parts.as_slice() {
            [name, inner] => (name, inner, None),
            [name, inner, shape] => (name, inner, Some(shape)),
            _ => return Err("a field of the element type needs a name and a type".into()),
        };
        if !is_name(name) {
            return Err(format!("a field name of the element type is {}", name.value.kind()));
        }
        total = field_size(inner, shape).and_then(|size| checked(total.checked_add(size)))?;
    }
    Ok(total)
}

/// A string, or the pair `('title', 'name')`.
fn is_name(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Str(_) => true,
        Value::Tuple(pair) => pair.len() == 2 && pair.iter().all(|n| matches!(n.value, Value::Str(_))),
        _ => false,
    }
}

/// The size of a field: a type, perhaps a whole array of it per element.
fn field_size(node: &Node<'_>, shape: Option<&Node<'_>>) -> Result<usize, String> {
    let one = match &node.value {
        Value::Str(text) => type_string(text)?,
        Value::List(fields) => record(fields)?,
        // The other spelling of an array field: (type, shape).
        Value::Tuple(pair) if pair.len() == 2 => field_size(&pair[0], Some(&pair[1]))?,
        other => return Err(format!("the type of a field is {}", other.kind())),
    };
    let Some(shape) = shape else { return Ok(one) };
    let sizes = match &shape.value {
        Value::Tuple(sizes) => sizes.as_slice(),
        Value::Int(_) => std::slice::from_ref(shape),
        other => {
            return Err(format!("the shape of a field is {}, not a tuple", other.kind()));
        }
    };
    sizes.iter().try_fold(one, |total, node| checked(total.checked_mul(size_of(node)?)))
}

/// One size of a shape.
pub fn size_of(node: &Node<'_>) -> Result<usize, String> {
    let Value::Int(digits) = node.value else {
        return Err(format!("a size in the shape is {}, not a whole number", node.value.kind()));
    };
    if digits.starts_with('-') {
        return Err(format!("the size {digits} in the shape is negative"));
    }
    digits.parse().map_err(|_| format!("the size {digits} in the shape is too large"))
}

fn checked(size: Option<usize>) -> Result<usize, String> {
    size.filter(|&s| isize::try_from(s).is_ok()).ok_or_else(|| "the element type is too large".into())
}

/// `<f8`, `|b1`, `<U12`, `<M8[ns]`: byte order, kind, size, unit.
fn type_string(text: &[u8]) -> Result<usize, String> {
    let shown = text.escape_ascii();
    let unknown = || format!("unknown element type '{shown}'");
    let (order, rest) = match text {
        [order @ (b'<' | b'>' | b'=' | b'|'), rest @ ..] => (*order, rest),
        rest => (b'=', rest),
    };
    let (&kind, rest) = rest.split_first().ok_or_else(unknown)?;
    if kind == b'O' {
        return Err(format!(
            "object elements ('{shown}') are Python pickles, not plain values; save an array of numbers or text instead"
        ));
    }
    let digits = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, unit) = rest.split_at(digits);
    let is_unit = unit.len() > 2 && unit.starts_with(b"[") && unit.ends_with(b"]");
    if !(unit.is_empty() || is_unit && matches!(kind, b'M' | b'm')) {
        return Err(unknown());
    }
    if digits.is_empty() {
        return Err(unknown());
    }
    let count = str::from_utf8(digits).ok().and_then(|d| d.parse::<usize>().ok());
    let count = checked(count)?;
    let known = match kind {
        b'b' => count == 1,
        b'i' | b'u' => matches!(count, 1 | 2 | 4 | 8),
        // 12 and 16 are C's long double, which NumPy also calls f.
        b'f' => matches!(count, 1 | 2 | 4 | 8 | 12 | 16),
        b'c' => matches!(count, 8 | 16 | 24 | 32),
        b'M' | b'm' => count == 8,
        b'S' | b'a' | b'V' | b'U' => true,
        _ => false,
    };
    if !known {
        return Err(unknown());
    }
    let (foreign, here) = if cfg!(target_endian = "big") { (b'<', "big") } else { (b'>', "little") };
    // Bytes and one-byte values have no order; text counts in 4-byte letters.
    // Raw bytes with an order are numbers NumPy does not know, such as bfloat16.
    let ordered = !matches!(kind, b'S' | b'a') && (kind == b'U' || count > 1);
    if order == foreign && ordered {
        return Err(format!(
            "the element type '{shown}' has the byte order of another machine (this one is {here}-endian); \
             in NumPy, save a.astype(a.dtype.newbyteorder('=')) instead"
        ));
    }
    checked(count.checked_mul(if kind == b'U' { 4 } else { 1 }))
}
