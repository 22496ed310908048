//! `bench`: what its files hold, that it checks what it measures, and what it refuses. No test asserts a duration.

use std::fs;

use serde_json::{Value, json};

use crate::{Place, check_refused};

/// Batches as short as they get.
const QUICK: [&str; 3] = ["bench", "--batch-ms", "1"];

impl Place {
    fn put_cases(&self, name: &str, cases: &[Value]) {
        self.put(name, json!({"version": 1, "cases": cases}).to_string().as_bytes());
    }

    /// Runs a quick bench on a list; its table and its results by name.
    fn bench(&self, list: &str, args: &[&str]) -> (String, Value) {
        let done = self.run(&[&QUICK, args, &["--cases", list, "--json", "out.json"]].concat());
        let (text, errors) = (String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap());
        assert!(done.status.success() && errors.is_empty(), "{errors}");
        (text, serde_json::from_slice(&fs::read(self.path("out.json")).unwrap()).unwrap())
    }
}

/// A broadcast of small shapes; `extra` holds its axes or permutation.
fn case(name: &str, dtype: &str, from: &[usize], to: &[usize], extra: Value) -> Value {
    let mut case =
        json!({"name": name, "group": "A", "cls": "cache", "op": "broadcast", "dtype": dtype, "in": [from], "out": to});
    case.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    case
}

fn assert_measured(row: &Value, name: &str) {
    assert_eq!(row["check"], "ok", "{name}: {row}");
    for key in ["ns", "ns_med", "ns_oneshot", "ns_oneshot_med"] {
        assert!(row[key].as_f64().is_some_and(|t| t > 0.0), "{key} of {name}: {row}");
    }
}

#[test]
fn measures_every_element_type_and_kind_of_view() {
    let place = Place::new();
    let none = || json!({});
    let mut cases = Vec::new();
    for dtype in stridecast::DType::ALL {
        cases.push(case(&format!("up_{dtype}"), dtype.name(), &[5, 1], &[5, 7], none()));
    }
    cases.extend([
        case("tiny", "f32", &[3], &[2, 3], json!({"cls": "tiny"})),
        case("turned", "f32", &[4, 9], &[2, 9, 4], json!({"perm": [1, 0]})),
        case("turned_deep", "u8", &[2, 1, 3], &[3, 2, 5], json!({"perm": [2, 0, 1]})),
        case("mapped", "f16", &[3, 4], &[2, 3, 5, 4, 2], json!({"axes": [1, 3]})),
        case("turned_and_mapped", "c128", &[4, 3], &[2, 3, 5, 4], json!({"perm": [1, 0], "axes": [1, 3]})),
        case("rank_0", "f64", &[], &[], none()),
        case("rank_0_to_2", "f64", &[], &[3, 2], none()),
        case("empty", "i32", &[1, 0], &[3, 0], none()),
        case("emptied", "i32", &[1], &[0], none()),
        json!({"name": "later", "group": "B", "cls": "tiny", "op": "frobnicate", "dtype": "f32", "in": [[8], [1]],
               "out": [8], "axes": null}),
    ]);
    place.put_cases("list.json", &cases);
    let (text, file) = place.bench("list.json", &[]);
    assert_eq!((&file["peer"], &file["threads"], &file["mode"]), (&json!("stridecast"), &json!(1), &json!("warm")));
    assert_eq!(file["version"], env!("CARGO_PKG_VERSION"));
    for key in ["cpu", "arch", "isa"] {
        assert!(file["machine"][key].as_str().is_some_and(|s| !s.is_empty()), "{key}");
    }
    let results = file["results"].as_object().unwrap();
    assert_eq!(results.len(), cases.len());
    for (name, row) in results {
        match name.as_str() {
            "later" => assert_eq!(*row, json!({"skip": "not there yet"})),
            _ => assert_measured(row, name),
        }
        assert!(name == "later" || text.contains(name.as_str()));
        let unlimited = ["later", "tiny", "empty", "emptied"].contains(&name.as_str());
        assert_eq!(row.get("limit_ns").is_none(), unlimited, "{name}");
    }
    assert!(text.contains("not there yet: 1 cases (1 frobnicate)"));
    let limits = file["limits"].as_array().unwrap();
    assert!(limits.iter().any(|p| p["kind"] == "fill") && limits.iter().any(|p| p["kind"] == "copy"));
    assert!(limits.iter().all(|p| p["ns"].as_f64() <= p["ns_med"].as_f64()));
    assert_eq!(place.names(), ["list.json", "out.json"]);
}

