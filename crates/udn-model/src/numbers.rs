//! Numbers with a rule: identifiers, keys, VLAN tags, sizes.
//!
//! Invariant: a value of these types is within its bounds.

use std::fmt;

use serde::Serialize;

macro_rules! number {
    ($(#[$doc:meta])* $type:ident($inner:ty), $bounds:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $type($inner);

        impl $type {
            /// The highest there can be.
            pub const LAST: $inner = $bounds.1;

            pub const fn new(number: $inner) -> Option<Self> {
                let (lowest, highest) = $bounds;
                if number >= lowest && number <= highest { Some(Self(number)) } else { None }
            }

            pub const fn get(self) -> $inner {
                self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number!(
    /// The number of a network in a cluster; 0 is the default network's.
    NetworkId(u16),
    (1, 4095)
);
number!(
    /// The number of a node in a cluster; addresses and keys are derived from it.
    NodeId(u16),
    (2, 4999)
);
number!(
    /// The key of a datapath in tunnels.
    TunnelKey(u32),
    (1, 0xff_ffff)
);
number!(
    /// The key of a port within its datapath in tunnels.
    PortKey(u16),
    (1, 32767)
);
number!(
    /// An 802.1Q tag that a localnet network may carry.
    Vlan(u16),
    (1, 4094)
);
number!(
    /// The size of the largest packet that a link carries.
    Mtu(u32),
    (576, 65536)
);

impl TunnelKey {
    /// The key of the default network; networks' own follow by their ids.
    // compat: pkg/allocator/id/tunnelkeyallocator.go, BaseTransitSwitchTunnelKey
    pub const FIRST_PRESERVED: u32 = 16_711_683;
}

impl NetworkId {
    /// The default network's, which no other network is ever given.
    pub const DEFAULT: Self = Self(0);

    /// The key that is preserved for the network with this id.
    pub fn preserved_key(self) -> TunnelKey {
        TunnelKey(TunnelKey::FIRST_PRESERVED + u32::from(self.0))
    }

    /// The mark by which the host tells this network's packets.
    pub fn packet_mark(self) -> u32 {
        0x1000 + u32::from(self.0)
    }

    /// The mark of this network's connections on the external bridge.
    // compat: pkg/node/gateway_udn.go, ctMarkUDNBase
    pub fn conntrack_mark(self) -> u32 {
        3 + u32::from(self.0)
    }
}
