//! The cluster controller among crashes and faults: the same ending as without them.
//!
//! Every story is played undisturbed, then once for every write of that play with a crash right
//! after it, then with faults and crashes by seeds that are stored here.

mod address_stories;
mod agents;
mod election;
mod ending;
mod holders;
mod node_holders;
mod single_faults;
mod stories;
mod story;
mod subnet_stories;

use std::sync::Mutex;
use std::time::Instant;

use story::{Disturbance, Played, Story};

/// How many seeds each story is played with; the seeds are 0, 1, 2, …
const SEEDS: u64 = 40;

/// Seeds with which a story once ended otherwise; all are played with them.
const FOUND: [u64; 2] = [314_072_212, 1_892_540_903];

/// Plays one story in all ways; returns in how many.
fn play_in_all_ways(story: &Story) -> Result<usize, String> {
    let told = |disturbance, why: String| format!("{} with {disturbance:?}\n{why}", story.name);
    let play = |disturbance| play(story, disturbance).map_err(|why| told(disturbance, why));
    let calm = play(Disturbance::Nothing)?;
    let leftovers = calm.ending.leftovers();
    if calm.writes == 0 || !leftovers.is_empty() {
        return Err(told(Disturbance::Nothing, format!("{} writes, {leftovers:#?}", calm.writes)));
    }
    let crashes = (1..=calm.writes).map(Disturbance::CrashAfter);
    let first = udn_lab::seed::told().unwrap_or(0);
    let seeds = (first..first.saturating_add(SEEDS)).chain(FOUND);
    let faults = seeds.map(|seed| match seed % 3 {
        0 => Disturbance::FaultsAndCrashes(seed),
        _ => Disturbance::Faults(seed),
    });
    let mut count = 1;
    for disturbance in crashes.chain(faults) {
        let difference = calm.ending.difference(&play(disturbance)?.ending);
        if !difference.is_empty() {
            return Err(told(disturbance, difference));
        }
        count += 1;
    }
    Ok(count)
}

/// Plays a story once, in a time of its own that goes on only when nobody has anything to do.
fn play(story: &Story, disturbance: Disturbance) -> Result<Played, String> {
    in_its_own_time(story.play(disturbance))
}

fn in_its_own_time<T>(test: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().expect("a runtime starts");
    runtime.block_on(test)
}

#[test]
fn lists_older_than_the_election_give_no_number_twice() {
    assert_eq!(in_its_own_time(election::with_stale_lists()), Ok(()));
}

// soak: draws from UDN_SEED
// proves: X-04
#[test]
fn every_story_ends_as_without_disturbance() {
    let stories = stories::all().into_iter().chain(address_stories::all());
    let stories = stories.chain(subnet_stories::all());
    let waiting = Mutex::new(stories.collect::<Vec<Story>>());
    let (histories, failures) = (Mutex::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(story) = next(&waiting) {
                    let begun = Instant::now();
                    match play_in_all_ways(&story) {
                        Ok(count) => {
                            println!(
                                "{}: {count} histories in {:.1?}",
                                story.name,
                                begun.elapsed()
                            );
                            *histories.lock().expect("no thread panicked") += count;
                        }
                        Err(why) => failures.lock().expect("no thread panicked").push(why),
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no thread panicked");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let histories = histories.into_inner().expect("no thread panicked");
    println!("drew: {histories} histories");
    assert!(histories >= 1_000, "only {histories} histories");
}

#[test]
fn as_many_claims_as_addresses_are_all_bound_through_a_hundred_crashes() {
    let story = address_stories::torture();
    let calm = play(&story, Disturbance::Nothing).unwrap_or_else(|why| panic!("{why}"));
    // Every controller ends after so many writes that there are about a hundred of them.
    let writes = (calm.writes / 100).max(1);
    let played =
        play(&story, Disturbance::CrashEvery(writes)).unwrap_or_else(|why| panic!("{why}"));
    println!(
        "{} writes of a calm controller, {} of {} controllers",
        calm.writes, played.writes, played.controllers
    );
    assert!(played.controllers >= 100, "only {} controllers", played.controllers);
    for played in [&calm, &played] {
        let bound = address_stories::bound(&played.ending);
        assert_eq!(bound, address_stories::TORTURED, "claims have addresses, and their pods too");
    }
}

#[test]
fn a_conflict_at_any_patch_changes_nothing() {
    let play = |patch| in_its_own_time(single_faults::conflict_at(patch));
    let endings: Vec<_> = (0..).map_while(play).collect();
    assert!(endings.len() >= 10, "only {} patches", endings.len());
    for (patch, ending) in endings.iter().enumerate() {
        assert!(ending.leftovers().is_empty(), "patch {patch}: {:#?}", ending.leftovers());
        let difference = endings[0].difference(ending);
        assert!(difference.is_empty(), "patch {patch}\n{difference}");
    }
}

#[test]
fn what_no_event_told_is_found_by_the_next_list() {
    assert!(
        in_its_own_time(single_faults::events_lost()),
        "a network of which no event told has no NAD"
    );
}

#[test]
fn an_agent_that_crashes_is_told_after_its_time_and_no_controller_forgets_it() {
    in_its_own_time(agents::crash());
}

#[test]
fn a_server_that_is_away_makes_no_agent_silent() {
    in_its_own_time(agents::server_away());
}

#[test]
fn a_list_of_the_past_stops_no_agent() {
    in_its_own_time(agents::stale_list());
}

#[test]
fn leases_go_with_their_nodes_and_come_back_with_their_agents() {
    in_its_own_time(agents::leases_deleted());
}

// soak: draws from UDN_SEED
#[test]
fn who_works_is_heard_and_who_does_not_is_not_whatever_went_wrong_meanwhile() {
    let first = udn_lab::seed::told().unwrap_or(0);
    let seeds = first..first.saturating_add(12);
    for seed in seeds.clone() {
        in_its_own_time(agents::faults(seed));
    }
    println!("drew: {} histories", seeds.count());
}

fn next(waiting: &Mutex<Vec<Story>>) -> Option<Story> {
    waiting.lock().expect("no thread panicked").pop()
}