/// Every function on every element type that it is defined on, with operands that broadcast on either side.
#[test]
fn measures_every_function() {
    let place = Place::new();
    let function = |op: &str, dtype: &str, operands: &[&[usize]]| {
        json!({"name": format!("{op}_{dtype}"), "group": "B", "cls": "cache", "op": op, "dtype": dtype, "in": operands,
               "out": [3, 2, 37]})
    };
    let (full, row, column): (&[_], &[_], &[_]) = (&[3, 2, 37], &[37], &[3, 1, 1]);
    let all = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    let (floats, integers) = all.split_at(4);
    let mut cases = Vec::new();
    for (ops, dtypes) in [
        ("add sub mul div pow min max fmod remainder equal ne less le gt ge", &all[..]),
        ("fmin fmax atan2 hypot approx_eq", floats),
        ("and or xor shl shr", integers),
    ] {
        let pairs = ops.split(' ').flat_map(|op| dtypes.iter().map(move |dtype| (op, dtype)));
        cases.extend(pairs.enumerate().map(|(i, (op, dtype))| match i % 3 {
            0 => function(op, dtype, &[full, row]),
            1 => function(op, dtype, &[column, full]),
            _ => function(op, dtype, &[full, full]),
        }));
    }
    for dtype in all {
        cases.push(function("where", dtype, &[column, full, &[1]]));
        cases.push(function("mul_add", dtype, &[full, row, column]));
        cases.push(function("clamp", dtype, &[full, column, &[]]));
    }
    place.put_cases("list.json", &cases);
    let (text, file) = place.bench("list.json", &[]);
    let results = file["results"].as_object().unwrap();
    assert_eq!(results.len(), cases.len());
    results.iter().for_each(|(name, row)| assert_measured(row, name));
    assert!(results.values().all(|row| row["limit_ns"].as_f64().is_some_and(|limit| limit > 0.0)), "{text}");
    let limits = file["limits"].as_array().unwrap();
    assert!(["copy", "read"].iter().all(|kind| limits.iter().any(|p| p["kind"] == *kind)));

    for (case, word) in [
        (function("add", "c64", &[full, row]), "complex"),
        (function("xor", "bool", &[full, row]), "bool"),
        (function("and", "f32", &[full, row]), "not defined"),
        (function("add", "f32", &[full]), "2 operands"),
        (function("add", "f32", &[full, &[36]]), "no common shape"),
        (function("add", "f32", &[row, row]), "[37]"),
        (function("add", "f32", &[&[1 << 40, 1], &[1, 1 << 40]]), "largest size"),
        (
            json!({"name": "add_f32", "group": "B", "cls": "tiny", "op": "add", "dtype": "f32", "in": [[8], [1]],
                "out": [8], "axes": [0]}),
            "for broadcasts",
        ),
    ] {
        place.put_cases("list.json", &[case]);
        place.refused(&[&QUICK[..], &["--cases", "list.json"]].concat(), &["list.json: case '", word]);
    }
}

