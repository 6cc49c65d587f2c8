//! A socket between a zone controller and one of its databases.
//!
//! Reads whole messages of both; passes them on, or lets the connection break at the very transaction
//! that the fuse says.
//! Invariant: a transaction reaches the server wholly or not at all, and the tap knows which.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ovsdb::frame::Framer;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{JoinHandle, JoinSet};

use super::fuse::{Fuse, Sent, Turn};

/// A tap; nobody gets through once it is dropped.
pub(crate) struct Tap {
    pub(crate) socket: PathBuf,
    task: JoinHandle<()>,
}

impl Tap {
    /// Opens a socket that leads to a server.
    pub(crate) fn open(socket: PathBuf, server: PathBuf, fuse: Arc<Fuse>) -> Self {
        let listener = UnixListener::bind(&socket).expect("the folder is the test's own");
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (server, fuse) = (server.clone(), Arc::clone(&fuse));
                // A connection that breaks is what a tap is for.
                connections.spawn(async move { drop(converse(client, &server, &fuse).await) });
            }
        });
        Self { socket, task }
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// One connection, until either side ends it or the fuse says so.
async fn converse(mut client: UnixStream, server: &Path, fuse: &Fuse) -> io::Result<()> {
    let mut server = UnixStream::connect(server).await?;
    let (mut asked, mut unread) = (Framer::default(), Vec::new());
    let (mut from_client, mut from_server) = ([0; 65536], [0; 65536]);
    let mut ending: Option<(Turn, Value)> = None;
    loop {
        tokio::select! {
            biased;
            length = server.read(&mut from_server) => {
                let bytes = &from_server[..some(length?)?];
                match &ending {
                    None => client.write_all(bytes).await?,
                    // Whoever is about to lose the answer hears nothing else any more.
                    Some((turn, id)) => {
                        unread.extend_from_slice(bytes);
                        if is_answered(&unread, id) {
                            return end(*turn, fuse).await;
                        }
                    }
                }
            }
            length = client.read(&mut from_client), if ending.is_none() => {
                asked.push(&from_client[..some(length?)?]);
                while let Ok(Some(message)) = asked.next_message() {
                    let Some((sent, id)) = transaction(message) else {
                        server.write_all(message).await?;
                        continue;
                    };
                    match fuse.turn(sent) {
                        Turn::Pass => server.write_all(message).await?,
                        Turn::CutBefore => return Ok(()),
                        Turn::Dead => std::future::pending().await,
                        turn @ (Turn::CutAfter | Turn::Last) => {
                            server.write_all(message).await?;
                            ending = Some((turn, id));
                            break;
                        }
                    }
                }
            }
        }
    }
}

async fn end(turn: Turn, fuse: &Fuse) -> io::Result<()> {
    if turn == Turn::Last {
        fuse.blow();
        std::future::pending::<()>().await;
    }
    Ok(())
}

/// How much was read; nothing means the end.
fn some(length: usize) -> io::Result<usize> {
    if length == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(length) }
}

/// Whether there is an answer among what a server sent; notifications have no such id.
fn is_answered(bytes: &[u8], id: &Value) -> bool {
    let text = String::from_utf8_lossy(bytes);
    [",", "}"].iter().any(|end| text.contains(&format!("\"id\":{id}{end}")))
}

/// What a message sends, and by which id it is answered; `None` if it is no transaction.
fn transaction(message: &[u8]) -> Option<(Sent, Value)> {
    let message: Value = serde_json::from_slice(message).expect("clients speak JSON");
    let params = message["params"].as_array().filter(|_| message["method"] == "transact")?;
    let (database, operations) = params.split_first()?;
    let is_change = |it: &&Value| it["op"] != "wait";
    let changes: Vec<&Value> = operations.iter().filter(is_change).collect();
    let sent = match &changes[..] {
        [one] if one["op"] == "mutate" && one["table"] == "NB_Global" => Sent::Question,
        changes => {
            let database = database.as_str().unwrap_or_default().to_owned();
            let table = |it: &&Value| it["table"].as_str().unwrap_or_default().to_owned();
            Sent::Plan { database, tables: changes.iter().map(table).collect() }
        }
    };
    Some((sent, message["id"].clone()))
}
