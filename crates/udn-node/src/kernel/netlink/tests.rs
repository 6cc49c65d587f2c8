//! Messages as bytes, and answers of every kind.

use proptest::prelude::*;

use super::*;

fn answer(kind: u16, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(HEADER + body.len()).unwrap();
    let mut bytes = [length.to_ne_bytes().as_slice(), &kind.to_ne_bytes(), &[0; 10], body].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn check(bytes: &[u8], want: &[Result<Answer<'_>, i32>]) {
    let code = |error: io::Error| error.raw_os_error().unwrap_or(-1);
    let found: Vec<_> = Answers(bytes).map(|it| it.map_err(code)).collect();
    assert_eq!(found, want);
}

#[test]
fn attributes_are_padded_and_nested() {
    let inner = Attributes::default().text(2, "ab");
    let outer = Attributes::default().nest(1, &inner).number(3, 7);
    let want = [
        [12_u16.to_ne_bytes(), 0x8001_u16.to_ne_bytes()].concat(),
        [7_u16.to_ne_bytes(), 2_u16.to_ne_bytes()].concat(),
        b"ab\0\0".to_vec(),
        [8_u16.to_ne_bytes(), 3_u16.to_ne_bytes()].concat(),
        vec![0, 0, 0, 7],
    ];
    assert_eq!(outer.0, want.concat());
    assert_eq!(attribute(&outer.0, 3), Some(&[0, 0, 0, 7][..]));
    assert_eq!(attribute(attribute(&outer.0, 1).unwrap(), 2), Some(&b"ab\0"[..]));
    assert_eq!(attribute(&outer.0, 4), None);
}

/// Attributes of an object: its name, and two things that it does.
fn object(name: &str, does: [u32; 2]) -> Attributes {
    let list = does.iter().fold(Attributes::default(), |list, number| {
        list.nest(1, &Attributes::default().number(2, *number))
    });
    Attributes::default().text(1, name).nest(4, &list)
}

#[test]
fn what_the_kernel_adds_makes_no_difference_and_all_else_does() {
    let sent = object("a", [1, 2]);
    let more = Attributes::default().number(9, 5).nested_bytes(4, attribute(&sent.0, 4).unwrap());
    let told = more.text(1, "a").number(7, 7);
    assert!(holds(&told.0, &sent) && holds(&sent.0, &sent));
    for other in
        [object("b", [1, 2]), object("a", [2, 1]), object("a", [1, 3]), Attributes::default()]
    {
        assert!(!holds(&other.0, &sent), "{other:?}");
    }
    let longer = Attributes::default().text(1, "a").nest(
        4,
        &[1, 2, 3].iter().fold(Attributes::default(), |list, number| {
            list.nest(1, &Attributes::default().number(2, *number))
        }),
    );
    assert!(!holds(&longer.0, &sent), "it does more");
}

#[test]
fn messages_that_come_at_once_are_told_apart() {
    let two = [answer(0x0a06, &[1]), answer(0x0a0c, &[2, 3])].concat();
    let found: Vec<_> = each_message(&two).collect();
    assert_eq!(found[..], [Some((0x0a06, &[1][..])), Some((0x0a0c, &[2, 3][..]))]);
    assert_eq!(each_message(&two[..10]).collect::<Vec<_>>(), [None]);
}

#[test]
fn answers_are_told_apart() {
    let done = answer(ERROR, &0_i32.to_ne_bytes());
    let refused = answer(ERROR, &(-17_i32).to_ne_bytes());
    let told = answer(16, &[1, 2, 3]);
    check(&[&told[..], &done].concat(), &[Ok(Answer::Body(&[1, 2, 3])), Ok(Answer::Acknowledged)]);
    check(&refused, &[Err(17)]);
    check(&told[..10], &[Err(-1)]);
    check(&[&done[..], &[1]].concat(), &[Ok(Answer::Acknowledged), Err(-1)]);
}

// soak: draws from UDN_SEED
#[test]
fn mutated_answers_end_without_a_panic() {
    let nested = Attributes::default().nest(1, &Attributes::default().text(2, "ethtool")).0;
    let told = answer(16, &[&[0; 4], nested.as_slice()].concat());
    let sound = [
        [told.clone(), answer(ERROR, &0_i32.to_ne_bytes())].concat(),
        [told.clone(), told, answer(DONE, &[0; 4])].concat(),
        answer(ERROR, &[(-17_i32).to_ne_bytes().as_slice(), &[0; 20]].concat()),
    ];
    crate::mutations::play(31, &sound, |bytes| {
        let mut taken = 0;
        for body in Answers(bytes).take_while(Result::is_ok).flatten() {
            let Answer::Body(body) = body else { continue };
            taken += body.len();
            for kind in 0..4 {
                let _ = body.get(4..).and_then(|it| attribute(it, kind));
            }
        }
        assert!(taken <= bytes.len(), "nothing is read twice");
        assert!(Answers(bytes).count() <= bytes.len());
    });
}

proptest! {
    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn any_bytes_end_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..96)) {
        let count = Answers(&bytes).count();
        prop_assert!(count <= bytes.len());
        let _ = attribute(&bytes, 1);
    }
}
