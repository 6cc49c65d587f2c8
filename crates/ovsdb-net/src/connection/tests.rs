//! Tests of this module.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;

/// Longer than anything here takes, so that what hangs fails.
const LIMIT: Duration = Duration::from_secs(30);

#[tokio::test]
async fn two_talkative_peers_do_not_block_each_other() {
    tokio::time::timeout(LIMIT, talk_at_once()).await.expect("both go on");
}

async fn talk_at_once() {
    const AMOUNT: usize = 1 << 20;
    // The pipe holds 100 bytes: whoever only writes is stuck at once.
    let (near, mut far) = tokio::io::duplex(100);
    let peer = tokio::spawn(async move {
        // The peer writes everything before it reads anything.
        far.write_all(&vec![b'y'; AMOUNT]).await.unwrap();
        let mut heard = vec![0; AMOUNT];
        far.read_exact(&mut heard).await.unwrap();
        heard
    });
    let mut connection = Connection::new(near);
    connection.send(vec![b'x'; AMOUNT]);
    let mut received = 0;
    while received < AMOUNT || !connection.is_idle() {
        match connection.exchange().await.unwrap() {
            Progress::Received(count) => received += count,
            Progress::Sent => assert!(connection.is_idle()),
            Progress::Closed => break,
        }
    }
    assert_eq!(received, AMOUNT);
    assert_eq!(peer.await.unwrap(), vec![b'x'; AMOUNT]);
}

#[tokio::test]
async fn the_end_of_the_stream_is_told() {
    let (near, far) = tokio::io::duplex(100);
    drop(far);
    assert_eq!(Connection::new(near).exchange().await.unwrap(), Progress::Closed);
}

#[tokio::test]
async fn what_was_sent_is_given_back() {
    let (near, _far) = tokio::io::duplex(10);
    let mut connection = Connection::new(near);
    connection.send(b"0123456789".to_vec());
    assert_eq!(connection.take_spent(), None, "it is still being written");
    assert_eq!(connection.exchange().await.unwrap(), Progress::Sent);
    let spent = connection.take_spent().unwrap();
    assert!(spent.is_empty() && spent.capacity() >= 10);
    connection.send(spent);
    assert!(connection.is_idle(), "nothing is nothing to write");
}
