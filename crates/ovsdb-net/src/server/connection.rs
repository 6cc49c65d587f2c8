//! One client's connection to the server.
//!
//! Invariant: nothing is read from a client while something waits to be written to it, so a
//! client that does not read is slowed down, and in the end hung up on by the service.

use std::io;
use std::sync::Arc;

use ovsdb::service::ClientId;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::Notify;

use super::Shared;

const READ_SIZE: usize = 64 * 1024;

/// Serves a client until it leaves or has to.
pub(super) async fn run<S: AsyncRead + AsyncWrite>(shared: Arc<Shared>, stream: S) {
    let (client, bell) = shared.join();
    let seat = Seat { shared, client };
    let (reader, writer) = tokio::io::split(stream);
    if let Err(error) = converse(&seat, &bell, reader, writer).await {
        tracing::debug!(%error, "a client's connection broke");
    }
}

/// A client's place in the service, which it loses when its task ends in whatever way.
struct Seat {
    shared: Arc<Shared>,
    client: ClientId,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.shared.leave(self.client);
    }
}

async fn converse<S: AsyncRead + AsyncWrite>(
    seat: &Seat,
    bell: &Notify,
    mut reader: ReadHalf<S>,
    mut writer: WriteHalf<S>,
) -> io::Result<()> {
    let mut buffer = vec![0; READ_SIZE];
    loop {
        tokio::select! {
            read = reader.read(&mut buffer) => {
                let length = read?;
                if length == 0 {
                    return Ok(());
                }
                let received = seat.shared.act(|service, now| {
                    service.receive(seat.client, &buffer[..length], now)
                });
                if let Err(reason) = received {
                    tracing::debug!(%reason, "hung up on a client");
                    return flush(seat, bell, &mut writer).await.map(|_| ());
                }
            }
            () = bell.notified() => {}
        }
        if !flush(seat, bell, &mut writer).await? {
            tracing::debug!("hung up on a client that does not read");
            return Ok(());
        }
    }
}

/// Writes all there is to write; `false` if the client has to be hung up on.
async fn flush<S: AsyncRead + AsyncWrite>(
    seat: &Seat,
    bell: &Notify,
    writer: &mut WriteHalf<S>,
) -> io::Result<bool> {
    loop {
        let output = seat.shared.act(|service, _| service.take_output(seat.client));
        let Some(output) = output else { return Ok(false) };
        if output.is_empty() {
            return Ok(true);
        }
        let write = writer.write_all(&output);
        tokio::pin!(write);
        loop {
            tokio::select! {
                written = &mut write => {
                    written?;
                    break;
                }
                () = bell.notified() => {
                    if seat.shared.act(|service, _| service.is_lost(seat.client)) {
                        return Ok(false);
                    }
                }
            }
        }
    }
}
