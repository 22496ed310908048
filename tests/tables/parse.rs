//! The format of the tables, see `tests/data/README.md`.

use stridecast::{Rule, Side};

/// The first column of a row.
#[derive(Debug, PartialEq)]
pub enum Kind {
    Numpy,
    Bidirectional,
    Axes(Vec<usize>),
    Drop(Vec<usize>),
    Like(Vec<usize>),
    Pdpd(Option<usize>),
    Mutual,
    Ufunc,
    Tile,
    Repeat,
    RepeatTile,
    Expand(Side),
}

impl Kind {
    pub fn parse(text: &str) -> Self {
        match text.split_once(':') {
            Some(("axes", list)) => Self::Axes(shape(list)),
            Some(("drop", list)) => Self::Drop(shape(list)),
            Some(("like", list)) => Self::Like(shape(list)),
            Some(("pdpd", "none")) => Self::Pdpd(None),
            Some(("pdpd", axis)) => Self::Pdpd(Some(number(axis))),
            Some(_) => panic!("unknown rule {text:?}"),
            None => Self::parse_plain(text),
        }
    }

    fn parse_plain(text: &str) -> Self {
        match text {
            "numpy" => Self::Numpy,
            "bidirectional" => Self::Bidirectional,
            "mutual" => Self::Mutual,
            "ufunc" => Self::Ufunc,
            "tile" => Self::Tile,
            "repeat" => Self::Repeat,
            "repeat+tile" => Self::RepeatTile,
            "expand-left" => Self::Expand(Side::Left),
            "expand-right" => Self::Expand(Side::Right),
            _ => panic!("unknown rule {text:?}"),
        }
    }

    /// The rule of the crate, for the kinds that are one.
    pub fn rule(&self) -> Option<Rule<'_>> {
        Some(match self {
            Self::Numpy => Rule::Numpy,
            Self::Bidirectional => Rule::Bidirectional,
            Self::Axes(axes) => Rule::AxesMapping(axes),
            Self::Drop(axes) => Rule::BroadcastAxes(axes),
            Self::Like(axes) => Rule::BroadcastLike(axes),
            Self::Pdpd(axis) => Rule::Pdpd { axis: *axis },
            _ => return None,
        })
    }
}

pub fn number(text: &str) -> usize {
    text.trim().parse().unwrap_or_else(|_| panic!("not a number: {text:?}"))
}

/// `2,3` or `-` for rank 0.
pub fn shape(text: &str) -> Vec<usize> {
    match text.trim() {
        "-" => Vec::new(),
        sizes => sizes.split(',').map(number).collect(),
    }
}

/// `2,3 ; 4 *2`, or `.` for none.
pub fn shapes(text: &str) -> Vec<Vec<usize>> {
    let text = text.trim();
    if text == "." {
        return Vec::new();
    }
    let mut all = Vec::new();
    for part in text.split(';') {
        let (sizes, count) = part.split_once('*').map_or((part, 1), |(sizes, count)| (sizes, number(count)));
        all.extend(std::iter::repeat_n(shape(sizes), count));
    }
    all
}

/// The lines of a table, split into exactly `columns` columns.
pub fn rows(table: &str, columns: usize) -> Vec<(usize, Vec<&str>)> {
    let lines = table.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            let cells: Vec<&str> = line.splitn(columns, '|').map(str::trim).collect();
            assert_eq!(cells.len(), columns, "line {number}: {line}");
            (number, cells)
        })
        .collect()
}
