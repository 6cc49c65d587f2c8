//! Listens to every frame of a link, and puts frames of any shape on it.
//!
//! Reads a namespace and the name of a link there; returns a [`Capture`] that keeps what passes, or
//! a [`Wire`] that sends. What a frame says is decoded in [`frame`].
//! Invariant: a capture keeps everything from its start on, or says that it did not.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{
    AddressFamily, LinkAddr, MsgFlags, SockFlag, SockProtocol, SockType, bind, recvfrom, sendto,
    setsockopt, socket, sockopt,
};
use nix::sys::time::{TimeVal, TimeValLike};

use crate::namespaces::{Namespace, NamespaceError};
use crate::wait::TimedOut;

pub mod frame;
#[cfg(test)]
mod tests;

pub use frame::{Arp, Direction, Frame, Mac};

/// How many frames a capture keeps; more are counted only.
const ROOM: usize = 20_000;
/// How much the kernel keeps for a capture that is late, in bytes.
const BACKLOG: usize = 16 << 20;
/// How often a capture looks whether it is over.
const GLANCE: Duration = Duration::from_millis(50);
/// The longest frame, with room for offloads.
const LONGEST: usize = 65_600;
/// What the kernel calls a frame that leaves.
const OUTGOING: u8 = 4;

/// Why frames could not be heard or sent.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    #[error("could not reach the namespace of the link")]
    Namespace {
        #[from]
        source: NamespaceError,
    },
    #[error("there is no link {link} in {namespace}")]
    NoSuchLink { link: String, namespace: PathBuf },
    #[error("could not open a packet socket on {link}")]
    Open { link: String, source: io::Error },
    #[error("could not send a frame on {link}")]
    Send { link: String, source: io::Error },
}

/// A link whose frames are kept.
#[derive(Debug)]
pub struct Capture {
    link: String,
    shelf: Arc<Shelf>,
    thread: Option<JoinHandle<()>>,
}

/// What a capture has heard so far.
#[derive(Debug, Default)]
struct Shelf {
    heard: Mutex<Heard>,
    news: Condvar,
    is_done: AtomicBool,
}

#[derive(Debug, Default)]
struct Heard {
    frames: Vec<Frame>,
    lost: usize,
    failure: Option<Errno>,
}

impl Capture {
    /// Begins to keep the frames of a link; those sent after this returns are in it.
    pub fn start(namespace: &Namespace, link: &str) -> Result<Self, CaptureError> {
        let (socket, address) = open(namespace, link)?;
        let shelf = Arc::new(Shelf::default());
        let (own, index) = (Arc::clone(&shelf), address.ifindex());
        let thread = Some(thread::spawn(move || listen(&socket, index, &own)));
        Ok(Self { link: link.to_owned(), shelf, thread })
    }

    /// All frames until now.
    ///
    /// # Panics
    /// Panics when some were lost, because then nothing can be said about what was not heard.
    pub fn frames(&self) -> Vec<Frame> {
        self.heard().frames.clone()
    }

    /// Waits until a frame is as wanted, also among those already heard.
    pub fn wait_for(
        &self,
        what: &str,
        limit: Duration,
        is_wanted: impl Fn(&Frame) -> bool,
    ) -> Result<Frame, TimedOut> {
        let frames = self.wait_for_several(what, limit, 1, is_wanted)?;
        Ok(frames.into_iter().next().expect("one was waited for"))
    }

