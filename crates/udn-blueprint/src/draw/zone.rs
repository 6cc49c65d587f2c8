//! Draws what all networks of a zone share: limits on what OVN sends to the control plane.
//!
//! Invariant: all metrics have the one band in common, as the wire has it.
// compat: pkg/ovn/copp.go

use ovn::Sheet;
use ovn::northbound::{Copp, Meter, MeterBand, MeterBandAction, MeterUnit};

use crate::names::{self, PROTECTED, PROTECTION};

/// How many packets of a protocol may reach the control plane each second.
const PACKETS_PER_SECOND: i64 = 25;

pub(super) fn draw_protection(sheet: &mut Sheet) {
    let mut meters = PROTECTED.iter().map(|protocol| {
        let name = names::protection_meter(protocol);
        Meter { name, fair: Some(true), unit: Some(MeterUnit::Pktps), ..Meter::default() }
    });
    let action = Some(MeterBandAction::Drop);
    let band = MeterBand { action, rate: PACKETS_PER_SECOND, ..MeterBand::default() };
    if let Some(first) = meters.next() {
        let first = sheet.draw(&first);
        let band = sheet.draw_under(&band, &first, Meter::BANDS);
        for meter in meters {
            let meter = sheet.draw(&meter);
            sheet.join(&band, &meter, Meter::BANDS);
        }
    }
    let limits = PROTECTED.iter().map(|it| ((*it).to_owned(), names::protection_meter(it)));
    let (name, meters) = (PROTECTION.to_owned(), limits.collect());
    sheet.draw(&Copp { name, meters, ..Copp::default() });
}
