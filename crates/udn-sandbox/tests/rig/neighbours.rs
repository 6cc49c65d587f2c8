//! Who answers for an address, as a neighbour on the same link hears it.
//!
//! Reads who asks; returns the MACs of those who answer.
//! Invariant: a question whose answer is not certain to come is followed by one whose is, and by
//! then everybody has spoken.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv6Addr};

use udn_lab::capture::frame::{Ends, neighbour_solicitation};
use udn_lab::capture::{Arp, Capture, Frame, Mac, Wire};

use super::LIMIT;

/// How often each question is asked.
const TIMES: usize = 3;

/// Somebody on a link who asks its neighbours.
pub(crate) struct Asker {
    pub(crate) capture: Capture,
    pub(crate) wire: Wire,
    pub(crate) mac: Mac,
    /// An address in each family of the questions.
    pub(crate) addresses: Vec<IpAddr>,
}

impl Asker {
    /// The MACs by which an address is answered for; a frame and what it says are of one mind.
    pub(crate) fn who_has(&self, wanted: IpAddr) -> BTreeSet<Mac> {
        self.ask(wanted);
        let answers =
            self.capture.wait_for_several(&format!("answers for {wanted}"), LIMIT, TIMES, |it| {
                answer(it, wanted).is_some()
            });
        answers.expect("somebody answers");
        self.answers(wanted)
    }

    /// The same for an address that perhaps nobody has; `certain` is one that somebody has.
    pub(crate) fn whoever_has(&self, wanted: IpAddr, certain: IpAddr) -> BTreeSet<Mac> {
        self.ask(wanted);
        let _ = self.who_has(certain);
        self.answers(wanted)
    }

    fn ask(&self, wanted: IpAddr) {
        let own = |wanted: &IpAddr| {
            let mut all = self.addresses.iter().filter(|it| it.is_ipv4() == wanted.is_ipv4());
            *all.next().expect("the asker speaks the family")
        };
        let question = match (own(&wanted), wanted) {
            (IpAddr::V4(own), IpAddr::V4(wanted)) => Arp::question((self.mac, own), wanted)
                .frame(Ends::new(self.mac, Mac::BROADCAST), b""),
            (own, wanted) => neighbour_solicitation((self.mac, v6(own)), v6(wanted)),
        };
        (0..TIMES).for_each(|_| self.wire.send(&question).expect("a frame is sent"));
    }

    fn answers(&self, wanted: IpAddr) -> BTreeSet<Mac> {
        let frames = self.capture.frames();
        let answers = frames.iter().filter_map(|it| answer(it, wanted).map(|mac| (it, mac)));
        let told = answers.map(|(frame, mac)| {
            assert_eq!(frame.source(), mac, "the frame and what it says are of one mind");
            mac
        });
        told.collect()
    }
}

/// The MAC that a frame tells for an address.
fn answer(frame: &Frame, wanted: IpAddr) -> Option<Mac> {
    match wanted {
        IpAddr::V4(wanted) => {
            let arp = frame.arp().filter(|it| it.is_answer && it.addresses.from == wanted);
            arp.map(|it| it.macs.from)
        }
        IpAddr::V6(wanted) => {
            frame.advertised().filter(|(ip, _)| *ip == wanted).map(|(_, mac)| mac)
        }
    }
}

fn v6(ip: IpAddr) -> Ipv6Addr {
    match ip {
        IpAddr::V6(ip) => ip,
        IpAddr::V4(ip) => panic!("{ip} is of the wrong family"),
    }
}
