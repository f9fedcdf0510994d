//! The layers of the crate: imports between files, and between the top-level modules, run one way.
//!
//! The source text is read, so that a cycle is found in code for every target. An import is a path
//! that begins with `crate`, `self` or `super`, or with a module of the same file, in a `use` or
//! elsewhere. A name counts for the file that defines it, however many `pub use` it goes through.
//! A `mod.rs` stands for its folder: its own imports from the files below it do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Imports by importer. A node is a file of `src`, or a top-level module.
type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn file_imports_have_no_cycle() {
    let sources = Sources::of_the_crate();
    let files = sources.files();
    assert!(files.len() > 80, "only {} files were read", files.len());
    let imports: usize = files.values().map(BTreeSet::len).sum();
    assert!(imports > 250, "only {imports} imports were found");
    assert_eq!(cycle(&files).join(" → "), "");
}

#[test]
fn module_imports_have_no_cycle() {
    let modules = Sources::of_the_crate().modules();
    assert!(modules["memory"].contains("config"), "memory imports config");
    assert_eq!(cycle(&modules).join(" → "), "");
}

#[test]
fn a_cycle_is_found_by_its_path() {
    let sources = Sources::new([
        ("lib.rs", "mod a; pub mod b; pub use b::deep::Thing;"),
        ("a.rs", "use crate::{Thing, other::{self, Name as Alias}};\nuse std::fmt;"),
        ("b/mod.rs", "pub mod deep; mod leaf; pub use leaf::Leaf; use deep::Thing; pub struct B;"),
        ("b/deep.rs", "mod inner { use super::{super::Leaf, Thing}; }\npub struct Thing;"),
        ("b/leaf.rs", "pub struct Leaf; fn f() { crate::a::run(super::B) }"),
        ("other.rs", "pub struct Name;"),
    ]);
    let files = sources.files();
    assert_eq!(names(&files["a.rs"]), ["b/deep.rs", "other.rs"]);
    assert_eq!(names(&files["b/mod.rs"]), [""; 0]);
    assert_eq!(names(&files["b/deep.rs"]), ["b/leaf.rs"]);
    assert_eq!(names(&files["b/leaf.rs"]), ["a.rs", "b/mod.rs"]);
    assert_eq!(cycle(&files), ["a.rs", "b/deep.rs", "b/leaf.rs", "a.rs"]);
    assert_eq!(cycle(&sources.modules()), ["a", "b", "a"]);
}

#[test]
fn tests_comments_and_strings_import_nothing() {
    let sources = Sources::new([
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::B; pub struct A<'a>(&'a str, char);"),
        (
            "b.rs",
            "//! See [`crate::a`].\n/* /* nested */ use crate::a::A; */\n\
             const T: &str = r#\"use crate::a::\"A\";\"#; const C: char = '\"'; const Q: u8 = b'\\'';\n\
             #[cfg(test)] #[allow(unused)] mod tests { use crate::a::A; fn f() { if true { } } }\n\
             #[cfg(test)] use crate::a::A;\npub struct B;",
        ),
    ]);
    assert_eq!(names(&sources.files()["b.rs"]), [""; 0]);
    assert_eq!(cycle(&sources.files()), [""; 0]);
}

fn names(set: &BTreeSet<String>) -> Vec<&str> {
    set.iter().map(String::as_str).collect()
}

/// The nodes of a cycle, the first repeated at the end; empty if there is no cycle.
fn cycle(graph: &Graph) -> Vec<String> {
    fn visit<'a>(
        graph: &'a Graph,
        node: &'a str,
        done: &mut BTreeSet<&'a str>,
        path: &mut Vec<&'a str>,
    ) -> bool {
        if let Some(first) = path.iter().position(|known| *known == node) {
            path.drain(..first);
            path.push(node);
            return true;
        }
        if !done.insert(node) {
            return false;
        }
        path.push(node);
        if graph.get(node).is_some_and(|to| to.iter().any(|next| visit(graph, next, done, path))) {
            return true;
        }
        path.pop();
        false
    }
    let (mut done, mut path) = (BTreeSet::new(), Vec::new());
    graph.keys().any(|node| visit(graph, node, &mut done, &mut path));
    path.into_iter().map(String::from).collect()
}

/// The files of a crate by module path. The path of the root is empty.
struct Sources {
    by_module: BTreeMap<Vec<String>, Source>,
}

