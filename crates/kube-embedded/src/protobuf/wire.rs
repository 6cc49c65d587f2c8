//! The wire format of protobuf: tags, varints and lengths.
//!
//! Reads bytes; returns fields one by one, or says in the server's words why they are none.
//! Invariant: a field never reaches beyond the bytes it was read from.

/// Why bytes are no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum WireError {
    #[error("unexpected EOF")]
    Short,
    #[error("proto: integer overflow")]
    Overflow,
    #[error("proto: negative length found during unmarshaling")]
    NegativeLength,
    #[error("proto: wrong wireType = {wire} for field {field}")]
    WrongWire { wire: u8, field: String },
    #[error("proto: {message}: illegal tag {number} (wire type {wire})")]
    IllegalTag { message: String, number: i32, wire: u8 },
    #[error("proto: {message}: wiretype end group for non-group")]
    EndGroup { message: String },
    #[error("proto: illegal wireType {0}")]
    IllegalWire(u8),
    #[error("json: unsupported value: {0}")]
    NoNumber(String),
    #[error("{0}")]
    NotJson(String),
    #[error("Time.MarshalJSON: year outside of range [0,9999]")]
    TimeOutOfRange,
    #[error("exceeded max depth")]
    TooDeep,
}

/// One field of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Field<'a> {
    pub(super) number: u32,
    pub(super) payload: Payload<'a>,
}

/// What a field carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Payload<'a> {
    Varint(u64),
    Fixed64([u8; 8]),
    Bytes(&'a [u8]),
    /// Stepped over: nothing that is read here uses groups.
    Group,
    Fixed32([u8; 4]),
    /// Nothing that is known; what follows cannot be read.
    Illegal(u8),
}

impl<'a> Field<'a> {
    pub(super) fn bytes(&self, name: &str) -> Result<&'a [u8], WireError> {
        self.payload.bytes(name)
    }

    /// Steps over a field that nobody reads.
    pub(super) fn skip(&self) -> Result<(), WireError> {
        match self.payload {
            Payload::Illegal(wire) => Err(WireError::IllegalWire(wire)),
            Payload::Varint(_)
            | Payload::Fixed64(_)
            | Payload::Bytes(_)
            | Payload::Group
            | Payload::Fixed32(_) => Ok(()),
        }
    }
}

impl<'a> Payload<'a> {
    pub(super) fn bytes(self, name: &str) -> Result<&'a [u8], WireError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Varint(_)
            | Self::Fixed64(_)
            | Self::Group
            | Self::Fixed32(_)
            | Self::Illegal(_) => Err(self.wrong(name)),
        }
    }

    pub(super) fn varint(self, name: &str) -> Result<u64, WireError> {
        match self {
            Self::Varint(value) => Ok(value),
            Self::Bytes(_)
            | Self::Fixed64(_)
            | Self::Group
            | Self::Fixed32(_)
            | Self::Illegal(_) => Err(self.wrong(name)),
        }
    }

    pub(super) fn double(self, name: &str) -> Result<f64, WireError> {
        match self {
            Self::Fixed64(bytes) => Ok(f64::from_le_bytes(bytes)),
            Self::Bytes(_)
            | Self::Varint(_)
            | Self::Group
            | Self::Fixed32(_)
            | Self::Illegal(_) => Err(self.wrong(name)),
        }
    }

    fn wrong(self, name: &str) -> WireError {
        let wire = match self {
            Self::Varint(_) => 0,
            Self::Fixed64(_) => 1,
            Self::Bytes(_) => 2,
            Self::Group => 3,
            Self::Fixed32(_) => 5,
            Self::Illegal(wire) => wire,
        };
        WireError::WrongWire { wire, field: name.to_owned() }
    }
}

/// Walks through the fields of one message.
#[derive(Debug)]
pub(super) struct Cursor<'a, 'b> {
    rest: &'a [u8],
    /// The name that errors give the message.
    message: &'b str,
}

impl<'a, 'b> Cursor<'a, 'b> {
    pub(super) fn new(bytes: &'a [u8], message: &'b str) -> Self {
        Self { rest: bytes, message }
    }

    /// The next field; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Field<'a>>, WireError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (number, wire) = self.tag()?;
        let message = || self.message.to_owned();
        if wire == 4 {
            return Err(WireError::EndGroup { message: message() });
        }
        let number = match u32::try_from(number) {
            Ok(number) if number > 0 => number,
            Ok(_) | Err(_) => {
                return Err(WireError::IllegalTag { message: message(), number, wire });
            }
        };
        Ok(Some(Field { number, payload: self.payload(wire)? }))
    }

    /// The next varint; for packed numbers, which carry no tags.
    pub(super) fn varint(&mut self) -> Result<Option<u64>, WireError> {
        if self.rest.is_empty() { Ok(None) } else { self.number().map(Some) }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the server cuts numbers of fields, too")]
    fn tag(&mut self) -> Result<(i32, u8), WireError> {
        let tag = self.number()?;
        Ok(((tag >> 3) as u32 as i32, (tag & 7) as u8))
    }

    fn payload(&mut self, wire: u8) -> Result<Payload<'a>, WireError> {
        Ok(match wire {
            0 => Payload::Varint(self.number()?),
            1 => Payload::Fixed64(self.fixed()?),
            2 => {
                let length = self.number()?;
                let length = i64::try_from(length).map_err(|_| WireError::NegativeLength)?;
                Payload::Bytes(self.take(usize::try_from(length).map_err(|_| WireError::Short)?)?)
            }
            3 => {
                self.skip_group()?;
                Payload::Group
            }
            5 => Payload::Fixed32(self.fixed()?),
            other => Payload::Illegal(other),
        })
    }

    /// Steps over a group and the groups in it.
    fn skip_group(&mut self) -> Result<(), WireError> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.tag()?.1 {
                3 => depth += 1,
                4 => depth -= 1,
                wire @ 6.. => return Err(WireError::IllegalWire(wire)),
                wire => drop(self.payload(wire)?),
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<u64, WireError> {
        let mut value = 0_u64;
        for place in 0..10 {
            let (byte, rest) = self.rest.split_first().ok_or(WireError::Short)?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(WireError::Overflow)
    }

    fn fixed<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], WireError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(WireError::Short)?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(WireError::Short)?;
        self.rest = rest;
        Ok(bytes)
    }
}