/// Every reduction on every element type that it is defined on, over inner, outer and middle axes, to both types that
/// it may give.
#[test]
fn measures_every_reduction() {
    let place = Place::new();
    let reduction = |op: &str, dtype: &str, operands: &[&[usize]], out: &[usize]| {
        json!({"name": format!("{op}_{dtype}"), "group": "C", "cls": "cache", "op": op, "dtype": dtype,
               "in": operands, "out": out})
    };
    let shape: &[usize] = &[3, 5, 37];
    let outs: [&[usize]; 6] = [&[37], &[3, 5, 1], &[5, 1], &[], &[3, 1, 37], &[3, 5, 37]];
    let all = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    let wide = ["f32", "f32", "f32", "f64", "i64", "i64", "i64", "i64", "u64", "u64", "u64", "u64"];
    let mut cases = Vec::new();
    for (op, dtypes) in [("sum", 12), ("mean", 4), ("max", 12), ("min", 12), ("prod", 12)] {
        for at in 0..dtypes {
            cases.push(reduction(op, all[at], &[shape], outs[(cases.len() + at) % 6]));
            if at < 4 || op == "sum" {
                let mut case = reduction(op, all[at], &[shape], outs[at % 6]);
                case["out_dtype"] = json!(wide[at]);
                case["name"] = json!(format!("wide_{op}_{}", all[at]));
                cases.push(case);
            }
        }
    }
    for (at, dtype) in all.into_iter().enumerate() {
        cases.push(reduction("sum_of_product", dtype, &[&[5, 1], shape], outs[at % 6]));
    }
    // A sum of nothing, and no sums at all.
    for (name, shape, out) in [("none", &[0, 3], &[1, 3]), ("empty", &[0, 3], &[0, 1])] {
        let mut case = reduction("sum", "f32", &[shape], out);
        case["name"] = json!(name);
        cases.push(case);
    }
    place.put_cases("list.json", &cases);
    let (_, file) = place.bench("list.json", &[]);
    let results = file["results"].as_object().unwrap();
    assert_eq!(results.len(), cases.len());
    results.iter().for_each(|(name, row)| assert_measured(row, name));
    let limits = file["limits"].as_array().unwrap();
    assert!(["read", "copy"].iter().all(|kind| limits.iter().any(|p| p["kind"] == *kind)));

    for (case, word) in [
        (reduction("sum", "c64", &[shape], &[37]), "complex"),
        (reduction("sum", "bool", &[shape], &[37]), "bool"),
        (reduction("mean", "i32", &[shape], &[37]), "not defined"),
        (reduction("sum", "f32", &[shape, shape], &[37]), "a sum has 1 shapes"),
        (reduction("sum_of_product", "f32", &[shape], &[37]), "has 2 shapes"),
        (reduction("sum_of_product", "f32", &[shape, &[36]], &[37]), "no common shape"),
        (reduction("sum", "f32", &[shape], &[36]), "[36]"),
        (reduction("max", "f32", &[&[0, 3]], &[3]), "without an element"),
        (case("sum_f32", "f32", &[1], &[2], json!({"out_dtype": "f64"})), "'out_dtype' is for reductions"),
        (case("sum_f32", "f32", &[2], &[1], json!({"op": "sum", "axes": [0]})), "for broadcasts"),
        (case("sum_f32", "f32", &[2], &[1], json!({"op": "sum", "out_dtype": "f64"})), "not defined"),
        (case("sum_u8", "u8", &[2], &[1], json!({"op": "sum", "out_dtype": "x"})), "unknown element type"),
    ] {
        place.put_cases("list.json", &[case]);
        place.refused(&[&QUICK[..], &["--cases", "list.json"]].concat(), &["list.json: case '", word]);
    }
}