struct Source {
    /// The path below `src`.
    file: String,
    imports: Vec<Import>,
}

/// A path in a file.
struct Import {
    path: Vec<String>,
    /// The name that a `use` introduces in this module.
    name: Option<String>,
    /// Modules of the same file around it.
    depth: usize,
}

impl Sources {
    fn of_the_crate() -> Self {
        fn collect(folder: &Path, prefix: &str, into: &mut Vec<(String, String)>) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
                if entry.path().is_dir() {
                    collect(&entry.path(), &format!("{name}/"), into);
                } else if name.ends_with(".rs") {
                    into.push((name, fs::read_to_string(entry.path()).unwrap()));
                }
            }
        }
        let mut files = Vec::new();
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut files);
        Self::new(files.iter().map(|(file, text)| (file.as_str(), text.as_str())))
    }

    fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let sources = files.into_iter().map(|(file, text)| {
            let path = file.trim_end_matches(".rs").trim_end_matches("mod").trim_end_matches('/');
            let module = match path {
                "lib" => Vec::new(),
                _ => path.split('/').map(String::from).collect(),
            };
            (module, Source { file: file.into(), imports: imports(&tokens(text)) })
        });
        Self { by_module: sources.collect() }
    }

    /// Imports between files.
    fn files(&self) -> Graph {
        let graph = self.by_module.iter().map(|(module, source)| {
            let imported = source.imports.iter().filter_map(|import| self.origin(module, import));
            let counted = imported.filter(|to| !to.starts_with(module));
            (source.file.clone(), counted.map(|to| self.by_module[to].file.clone()).collect())
        });
        graph.collect()
    }

    /// Imports between top-level modules.
    fn modules(&self) -> Graph {
        let top = |file: &str| file.split('/').next().unwrap().trim_end_matches(".rs").to_string();
        let mut graph = Graph::new();
        for (from, imported) in self.files() {
            let from = top(&from);
            let others = imported.iter().map(|to| top(to)).filter(|to| *to != from);
            graph.entry(from.clone()).or_default().extend(others);
        }
        graph
    }

    /// Returns the module that defines an import, if it belongs to the crate.
    fn origin(&self, module: &[String], import: &Import) -> Option<&Vec<String>> {
        let (mut at, mut depth) = (module.to_vec(), import.depth);
        let mut rest = import.path.as_slice();
        let children = |at: &[String], name: &String| {
            self.by_module.contains_key(&[at, std::slice::from_ref(name)].concat())
        };
        match rest.first()?.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => {
                while rest.first().is_some_and(|step| step == "super") {
                    if depth > 0 {
                        depth -= 1
                    } else {
                        _ = at.pop()
                    }
                    rest = &rest[1..];
                }
                return self.find(at, rest);
            }
            _ if children(&at, rest.first()?) => return self.find(at, rest),
            _ => return None,
        }
        self.find(at, &rest[1..])
    }

    fn find(&self, mut at: Vec<String>, mut rest: &[String]) -> Option<&Vec<String>> {
        while let Some(name) = rest.first() {
            let child = [at.as_slice(), std::slice::from_ref(name)].concat();
            if self.by_module.contains_key(&child) {
                (at, rest) = (child, &rest[1..]);
                continue;
            }
            let uses = &self.by_module.get(&at)?.imports;
            let made_known =
                uses.iter().find(|known| known.depth == 0 && known.name.as_ref() == Some(name));
            return match made_known {
                Some(known) => self.origin(&at, known),
                None => self.by_module.get_key_value(&at).map(|(module, _)| module),
            };
        }
        self.by_module.get_key_value(&at).map(|(module, _)| module)
    }
}

/// Returns the words and signs of a source text, without comments, strings and characters. `::` is
/// one sign.
fn tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    while at < bytes.len() {
        let rest = &text[at..];
        let from = at;
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at = after_comment(text, at);
        } else if let Some(end) = after_raw_text(text, at) {
            at = end;
        } else if bytes[at] == b'"' {
            at = after_quoted(bytes, at, b'"');
        } else if bytes[at] == b'\'' {
            // A lifetime is not followed by a quotation mark after its first character.
            let first = rest[1..].chars().next().map_or(1, char::len_utf8);
            let is_character = rest[1..].starts_with('\\') || rest[1 + first..].starts_with('\'');
            at = if is_character { after_quoted(bytes, at, b'\'') } else { at + 1 };
        } else if is_word(bytes[at]) {
            at += bytes[at..].iter().take_while(|&&byte| is_word(byte)).count();
            found.push(&text[from..at]);
        } else {
            let length = if rest.starts_with("::") {
                2
            } else {
                rest.chars().next().map_or(1, char::len_utf8)
            };
            at += length;
            if !rest.starts_with(char::is_whitespace) {
                found.push(&text[from..at]);
            }
        }
    }
    found
}

