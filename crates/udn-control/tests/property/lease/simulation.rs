//! A server with one lease, two candidates, and a bad network between them, in made-up time.
//!
//! Invariant: a write changes the lease only where it stands as the writer saw it, as a server does.

use std::collections::BTreeMap;
use std::time::Duration;

use udn_control::lease::decide::{Candidate, Record, Step, Timing};

/// A clock that is wrong.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// How many milliseconds it counts in a true second.
    pub(super) rate: u64,
    pub(super) start: u64,
}

impl Clock {
    fn local(self, now: u64) -> Duration {
        Duration::from_micros(self.start + now * self.rate / 1000)
    }

    /// The first true moment at which the clock shows at least this.
    fn real(self, local: Duration) -> u64 {
        let micros = u64::try_from(local.as_micros()).expect("the moments are small");
        (micros.saturating_sub(self.start) * 1000).div_ceil(self.rate)
    }
}

/// A program that would like to lead.
#[derive(Debug)]
struct Program {
    clock: Clock,
    candidate: Candidate,
    /// The version that it saw; nothing if there was no lease.
    version: Option<u64>,
    renewals: i64,
    term: i64,
    /// Counts lives and requests: what belongs to a former one comes too late.
    epoch: u64,
}

/// What happens at a moment.
#[derive(Debug, Clone)]
enum Event {
    /// A program looks what to do.
    Wake {
        who: usize,
        epoch: u64,
    },
    /// A request is at the server.
    Lands {
        who: usize,
        epoch: u64,
        request: Request,
        sent: Duration,
        answer: Option<u64>,
    },
    /// The answer is back; nothing where the lease was not as the writer saw it.
    Answered {
        who: usize,
        epoch: u64,
        request: Request,
        sent: Duration,
        shown: Option<Shown>,
    },
    /// The program waits no longer.
    TimesOut {
        who: usize,
        epoch: u64,
    },
    Crashes {
        who: usize,
    },
    GivesBack {
        who: usize,
    },
}

#[derive(Debug, Clone)]
enum Request {
    Look,
    Write { record: Record, over: Option<u64> },
}

/// The lease and its version, if there is one.
type Shown = Option<(Record, u64)>;

#[derive(Debug)]
pub(super) struct Simulation {
    dice: fastrand::Rng,
    now: u64,
    number: u64,
    events: BTreeMap<(u64, u64), Event>,
    lease: Shown,
    programs: [Program; 2],
    is_calm: bool,
    /// When both led for the first time.
    pub(super) overlap: Option<u64>,
}

impl Simulation {
    pub(super) fn new(seed: u64, clocks: [Clock; 2]) -> Self {
        let program = |who: usize| Program {
            clock: clocks[who],
            candidate: Candidate::new(name(who), Timing::default()),
            version: None,
            renewals: 0,
            term: 0,
            epoch: 0,
        };
        let mut simulation = Self {
            dice: fastrand::Rng::with_seed(seed),
            now: 0,
            number: 0,
            events: BTreeMap::new(),
            lease: None,
            programs: [program(0), program(1)],
            is_calm: false,
            overlap: None,
        };
        for who in [0, 1] {
            let start = simulation.dice.u64(0..3_000_000);
            simulation.at(start, Event::Wake { who, epoch: 0 });
            for _ in 0..2 {
                let (crash, end) =
                    (simulation.dice.u64(0..60_000_000), simulation.dice.u64(0..60_000_000));
                simulation.at(crash, Event::Crashes { who });
                simulation.at(end, Event::GivesBack { who });
            }
        }
        simulation
    }

    /// From now on nothing goes wrong.
    pub(super) fn calm(&mut self) {
        self.is_calm = true;
        self.events
            .retain(|_, event| !matches!(event, Event::Crashes { .. } | Event::GivesBack { .. }));
    }

    pub(super) fn leaders(&self) -> usize {
        let is_leading = |it: &&Program| it.candidate.is_leading(it.clock.local(self.now));
        self.programs.iter().filter(is_leading).count()
    }

    pub(super) fn run_until(&mut self, end: u64) {
        while let Some(entry) = self.events.first_entry() {
            if entry.key().0 > end {
                break;
            }
            self.now = entry.key().0;
            let event = entry.remove();
            self.happens(event);
            if self.leaders() == 2 {
                self.overlap.get_or_insert(self.now);
            }
        }
        self.now = end;
    }

    fn at(&mut self, moment: u64, event: Event) {
        self.number += 1;
        self.events.insert((moment.max(self.now), self.number), event);
    }

