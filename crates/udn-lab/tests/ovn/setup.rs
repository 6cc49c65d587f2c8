//! Set-up, once done: everything is found, and a second run does nothing at all.

use udn_lab::setup::{Part, Setup, State};

#[test]
fn a_second_run_does_nothing() {
    let setup = Setup::here().expect("there is a cache folder");
    for part in [Part::HostPackages, Part::OvnRoot] {
        assert_eq!(setup.state(part), State::Ready, "{part}");
        let mut quiet = true;
        setup.make(part, &mut |_| quiet = false).expect("a part that is ready stays ready");
        assert!(quiet, "{part} was made again");
    }
}
