//! Opens a connection to a remote, whichever kind it is.
//!
//! Invariant: small messages leave at once; nothing waits for an acknowledgement to fill a packet.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::ClientConfig;
use rustls::pki_types::{InvalidDnsNameError, ServerName};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::remote::{Address, Remote};

/// An open connection.
#[derive(Debug)]
pub(crate) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// A connection could not be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("could not connect")]
    Connect(#[source] io::Error),
    #[error("could not agree on TLS")]
    Tls(#[source] io::Error),
    #[error("{host:?} can be no server's name")]
    Name { host: String, source: InvalidDnsNameError },
    #[error("no certificates were given for TLS")]
    NoTls,
}

impl Stream {
    pub(crate) async fn open(
        remote: &Remote,
        tls: Option<&Arc<ClientConfig>>,
    ) -> Result<Self, OpenError> {
        match remote {
            Remote::Unix(path) => {
                UnixStream::connect(path).await.map(Self::Unix).map_err(OpenError::Connect)
            }
            Remote::Tcp(address) => open_tcp(address).await.map(Self::Tcp),
            Remote::Tls(address) => {
                let config = Arc::clone(tls.ok_or(OpenError::NoTls)?);
                let name = ServerName::try_from(address.host.clone())
                    .map_err(|source| OpenError::Name { host: address.host.clone(), source })?;
                let stream = open_tcp(address).await?;
                let stream = TlsConnector::from(config).connect(name, stream).await;
                stream.map(|stream| Self::Tls(Box::new(stream))).map_err(OpenError::Tls)
            }
        }
    }
}

async fn open_tcp(address: &Address) -> Result<TcpStream, OpenError> {
    let place = (address.host.as_str(), address.port);
    let stream = TcpStream::connect(place).await.map_err(OpenError::Connect)?;
    stream.set_nodelay(true).map_err(OpenError::Connect)?;
    Ok(stream)
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Unix(stream) => Pin::new(stream).poll_flush(context),
            Self::Tcp(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
