//! What holds for any object whatsoever.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::json;

use crate::strategies::{CATALOG, spec, value, widget};

fn config(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases,
        max_global_rejects: 20 * cases,
        failure_persistence: Some(Box::new(persistence)),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(1_000))]

    /// Nothing panics, whatever is asked; and what is refused has a status.
    #[test]
    fn any_value_is_judged(new in value(), old in value(), metadata in value()) {
        let mut object = widget(new);
        object["metadata"]["ownerReferences"] = metadata.clone();
        let mut stored = widget(old);
        for verdict in [
            CATALOG.create(object.clone()),
            CATALOG.update(object.clone(), &stored),
            CATALOG.update_status(object.clone(), &stored),
        ] {
            prop_assert_eq!(verdict.is_accepted(), verdict.status().is_none());
        }
        stored["metadata"] = metadata;
        CATALOG.update(object.clone(), &stored);
        CATALOG.update(stored, &object);
    }

    /// What was accepted is accepted again, and stays as it is.
    #[test]
    fn what_is_stored_is_stored_again(spec in spec()) {
        let first = CATALOG.create(widget(spec));
        prop_assume!(first.is_accepted());
        let second = CATALOG.create(first.object.clone());
        prop_assert_eq!(second.status(), None);
        prop_assert_eq!(&second.object, &first.object);
        let update = CATALOG.update(first.object.clone(), &first.object);
        prop_assert_eq!(update.status(), None);
    }

    /// Strict errors name fields that are gone, and nothing else is.
    #[test]
    fn unknown_fields_are_told_and_removed(spec in spec(), name in "[e-w]{8,12}") {
        let mut object = widget(spec);
        let known = CATALOG.create(object.clone());
        // An object that cannot be decoded has nothing that is known or unknown.
        let is_unreadable = known.strict.is_empty()
            && known.status().is_some_and(|status| status["code"] == 400);
        prop_assume!(!is_unreadable);
        object["spec"][&name] = json!({"x": 1});
        let verdict = CATALOG.create(object);
        let text = format!("unknown field \"spec.{name}\"");
        prop_assert!(verdict.strict.iter().any(|error| error.message == text));
        prop_assert_eq!(verdict.strict.len(), known.strict.len() + 1);
        prop_assert_eq!(verdict.object, known.object);
        prop_assert_eq!(verdict.errors, known.errors);
    }
}
