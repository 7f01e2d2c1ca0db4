//! Delta debugging over a list of anything.

/// A 1-minimal subsequence of `items` that fails: nothing more can be left out one by one. `first`
/// says which of the candidates it is given, at most `batch` at a time, is the first to fail.
pub fn ddmin<T: Clone>(
    items: &[T],
    batch: usize,
    mut first: impl FnMut(&[Vec<T>]) -> Option<usize>,
) -> Vec<T> {
    let mut items = items.to_vec();
    let mut size = items.len().div_ceil(2).max(1);
    while !items.is_empty() {
        let mut left_out = false;
        let mut start = 0;
        while start < items.len() {
            let starts: Vec<usize> =
                (start..items.len()).step_by(size).take(batch.max(1)).collect();
            let candidates: Vec<Vec<T>> = starts
                .iter()
                .map(|&from| {
                    let before = items.iter().take(from);
                    before.chain(items.iter().skip(from + size)).cloned().collect()
                })
                .collect();
            match first(&candidates) {
                // What stood before it need not be tried again in this round.
                Some(found) => {
                    start = starts[found];
                    items.clone_from(&candidates[found]);
                    left_out = true;
                }
                None => start += size * starts.len(),
            }
        }
        match (size, left_out) {
            (1, false) => break,
            // What was needed may be so no more.
            (1, true) => {}
            _ => size = size.div_ceil(2),
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exactly_what_is_needed_remains(
            needed in proptest::collection::btree_set(0usize..60, 0..6),
            length in 60usize..80,
            batch in 1usize..20,
        ) {
            let items: Vec<usize> = (0..length).collect();
            let small = ddmin(&items, batch, |candidates| {
                candidates.iter().position(|some| needed.iter().all(|one| some.contains(one)))
            });
            prop_assert_eq!(small, needed.into_iter().collect::<Vec<_>>());
        }

        /// Nothing can be left out of the result, even where leaving one out makes another needless.
        #[test]
        fn the_result_is_minimal_one_by_one(
            pairs in proptest::collection::vec((0usize..20, 0usize..20), 1..5),
        ) {
            let items: Vec<usize> = (0..20).collect();
            // Either of each pair will do.
            let fails = |some: &Vec<usize>| {
                pairs.iter().all(|(one, other)| some.contains(one) || some.contains(other))
            };
            let small = ddmin(&items, 4, |candidates| candidates.iter().position(fails));
            prop_assert!(fails(&small));
            for at in 0..small.len() {
                let mut less = small.clone();
                less.remove(at);
                prop_assert!(!fails(&less));
            }
        }
    }

    #[test]
    fn a_spent_budget_ends_it() {
        let mut asked = 0;
        let small = ddmin(&(0..1000).collect::<Vec<_>>(), 8, |_| {
            asked += 1;
            None
        });
        assert_eq!(small.len(), 1000);
        assert!(asked < 1000);
    }
}