#[test]
fn takes_its_own_list_a_filter_and_threads() {
    let place = Place::new();
    let quick = |args: &[&str]| {
        let done = place.run(&[&QUICK, args].concat());
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    let text = quick(&["--filter", "a_tiny"]);
    assert_eq!(text.lines().filter(|line| line.starts_with("a_tiny_")).count(), 3, "{text}");
    assert!(!text.contains("a_l2_") && text.contains(", 1 thread\n"));
    let text = quick(&["--filter", "b_tiny"]);
    assert_eq!(text.lines().filter(|line| line.starts_with("b_tiny_")).count(), 2, "{text}");
    let text = quick(&["--filter", "c_l2_"]);
    assert_eq!(text.lines().filter(|line| line.starts_with("c_l2_")).count(), 8, "{text}");
    // Nothing to measure is no mistake.
    place.put_cases("later.json", &[case("x", "f32", &[8], &[8], json!({"op": "frobnicate"}))]);
    assert!(quick(&["--cases", "later.json"]).contains("not there yet: 1 cases (1 frobnicate)"));

    // Above the grain, so that both threads work; the limit's slices do not divide evenly.
    place.put_cases(
        "list.json",
        &[case("wide", "f32", &[1, 1021], &[300, 1021], json!({})), case("small", "u8", &[1], &[64], json!({}))],
    );
    for threads in ["2", "3"] {
        let (text, file) = place.bench("list.json", &["--threads", threads]);
        assert!(text.contains(&format!(", {threads} threads\n")));
        assert_eq!(file["threads"].to_string(), threads);
        for name in ["wide", "small"] {
            assert_measured(&file["results"][name], name);
        }
    }
}

#[test]
fn sweeps() {
    let place = Place::new();
    let (text, file) = place.bench("sweep", &["--filter", "3_f"]);
    // Rows, repeats and subtractions of rows and from columns of 3, 13, 23 and 33, in f32 and f64 and f16.
    let results = file["results"].as_object().unwrap();
    assert_eq!(results.len(), 4 * 4 * 3);
    assert!(results.values().all(|row| row["check"] == "ok" && row.get("ns_oneshot").is_none()));
    let lines: Vec<_> = text.lines().filter(|line| line.trim_start().starts_with("13 ")).collect();
    let columns: Vec<_> = lines.iter().map(|line| line.split_whitespace().count()).collect();
    assert_eq!(columns, [6, 6, 5, 5]);
    assert!(lines[0].ends_with('-') && text.contains("rows of") && text.contains("each times"), "{text}");
    let titles = ["minus rows of ", "columns minus rows of "];
    assert!(titles.iter().all(|title| text.lines().any(|line| line.starts_with(title))), "{text}");
}

#[test]
fn sweeps_over_axes() {
    let place = Place::new();
    let (text, file) = place.bench("sweep-axes", &["--filter", "33_over_7x128x33"]);
    // The orders of 7, 64 and 128 before 33 in which 7 stands before 128.
    let results = file["results"].as_object().unwrap();
    assert!(results.values().all(|row| row["check"] == "ok" && row.get("ns_oneshot").is_none()));
    let names: Vec<_> = results.keys().map(String::as_str).collect();
    let of = |shape| format!("s_{shape}x33_over_7x128x33");
    assert_eq!(names, ["64x7x128", "7x128x64", "7x64x128"].map(of), "{text}");
    let lines: Vec<_> = text.lines().filter(|line| line.ends_with('-')).collect();
    assert_eq!(lines.iter().map(|line| &line[..5]).collect::<Vec<_>>(), ["abdc ", "adbc ", "badc "], "{text}");
    assert!(lines.iter().all(|line| line.split_whitespace().filter(|word| *word == "-").count() == 13));
    let worst: Vec<_> = text.lines().filter(|line| line.starts_with("worst of neighbours")).collect();
    assert!(worst.len() == 1 && worst[0].contains("two axes exchanged: ") && worst[0].contains(&of("7x64x128")));
    place.refused(&["bench", "--cases", "sweep-axes", "--svg", "out.svg"], &["sweep"]);
}

#[test]
fn draws_a_picture() {
    let place = Place::new();
    let name = "<a> & \"b\"";
    let cases = [
        case(name, "f32", &[3, 1], &[3, 4], json!({})),
        case("turned", "f32", &[3, 4], &[4, 3], json!({"perm": [1, 0], "cls": "large"})),
        case("tiny", "f32", &[1], &[4], json!({"cls": "tiny"})),
        case("total", "u8", &[4, 3], &[3], json!({"op": "sum", "out_dtype": "u64"})),
    ];
    place.put_cases("<&>.json", &cases);
    let done = place.run(&[&QUICK[..], &["--cases", "<&>.json", "--svg", "out.svg"]].concat());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = fs::read_to_string(place.path("out.svg")).unwrap();
    assert!(text.contains("&lt;a&gt; &amp; &quot;b&quot;") && text.contains("--cases &lt;&amp;&gt;.json"));
    assert!(text.contains("turned") && text.contains("tiny") && text.contains("u8 [4,3] → [3]"));
    assert_balanced(&text);
}

/// Every tag is closed in order, every `&` starts one of the entities that are used.
fn assert_balanced(text: &str) {
    let mut open = Vec::new();
    for tag in text.split('<').skip(1) {
        let (tag, content) = tag.split_once('>').expect("a tag ends");
        assert!(!content.contains('>') && tag.matches('"').count() % 2 == 0, "{tag}");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert!(open.is_empty() && text.starts_with("<svg xmlns=") && text.trim_end().ends_with("</svg>"));
    for entity in text.split('&').skip(1) {
        assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|known| entity.starts_with(known)), "{entity}");
    }
}