    fn happens(&mut self, event: Event) {
        match event {
            Event::Wake { who, epoch } if epoch == self.programs[who].epoch => self.wakes(who),
            Event::Lands { who, epoch, request, sent, answer } => {
                let shown = self.serve(&request);
                if let Some(delay) = answer {
                    let event = Event::Answered { who, epoch, request, sent, shown };
                    self.at(self.now + delay, event);
                }
            }
            Event::Answered { who, epoch, request, sent, shown }
                if epoch == self.programs[who].epoch =>
            {
                self.answered(who, request, sent, shown);
            }
            Event::TimesOut { who, epoch } if epoch == self.programs[who].epoch => {
                let program = &mut self.programs[who];
                program.candidate.failed(program.clock.local(self.now));
                self.again(who);
            }
            Event::Crashes { who } => self.restart(who),
            Event::GivesBack { who } => self.gives_back(who),
            Event::Wake { .. } | Event::Answered { .. } | Event::TimesOut { .. } => {}
        }
    }

    /// What the server makes of a request; nothing where the lease was not as it was seen.
    fn serve(&mut self, request: &Request) -> Option<Shown> {
        match request {
            Request::Look => Some(self.lease.clone()),
            Request::Write { record, over } => {
                let version = self.lease.as_ref().map(|(_, version)| *version);
                (version == *over).then(|| {
                    self.lease = Some((record.clone(), version.unwrap_or_default() + 1));
                    self.lease.clone()
                })
            }
        }
    }

    fn wakes(&mut self, who: usize) {
        let program = &mut self.programs[who];
        let now = program.clock.local(self.now);
        match program.candidate.step(now) {
            Step::Look => self.send(who, Request::Look),
            Step::Acquire => {
                // As a clock of the world: later in each life, the same in no two programs.
                program.term = i64::try_from(self.number).expect("it is small");
                program.candidate.acquires(program.term);
                self.write(who);
            }
            Step::Renew => self.write(who),
            Step::Wait(until) => {
                // A program may always be woken too late.
                let late = if self.is_calm { 0 } else { self.dice.u64(0..50_000) };
                let (moment, epoch) = (program.clock.real(until) + late, program.epoch);
                self.at(moment, Event::Wake { who, epoch });
            }
            Step::Lost => self.restart(who),
        }
    }

    fn write(&mut self, who: usize) {
        let program = &mut self.programs[who];
        program.renewals += 1;
        let record = Record {
            holder: name(who).to_owned(),
            acquired: Some(program.term),
            renewed: Some(program.renewals),
            duration: Timing::default().duration,
        };
        let over = program.version;
        self.send(who, Request::Write { record, over });
    }

    /// Sends a request, with luck or without; a request that timed out may still arrive.
    fn send(&mut self, who: usize, request: Request) {
        let program = &mut self.programs[who];
        program.epoch += 1;
        let (epoch, sent) = (program.epoch, program.clock.local(self.now));
        let patience = program.candidate.patience(sent);
        let end = program.clock.real(sent + patience);
        self.at(end, Event::TimesOut { who, epoch });
        if self.is_calm || self.dice.u8(0..10) < 8 {
            let way = self.delay();
            let is_heard = self.is_calm || self.dice.u8(0..10) < 8;
            let answer = is_heard.then(|| self.delay());
            self.at(self.now + way, Event::Lands { who, epoch, request, sent, answer });
        }
    }

    /// Mostly short, sometimes longer than anybody waits.
    fn delay(&mut self) -> u64 {
        match self.dice.u8(0..10) {
            _ if self.is_calm => 1000,
            0 => self.dice.u64(0..4_000_000),
            1..4 => self.dice.u64(0..900_000),
            _ => self.dice.u64(0..20_000),
        }
    }

    fn answered(&mut self, who: usize, request: Request, sent: Duration, shown: Option<Shown>) {
        let program = &mut self.programs[who];
        let now = program.clock.local(self.now);
        match (request, shown) {
            (Request::Look, Some(shown)) => {
                program.version = shown.as_ref().map(|(_, version)| *version);
                program.candidate.saw(shown.map(|(record, _)| record), sent, now);
            }
            (Request::Write { record, .. }, Some(shown)) => {
                program.version = shown.map(|(_, version)| version);
                program.candidate.wrote(record, sent, now);
            }
            (_, None) => program.candidate.was_late(),
        }
        self.again(who);
    }

    fn again(&mut self, who: usize) {
        self.programs[who].epoch += 1;
        let epoch = self.programs[who].epoch;
        self.at(self.now, Event::Wake { who, epoch });
    }

    /// A new life of the same name, which leads nothing.
    fn restart(&mut self, who: usize) {
        let program = &mut self.programs[who];
        program.candidate = Candidate::new(name(who), Timing::default());
        program.version = None;
        let epoch = program.epoch;
        self.again(who);
        // Whatever was under way belongs to the former life.
        debug_assert!(self.programs[who].epoch > epoch);
    }

    fn gives_back(&mut self, who: usize) {
        let program = &mut self.programs[who];
        let was_leading = program.candidate.is_leading(program.clock.local(self.now));
        let (over, record) = (program.version, Record::default());
        self.restart(who);
        if was_leading {
            let (epoch, way) = (0, self.delay());
            let request = Request::Write { record, over };
            let sent = Duration::ZERO;
            self.at(self.now + way, Event::Lands { who, epoch, request, sent, answer: None });
        }
    }
}

fn name(who: usize) -> &'static str {
    ["one", "two"][who]
}
