//! The small part of Python's literal syntax that a `.npy` header is written in.
//!
//! Strings, whole numbers, `True`/`False`/`None`, tuples, lists and dicts, no
//! more: escapes stay as written, comments and expressions are errors.  `npy`
//! parses a header with it, `descr` walks the element type.  Works on bytes,
//! because versions 1 and 2 are Latin-1 and version 3 is UTF-8, and every
//! [`Node`] remembers where it stood so that the element type can be copied
//! to the output letter by letter.
//!
//! Invariant: any input, however wrong, ends in a value or a message: the depth
//! is bounded and nothing is allocated beyond the size of the header.

use std::ops::Range;

/// Nesting beyond this is refused; NumPy's own types stay below ten.
const MAX_DEPTH: usize = 64;

#[derive(Debug)]
pub enum Value<'a> {
    /// The bytes between the quotes, escapes untouched.
    Str(&'a [u8]),
    /// The digits as written, with a sign if there was one.
    Int(&'a str),
    Bool(bool),
    None,
    Tuple(Vec<Node<'a>>),
    List(Vec<Node<'a>>),
    Dict(Vec<(Node<'a>, Node<'a>)>),
}

#[derive(Debug)]
pub struct Node<'a> {
    pub value: Value<'a>,
    /// Where the value stands in the header.
    pub span: Range<usize>,
}

impl Value<'_> {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Str(_) => "a string",
            Value::Int(_) => "a number",
            Value::Bool(_) => "a truth value",
            Value::None => "None",
            Value::Tuple(_) => "a tuple",
            Value::List(_) => "a list",
            Value::Dict(_) => "a dict",
        }
    }
}

/// Parses one value; only blanks may follow it.
pub fn parse(text: &[u8]) -> Result<Node<'_>, String> {
    let mut parser = Parser { text, at: 0 };
    parser.blanks();
    let node = parser.value(0)?;
    parser.blanks();
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.error("unexpected text after the end")),
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn blanks(&mut self) {
        self.take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let len = rest.iter().position(|&b| !keep(b)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn error(&self, what: &str) -> String {
        format!("{what} at byte {} of the header text", self.at)
    }

    fn value(&mut self, depth: usize) -> Result<Node<'a>, String> {
        if depth > MAX_DEPTH {
            return Err(self.error("nesting too deep"));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => self.string(quote)?,
            Some(b'0'..=b'9' | b'-' | b'+') => self.int()?,
            Some(b'(') => self.parenthesis(depth)?,
            Some(b'[') => {
                self.at += 1;
                Value::List(self.items(b']', depth)?.0)
            }
            Some(b'{') => self.dict(depth)?,
            Some(b'A'..=b'Z' | b'a'..=b'z' | b'_') => self.word()?,
            Some(_) => return Err(self.error("unexpected character")),
            None => return Err(self.error("unexpected end")),
        };
        let span = start..self.at;
        Ok(Node { value, span })
    }

    fn string(&mut self, quote: u8) -> Result<Value<'a>, String> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek() {
                None | Some(b'\n') => return Err(self.error("unfinished string")),
                Some(b'\\') => self.at = (self.at + 2).min(self.text.len()),
                Some(b) if b == quote => break,
                Some(_) => self.at += 1,
            }
        }
        let inner = &self.text[start..self.at];
        self.at += 1;
        Ok(Value::Str(inner))
    }

    fn int(&mut self) -> Result<Value<'a>, String> {
        let start = self.at;
        self.at += usize::from(matches!(self.peek(), Some(b'-' | b'+')));
        if self.take_while(|b| b.is_ascii_digit()).is_empty() {
            return Err(self.error("a sign without digits"));
        }
        let end = self.at;
        // Python 2 wrote long numbers as 3L, and NumPy still reads them.
        self.eat(b'L');
        if matches!(self.peek(), Some(b'.' | b'_' | b'a'..=b'z' | b'A'..=b'Z')) {
            return Err(self.error("not a plain whole number"));
        }
        let digits = str::from_utf8(&self.text[start..end]).unwrap_or_default();
        Ok(Value::Int(digits))
    }

    fn word(&mut self) -> Result<Value<'a>, String> {
        let start = self.at;
        match self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_') {
            b"True" => Ok(Value::Bool(true)),
            b"False" => Ok(Value::Bool(false)),
            b"None" => Ok(Value::None),
            _ => {
                self.at = start;
                Err(self.error("not a plain Python value"))
            }
        }
    }

    /// `(1)` is the number, `(1,)` a tuple.
    fn parenthesis(&mut self, depth: usize) -> Result<Value<'a>, String> {
        self.at += 1;
        let (mut items, comma) = self.items(b')', depth)?;
        match items.pop() {
            Some(only) if items.is_empty() && !comma => Ok(only.value),
            last => {
                items.extend(last);
                Ok(Value::Tuple(items))
            }
        }
    }

    /// Values up to `close`, and whether a comma stood among them.
    fn items(&mut self, close: u8, depth: usize) -> Result<(Vec<Node<'a>>, bool), String> {
        let mut items = Vec::new();
        let mut comma = false;
        loop {
            self.blanks();
            if self.eat(close) {
                return Ok((items, comma));
            }
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.eat(b',') {
                comma = true;
            } else if self.peek() != Some(close) {
                return Err(self.error("',' or a closing bracket expected"));
            }
        }
    }

    fn dict(&mut self, depth: usize) -> Result<Value<'a>, String> {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.blanks();
            if self.eat(b'}') {
                return Ok(Value::Dict(entries));
            }
            let key = self.value(depth + 1)?;
            self.blanks();
            if !self.eat(b':') {
                return Err(self.error("':' expected"));
            }
            self.blanks();
            entries.push((key, self.value(depth + 1)?));
            self.blanks();
            if !self.eat(b',') && self.peek() != Some(b'}') {
                return Err(self.error("',' or '}' expected"));
            }
        }
    }
}
