//! Where the inputs of a campaign grew from: what libFuzzer told of who was made of whom.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha1::{Digest as _, Sha1};

use super::super::limits::{GROWN_READ, LINES_READ};
use super::super::lines::bounded_line;
use super::super::{CORPUS, JOBS, SEEDS, files};
use crate::input::Input;
use crate::ops::Op;
use crate::runner::input_ops;

/// What grew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Growth {
    /// Inputs that brought features and were made of another.
    pub inputs: u64,
    /// How many of them come from which seed, the most first; seeds without any too.
    pub seeds: Vec<SeedGrowth>,
    /// Those whose origin is not known: libFuzzer does not tell when it puts a shorter input in
    /// another's place.
    pub unknown: u64,
    /// In how many of them which kind of op is that was not, or not so often, in what they were made
    /// of; the most first.
    pub ops: Vec<OpGrowth>,
    /// Those of which that could be seen: both are there, and decode.
    pub compared: u64,
}

/// What grew from a seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeedGrowth {
    /// Its name.
    pub seed: String,
    /// Inputs that come from it.
    pub inputs: u64,
}

/// What came with a kind of op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpGrowth {
    /// The kind.
    pub op: String,
    /// Inputs that have more of it than what they were made of.
    pub inputs: u64,
}

impl Growth {
    /// From what is in a campaign's directory.
    pub fn of(directory: &Path) -> Growth {
        let seeds: HashMap<String, PathBuf> = files(&directory.join(SEEDS))
            .into_iter()
            .filter_map(|path| Some((hash(&fs::read(&path).ok()?), path)))
            .collect();
        let parents = parents(&directory.join(JOBS));
        let mut growth = Growth { inputs: parents.len() as u64, ..Growth::default() };
        let mut counts: BTreeMap<String, u64> =
            seeds.values().map(|path| (name(path), 0)).collect();
        for child in parents.keys() {
            match origin(child, &parents, &seeds) {
                Some(seed) => *counts.entry(name(seed)).or_default() += 1,
                None => growth.unknown += 1,
            }
        }
        let mut all: Vec<(String, u64)> = counts.into_iter().collect();
        all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        growth.seeds = all.into_iter().map(|(seed, inputs)| SeedGrowth { seed, inputs }).collect();
        growth.note_ops(&directory.join(CORPUS), &parents, &seeds);
        growth
    }

    fn note_ops(
        &mut self,
        corpus: &Path,
        parents: &HashMap<String, String>,
        seeds: &HashMap<String, PathBuf>,
    ) {
        let kinds = |hash: &str| {
            let path = seeds.get(hash).cloned().unwrap_or_else(|| corpus.join(hash));
            let input = Input::decode(&fs::read(path).ok()?)?;
            let mut kinds = BTreeMap::new();
            input_ops(&input).iter().for_each(|op| count(op, &mut kinds));
            Some(kinds)
        };
        let mut more: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (child, parent) in parents.iter().take(GROWN_READ) {
            let (Some(child), Some(parent)) = (kinds(child), kinds(parent)) else { continue };
            self.compared += 1;
            for (kind, count) in child {
                if count > parent.get(kind).copied().unwrap_or(0) {
                    *more.entry(kind).or_default() += 1;
                }
            }
        }
        let mut all: Vec<(&str, u64)> = more.into_iter().collect();
        all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let one = |(op, inputs): (&str, u64)| OpGrowth { op: op.into(), inputs };
        self.ops = all.into_iter().map(one).collect();
    }
}

