//! Two candidates never lead at the same time, whatever the network and their clocks do.
//!
//! Requests come late, twice too late, or not at all; answers get lost; programs crash, restart and
//! give the lease back; clocks run up to a tenth too fast or too slow.
//! Invariant: a seed gives the same history every time.

mod simulation;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use simulation::{Clock, Simulation};

/// A clock that runs at most a tenth wrong, and started at some other time.
fn clock() -> impl Strategy<Value = Clock> {
    (900_u64..=1100, 0_u64..1_000_000_000).prop_map(|(rate, start)| Clock { rate, start })
}

/// What fails is kept beside this file.
fn config() -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: 2_000,
        failure_persistence: Some(Box::new(persistence)),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn nobody_leads_beside_another(seed in any::<u64>(), clocks in [clock(), clock()]) {
        let mut simulation = Simulation::new(seed, clocks);
        simulation.run_until(60_000_000);
        prop_assert!(simulation.overlap.is_none(), "both led at {:?}", simulation.overlap);
    }

    #[test]
    fn somebody_leads_once_all_is_calm(seed in any::<u64>(), clocks in [clock(), clock()]) {
        let mut simulation = Simulation::new(seed, clocks);
        simulation.run_until(20_000_000);
        simulation.calm();
        simulation.run_until(40_000_000);
        prop_assert_eq!(simulation.leaders(), 1);
        prop_assert!(simulation.overlap.is_none(), "both led at {:?}", simulation.overlap);
    }
}