fn after_comment(text: &str, from: usize) -> usize {
    let (mut at, mut open) = (from, 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (at, open) = (at + 2, open + 1);
        } else if rest.starts_with("*/") {
            (at, open) = (at + 2, open - 1);
        } else {
            let Some(next) = rest.chars().next() else { return at };
            at += next.len_utf8();
        }
        if open == 0 {
            return at;
        }
    }
}

/// Returns the end of a raw string that begins here.
fn after_raw_text(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let hashes_from = 1 + usize::from(rest.starts_with("br"));
    let begins = rest.starts_with('r') || rest.starts_with("br");
    let hashes = rest.get(hashes_from..)?.bytes().take_while(|&byte| byte == b'#').count();
    let quote = hashes_from + hashes;
    if !begins || !rest[quote..].starts_with('"') {
        return None;
    }
    let end = ["\"", &"#".repeat(hashes)].concat();
    rest[quote + 1..].find(&end).map(|length| at + quote + 1 + length + end.len())
}

fn after_quoted(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    at + 1
}

fn imports(tokens: &[&str]) -> Vec<Import> {
    let mut found = Vec::new();
    // The number of open braces, and those of them that hold a module of this file.
    let (mut braces, mut modules) = (0, Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        match rest {
            ["#", "[", "cfg", "(", "test", ")", "]", ..] => {
                at += item_length(rest);
                continue;
            }
            ["mod", _, "{", ..] => {
                modules.push(braces);
                braces += 1;
                at += 3;
                continue;
            }
            ["{", ..] => braces += 1,
            ["}", ..] => {
                braces -= 1;
                if modules.last() == Some(&braces) {
                    modules.pop();
                }
            }
            ["use", ..] => {
                let mut tree = &rest[1..];
                read_tree(&mut tree, &[], modules.len(), &mut found);
                at = tokens.len() - tree.len();
                continue;
            }
            ["crate" | "self" | "super", "::", ..] => {
                let names = rest.iter().step_by(2).zip(rest.iter().skip(1).step_by(2));
                let steps = names.take_while(|(_, sign)| **sign == "::").count();
                let path = rest.iter().step_by(2).take(steps + 1).map(|it| it.to_string());
                found.push(Import { path: path.collect(), name: None, depth: modules.len() });
                at += 2 * steps;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns the number of tokens of an item with its attributes.
fn item_length(tokens: &[&str]) -> usize {
    let mut open = 0;
    for (place, token) in tokens.iter().enumerate() {
        match *token {
            "{" | "[" | "(" => open += 1,
            "}" | "]" | ")" => {
                open -= 1;
                if open == 0 && *token == "}" {
                    return place + 1;
                }
            }
            ";" if open == 0 => return place + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Reads a tree of paths up to the sign that ends it.
fn read_tree(tokens: &mut &[&str], prefix: &[String], depth: usize, found: &mut Vec<Import>) {
    let (mut path, mut is_named) = (prefix.to_vec(), false);
    while let [token, after @ ..] = tokens {
        match *token {
            "::" => *tokens = after,
            "{" => {
                *tokens = after;
                loop {
                    read_tree(tokens, &path, depth, found);
                    let Some((sign, after)) = tokens.split_first() else { return };
                    *tokens = after;
                    if *sign == "}" {
                        return;
                    }
                }
            }
            "as" => {
                let name = after.first().map(|name| name.to_string());
                found.push(Import { path, name, depth });
                *tokens = &after[1..];
                return;
            }
            "," | ";" | "}" => break,
            // `self` at the end of a list is the module itself.
            "self" if !path.is_empty() => (*tokens, is_named) = (after, true),
            name => {
                path.push(name.into());
                (*tokens, is_named) = (after, true);
            }
        }
    }
    // Nothing follows the last comma of a list.
    if is_named {
        let name = path.last().cloned();
        found.push(Import { path, name, depth });
    }
}
