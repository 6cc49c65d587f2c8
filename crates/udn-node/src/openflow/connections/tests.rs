//! Messages as the switch's own tool sends them.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::super::connection::{self, Connection};
use super::*;

fn check(zone: u16, address: &str, side: Side, want: &str) {
    let found: Vec<String> = forget(zone, address.parse().unwrap(), side)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(found.concat(), want.replace(' ', ""));
}

#[test]
fn a_message_names_one_zone_and_one_address() {
    let four = "06040040 00000000 00002320 00000020 0000000000000000 0000002000000000 \
                0000001400000000000000000000ffff0a01020300000000 0002000800070000";
    check(7, "10.1.2.3", Side::Began, four);
    let six = "06040040 00000000 00002320 00000020 0000000000000000 0001002000000000 \
               00000014fd10000000000000000000000000000500000000 0002000800090000";
    check(9, "fd10::5", Side::Answers, six);
}

/// What switches answer, message by message.
fn answers() -> Vec<Vec<u8>> {
    // One flow, which matches a sender's MAC.
    let flow = [
        [0, 48, 0, 0].as_slice(),
        &[0; 20],
        &[0, 1, 0, 14, 0x80, 0, 8, 6, 0x0a, 0x58, 0x0a, 0x0a, 0, 3, 0, 0],
        &[0; 8],
    ];
    let flows = [&[0, 1, 0, 0, 0, 0, 0, 0], flow.concat().as_slice()].concat();
    let (hello, echo, error, multipart, barrier) = (0, 2, 1, 19, 21);
    vec![
        [message(hello, &[0, 1, 0, 8, 0, 0, 0, 0x7e]), message(barrier, &[])].concat(),
        [message(echo, b"x"), message(multipart, &flows), message(barrier, &[])].concat(),
        message(error, &[0, 5, 0, 2, 1, 2, 3]),
    ]
}

// soak: draws from UDN_SEED
#[test]
fn mutated_flows_end_without_a_panic() {
    let sound: Vec<Vec<u8>> = answers().iter().map(|it| it[8..].to_vec()).collect();
    crate::mutations::play(34, &sound, |bytes| {
        let found = connection::guarded(&[bytes.to_vec()]);
        assert!(found.len() <= bytes.len());
    });
}

/// How many answers go over a connection: each takes longer than to read bytes alone.
const CONVERSATIONS: usize = 4000;

// soak: draws from UDN_SEED
#[tokio::test]
async fn mutated_answers_are_values_or_errors() {
    let (answers, mut dice) = (answers(), crate::mutations::Dice::new(35));
    for number in 0..CONVERSATIONS {
        let bytes = dice.mutate(&answers[number % answers.len()]);
        let (ours, mut theirs) = tokio::net::UnixStream::pair().unwrap();
        let switch = async {
            let _ = theirs.write_all(&bytes).await;
            let _ = theirs.shutdown().await;
            // Whatever is asked is taken, so that the asker never meets a closed connection.
            let _ = theirs.read_to_end(&mut Vec::new()).await;
        };
        let asks = async {
            let mut connection = Connection(ours);
            let told = connection.ask(&Requests::list()).await;
            told.is_ok_and(|all| all.iter().map(Vec::len).sum::<usize>() > bytes.len())
        };
        let (is_more, ()) = tokio::join!(asks, switch);
        assert!(!is_more, "more is told than was said: {bytes:02x?}");
    }
    println!("drew: {CONVERSATIONS} inputs");
}

// soak: draws from UDN_SEED
#[test]
fn mutated_words_of_the_tool_end_without_a_panic() {
    let sound = [
        " 1(eth0): addr:7e:49:b9:53:95:86\n     config:     NO_FLOOD\n LOCAL(br-ex): addr:02:42\n",
        "-table=1 priority=14 actions=drop\n+table=2,priority=250 actions=output:3\n",
        " event=ADDED table=0 cookie=0x75646e00000001 icmp6,dl_src=0a:58:0a:0a:00:03,icmp_type=134\n",
    ];
    let sound = sound.map(|it| it.as_bytes().to_vec());
    crate::mutations::play(36, &sound, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        assert!(super::super::loud_ports(&text).len() <= text.len());
        let revision = udn_host::revision::Revision::of(&text);
        let changes = revision.added + revision.removed;
        assert!(changes <= text.lines().count() && revision.bundle.len() <= 2 * text.len() + 64);
        assert!(udn_host::guard::macs(&text).len() <= text.len());
    });
}