/// An op, and those inside it, by their kinds.
fn count(op: &Op, kinds: &mut BTreeMap<&'static str, u64>) {
    *kinds.entry(op.kind()).or_default() += 1;
    if let Op::Seq { ops } | Op::Second { ops } = op {
        ops.iter().for_each(|op| count(op, kinds));
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn hash(bytes: &[u8]) -> String {
    Sha1::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Of what each input was made that was made of another, by the SHA-1 of their contents.
fn parents(jobs: &Path) -> HashMap<String, String> {
    let mut parents = HashMap::new();
    for path in
        files(jobs).into_iter().filter(|path| path.extension().is_some_and(|it| it == "dot"))
    {
        let Ok(file) = File::open(path) else { continue };
        let (mut from, mut line) = (BufReader::new(file), Vec::new());
        while parents.len() < LINES_READ && matches!(bounded_line(&mut from, &mut line), Ok(true)) {
            if let Some((parent, child)) = edge(&String::from_utf8_lossy(&line)) {
                // Made a second time it brought nothing.
                parents.entry(child).or_insert(parent);
            }
        }
    }
    parents
}

/// `"PARENT" -> "CHILD" [label="…"];`
fn edge(line: &str) -> Option<(String, String)> {
    let (parent, rest) = line.strip_prefix('"')?.split_once("\" -> \"")?;
    let (child, _) = rest.split_once('"')?;
    let is_hash = |text: &str| text.len() == 40 && text.bytes().all(|it| it.is_ascii_hexdigit());
    (is_hash(parent) && is_hash(child)).then(|| (parent.into(), child.into()))
}

/// The seed that an input comes from, through however many others.
fn origin<'a>(
    input: &str,
    parents: &HashMap<String, String>,
    seeds: &'a HashMap<String, PathBuf>,
) -> Option<&'a Path> {
    let mut seen = HashSet::new();
    let mut at = input;
    // A file that was written over may say that an input comes from itself.
    while seen.insert(at) {
        if let Some(seed) = seeds.get(at) {
            return Some(seed);
        }
        at = parents.get(at)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Op {
        Op::Read { path: path.into(), count: 1, offset: 0, mode: 0, reads: 1 }
    }

    #[test]
    fn what_grew_is_counted_by_its_seed_and_by_what_came_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let [seeds, corpus, jobs] = [SEEDS, CORPUS, JOBS].map(|name| folder.path().join(name));
        [&seeds, &corpus, &jobs].into_iter().for_each(|path| fs::create_dir(path).unwrap());
        let fresh = Op::Fresh { follower: false };
        let encode = |ops: &[Op]| Input::from_ops(ops).encode();
        let one = encode(&[fresh.clone(), read("/index")]);
        let two = encode(&[fresh.clone(), read("/index"), Op::Stat { path: "/index".into() }]);
        let three = encode(&[fresh, Op::Stat { path: "/index".into() }]);
        fs::write(seeds.join("seed-one"), &one).unwrap();
        fs::write(seeds.join("seed-two"), "x").unwrap();
        for input in [&two, &three] {
            fs::write(corpus.join(hash(input)), input).unwrap();
        }
        let (a, b, c, gone) = (hash(&one), hash(&two), hash(&three), "0".repeat(40));
        let edge =
            |from: &str, to: &str| format!("\"{to}\"\n\"{from}\" -> \"{to}\" [label=\"\"];\n");
        let circle = format!(
            "{}{}",
            edge(&"1".repeat(40), &"2".repeat(40)),
            edge(&"2".repeat(40), &"1".repeat(40))
        );
        let text = [edge(&a, &b), edge(&b, &c), edge(&gone, &"3".repeat(40)), circle].concat();
        fs::write(jobs.join("lineage-1.dot"), text + "\"torn\" -> \"x\n\"\" -> \"\"").unwrap();
        let growth = Growth::of(folder.path());
        assert_eq!((growth.inputs, growth.unknown, growth.compared), (5, 3, 2));
        let by_seed: Vec<_> = growth.seeds.iter().map(|it| (&*it.seed, it.inputs)).collect();
        assert_eq!(by_seed, [("seed-one", 2), ("seed-two", 0)]);
        assert_eq!(growth.ops, [OpGrowth { op: "stat".into(), inputs: 1 }]);
        assert_eq!(Growth::of(&folder.path().join("gone")), Growth::default());
    }
}
