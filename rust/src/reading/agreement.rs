//! Both verdicts agree: that of an independent validator, and that of the walk which explains.

use crate::json::Value;
use common::{Rng, mutated, samples};

use crate::contract::catalog::binding;
use crate::contract::versions::Version;
use crate::json::canonical::canonical;
use crate::reading::explain::explain;
use crate::reading::tolerant::relax;

#[path = "../../tests/common/mod.rs"]
mod common;

/// Looks at one value; tells whether it is valid.
fn agree(name: &str, version: Version, value: &Value) -> bool {
    let binding = binding(name, version).unwrap();
    let found = explain(&binding.room.schemas, binding.name, value);
    let is_right = !found.iter().any(crate::errors::Finding::is_shape);
    let verdict = binding.room.verdicts.of(binding.name, value);
    assert_eq!(verdict, Some(is_right), "{version} {name} {value} {found:?}");
    if is_right {
        let (closed, notes) = relax(&binding.room.schemas, binding.name, value.clone());
        assert_eq!(notes, [], "{name} {value}");
        let typed = (binding.room.family.rewrite)(binding.name, closed.clone()).unwrap().unwrap();
        assert_eq!(canonical(&typed), canonical(&closed), "{version} {name}");
    }
    is_right
}

#[test]
fn every_example_is_valid() {
    for sample in samples() {
        assert!(agree(&sample.name, sample.version.parse().unwrap(), &sample.value));
    }
}

fn agree_on(count: usize, seed: u64) {
    let (all, mut rng) = (samples(), Rng::new(seed));
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..count {
        let (sample, other) = (rng.pick(&all).clone(), rng.pick(&all).clone());
        let mut value = sample.value;
        for _ in 0..=rng.below(3) {
            value = mutated(&mut rng, &value, &other.value);
        }
        if agree(&sample.name, sample.version.parse().unwrap(), &value) {
            right += 1;
        } else {
            wrong += 1;
        }
    }
    assert!(right > count / 10 && wrong > count / 10, "{right} right, {wrong} wrong");
}

#[test]
fn changed_examples_have_one_verdict() {
    agree_on(20_000, 1);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn many_changed_examples_have_one_verdict() {
    for seed in 0..10 {
        agree_on(100_000, seed);
    }
}