    /// Waits until so many frames are as wanted; returns all that are.
    pub fn wait_for_several(
        &self,
        what: &str,
        limit: Duration,
        count: usize,
        is_wanted: impl Fn(&Frame) -> bool,
    ) -> Result<Vec<Frame>, TimedOut> {
        let deadline = Instant::now() + limit;
        let mut heard = self.heard();
        let (mut found, mut seen) = (Vec::new(), 0);
        loop {
            found.extend(heard.frames[seen..].iter().filter(|frame| is_wanted(frame)).cloned());
            seen = heard.frames.len();
            if found.len() >= count {
                return Ok(found);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let what = format!("{what} on {}: {} of {count}", self.link, found.len());
                return Err(TimedOut { what, limit });
            }
            let waited = self.shelf.news.wait_timeout(heard, left);
            heard = self.checked(waited.unwrap_or_else(PoisonError::into_inner).0);
        }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.checked(self.shelf.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn checked<'a>(&self, heard: MutexGuard<'a, Heard>) -> MutexGuard<'a, Heard> {
        let Heard { lost, failure, .. } = *heard;
        assert!(lost == 0, "the capture on {} had no room for {lost} frames", self.link);
        assert!(failure.is_none(), "the capture on {} broke: {failure:?}", self.link);
        heard
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.shelf.is_done.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A link that frames are put on as they are.
#[derive(Debug)]
pub struct Wire {
    link: String,
    socket: OwnedFd,
    address: LinkAddr,
}

impl Wire {
    /// Opens a link of a namespace.
    pub fn open(namespace: &Namespace, link: &str) -> Result<Self, CaptureError> {
        let (socket, address) = open(namespace, link)?;
        Ok(Self { link: link.to_owned(), socket, address })
    }

    /// The link's own MAC.
    pub fn mac(&self) -> Mac {
        Mac(self.address.addr().unwrap_or_default())
    }

    /// Sends one frame.
    pub fn send(&self, frame: &[u8]) -> Result<(), CaptureError> {
        let sent = sendto(self.socket.as_raw_fd(), frame, &self.address, MsgFlags::empty());
        let failed =
            |error: Errno| CaptureError::Send { link: self.link.clone(), source: error.into() };
        sent.map(|_| ()).map_err(failed)
    }
}

/// A socket of the namespace that hears one link, and the link's address.
fn open(namespace: &Namespace, link: &str) -> Result<(OwnedFd, LinkAddr), CaptureError> {
    let opened = namespace.inside(|| open_here(link))?;
    let opened = opened
        .map_err(|error| CaptureError::Open { link: link.to_owned(), source: error.into() })?;
    opened.ok_or_else(|| CaptureError::NoSuchLink {
        link: link.to_owned(),
        namespace: namespace.path().to_owned(),
    })
}

fn open_here(link: &str) -> nix::Result<Option<(OwnedFd, LinkAddr)>> {
    let mut links = getifaddrs()?.filter(|it| it.interface_name == link);
    let address = links.find_map(|it| it.address?.as_link_addr().copied());
    let Some(address) = address else { return Ok(None) };
    let (family, kind) = (AddressFamily::Packet, SockType::Raw);
    let socket = socket(family, kind, SockFlag::SOCK_CLOEXEC, SockProtocol::EthAll)?;
    setsockopt(&socket, sockopt::RcvBufForce, &BACKLOG)?;
    let glance = TimeVal::milliseconds(GLANCE.as_millis().try_into().unwrap_or(i64::MAX));
    setsockopt(&socket, sockopt::ReceiveTimeout, &glance)?;
    bind(socket.as_raw_fd(), &address)?;
    Ok(Some((socket, address)))
}

fn listen(socket: &OwnedFd, index: usize, shelf: &Shelf) {
    let mut buffer = vec![0; LONGEST];
    while !shelf.is_done.load(Ordering::Acquire) {
        let received = recvfrom::<LinkAddr>(socket.as_raw_fd(), &mut buffer);
        let mut heard = shelf.heard.lock().unwrap_or_else(PoisonError::into_inner);
        match received {
            // Before it was bound to its link the socket heard all of them.
            Ok((_, Some(from))) if from.ifindex() != index => {}
            Ok((length, from)) => {
                let is_outgoing = from.is_some_and(|it| it.pkttype() == OUTGOING);
                let direction = if is_outgoing { Direction::Out } else { Direction::In };
                heard.keep(Frame { bytes: buffer[..length].to_vec(), direction });
            }
            Err(Errno::EAGAIN | Errno::EINTR) => continue,
            Err(error) => {
                heard.failure = Some(error);
                shelf.news.notify_all();
                return;
            }
        }
        shelf.news.notify_all();
    }
}

impl Heard {
    fn keep(&mut self, frame: Frame) {
        if self.frames.len() < ROOM {
            self.frames.push(frame);
        } else {
            self.lost += 1;
        }
    }
}
