//! The planted defects: single deviations, each off unless `STANDIN_PLANT` names it.

mod table;

pub(super) use table::Defect;

/// One planted defect, as the table tells of it.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Plant {
    /// What `STANDIN_PLANT` says to turn it on.
    pub name: &'static str,
    /// What it breaks, in one sentence.
    pub breaks: &'static str,
    /// The invariant that should tell, or the kind of failure: `crash`, `hang`, `dropped`.
    pub invariant: &'static str,
    /// Operations it takes to show, where each does one thing: opens a pane, closes one, has one
    /// record logged.
    pub min_ops: u32,
    /// Where such a defect was seen, or why one is likely.
    pub seen: &'static str,
    #[serde(skip)]
    defect: Defect,
}

/// The table.
pub fn plants() -> &'static [Plant] {
    table::PLANTS
}

/// The defect that `name` turns on.
pub(super) fn named(name: &str) -> Option<Defect> {
    plants().iter().find(|plant| plant.name == name).map(|plant| plant.defect)
}

/// The table as it is printed: JSON, or some lines a defect.
pub(super) fn print(json: bool) -> String {
    if json {
        return serde_json::to_string_pretty(plants()).unwrap_or_default();
    }
    let lines = |plant: &Plant| {
        let Plant { name, breaks, invariant, min_ops, seen, .. } = plant;
        format!("{name}\n\t{breaks}\n\ttold by: {invariant}\n\tops: {min_ops}\n\tseen: {seen}")
    };
    plants().iter().map(lines).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::path::Path;

    /// How often each defect is asked for in the source, this module aside.
    fn used(directory: &Path, counts: &mut BTreeMap<String, usize>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("plants") {
                used(&path, counts);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = std::fs::read_to_string(&path).unwrap();
                for after in source.split("Defect::").skip(1) {
                    let end = after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len());
                    *counts.entry(after[..end].to_string()).or_default() += 1;
                }
            }
        }
    }

    #[test]
    fn the_table_and_the_code_agree() {
        let mut counts = BTreeMap::new();
        used(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/standin"), &mut counts);
        for plant in plants() {
            let variant = format!("{:?}", plant.defect);
            assert_eq!(counts.remove(&variant), Some(1), "{} has one place", plant.name);
            assert!(plant.breaks.ends_with('.') && plant.min_ops > 0, "{}", plant.name);
        }
        assert!(counts.is_empty(), "defects without a row: {counts:?}");
        let mut names: Vec<&str> = plants().iter().map(|plant| plant.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), plants().len());
    }
}