#[test]
fn refuses_bad_lists() {
    let place = Place::new();
    let refused = |words: &[&str]| place.refused(&[&QUICK[..], &["--cases", "list.json"]].concat(), words);
    for (text, word) in [
        ("", "EOF"),
        ("{", "EOF"),
        ("[1, 2]", "list of cases"),
        ("{\"version\": 1}", "cases"),
        ("{\"version\": 2, \"cases\": []}", "version 2"),
        ("{\"version\": 1, \"cases\": []}", "no cases"),
        ("{\"version\": 1, \"cases\": [7]}", "case number 1"),
        ("{\"version\": 1, \"cases\": {}}", "sequence"),
        ("\u{1}", "line 1"),
        (&"[".repeat(100_000), "list.json"),
    ] {
        place.put("list.json", text.as_bytes());
        refused(&["list.json", word]);
    }
    place.put("list.json", b"{\"version\": 1, \"cases\": [\"\xff\"]}");
    refused(&["list.json"]);

    let bad = |extra: Value| case("bad", "f32", &[3, 1], &[3, 4], extra);
    for (case, word) in [
        (bad(json!({"dtype": "f8"})), "unknown element type"),
        (bad(json!({"dtype": 4})), "string"),
        (bad(json!({"cls": "huge"})), "huge"),
        (bad(json!({"axis": [1]})), "unknown field `axis`"),
        (bad(json!({"out": [4, 4]})), "[4, 4]"),
        (bad(json!({"out": [3]})), "[3]"),
        (bad(json!({"out": [-3, 4]})), "-3"),
        (bad(json!({"out": [3.5, 4]})), "3.5"),
        (bad(json!({"out": [1e99, 4]})), "1e+99"),
        (bad(json!({"out": "3,4"})), "3,4"),
        (bad(json!({"in": []})), "one shape"),
        (bad(json!({"in": [[3, 1], [1]]})), "one shape"),
        (bad(json!({"in": [3, 1]})), "integer"),
        (bad(json!({"perm": [0, 0]})), "bad"),
        (bad(json!({"perm": [1]})), "bad"),
        (bad(json!({"perm": [0, 2]})), "bad"),
        (bad(json!({"perm": [1, 0]})), "bad"),
        (bad(json!({"axes": [1, 0]})), "increasing"),
        (bad(json!({"axes": [0, 9]})), "9"),
        (bad(json!({"axes": [0]})), "bad"),
        (bad(json!({"in": [[1]], "out": [1_u64 << 31]})), "more than 4 GiB"),
        (bad(json!({"in": [[1_u64 << 40]], "out": [1_u64 << 40]})), "more than 4 GiB"),
        (bad(json!({"in": [[1]], "out": [1_u64 << 40, 1_u64 << 40]})), "bad"),
        (bad(json!({"in": [[1_u64 << 62]], "out": [1_u64 << 62]})), "bad"),
        (bad(json!({"in": [[1_u64 << 40, 0, 1_u64 << 40]], "out": [1_u64 << 40, 0, 1_u64 << 40]})), "bad"),
        (bad(json!({"out": [u64::MAX, 4]})), "bad"),
    ] {
        place.put_cases("list.json", &[self::case("good", "f32", &[1], &[2], json!({})), case]);
        refused(&["list.json", "case 'bad'", word]);
    }
    place.put_cases("list.json", &[bad(json!({})), bad(json!({}))]);
    refused(&["case 'bad'", "second"]);
    for name in ["", "a\nb", "\u{1b}[31m"] {
        place.put_cases("list.json", &[bad(json!({"name": name}))]);
        refused(&["list.json", "name"]);
    }
    place.put_cases("list.json", &[bad(json!({"name": 3}))]);
    refused(&["case number 1", "string"]);
}

#[test]
fn refuses_bad_arguments_before_it_measures() {
    let place = Place::new();
    let refused = |args: &[&str], words: &[&str]| place.refused(&[&["bench"], args].concat(), words);
    refused(&["--cases", "none.json"], &["none.json", "No such file"]);
    refused(&["--cases", "."], &["directory"]);
    refused(&["--filter", "nothing has this name"], &["'nothing has this name'", "74 cases"]);
    refused(&["--threads", "0"], &["--threads", "at least one"]);
    refused(&["--threads", "-1"], &["--threads", "negative"]);
    refused(&["--batch-ms", "0"], &["--batch-ms"]);
    refused(&["--json", "none/out.json"], &["none/out.json", "No such file"]);
    refused(&["--svg", "."], &["not a name"]);
    refused(&["--json", "one", "--svg", "one"], &["same file"]);
    refused(&["--json", "out.json", "--svg", "none/out.svg"], &["none/out.svg", "No such file"]);
    refused(&["--cases", "sweep", "--svg", "out.svg"], &["sweep"]);
    let help = place.run(&["bench", "--help"]);
    let text = String::from_utf8(help.stdout).unwrap();
    assert!(text.contains("sweep") && text.contains("--batch-ms"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    Place::new().interrupted(&["bench", "--cases", "sweep", "--json", "out.json"], "INT", 130);
}

#[test]
fn an_unknown_instruction_set_is_refused() {
    let place = Place::new();
    let args = ["bench", "--filter", "a_tiny"];
    let done = place.command(&args).env("STRIDECAST_ISA", "mmx").output().unwrap();
    check_refused(&done, &args, &["STRIDECAST_ISA", "mmx"]);
}
