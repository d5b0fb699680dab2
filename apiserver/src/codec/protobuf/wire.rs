//! The wire format: varints, tags, lengths.

/// What follows a tag.
pub(super) const VARINT: u8 = 0;
const FIXED64: u8 = 1;
/// A length and as many bytes.
pub(super) const BYTES: u8 = 2;
const GROUP: u8 = 3;
const END_OF_GROUP: u8 = 4;
const FIXED32: u8 = 5;

/// Bytes that are not in the wire format, in the reference's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The bytes end inside a value.
    #[error("unexpected EOF")]
    UnexpectedEnd,
    /// A varint of more than ten bytes.
    #[error("proto: integer overflow")]
    Overflow,
    /// A length that the reference's signed numbers cannot hold.
    #[error("proto: negative length found during unmarshaling")]
    NegativeLength,
    /// The end of a group that did not begin, inside something unknown.
    #[error("proto: unexpected end of group")]
    UnexpectedEndOfGroup,
    /// The end of a group that did not begin.
    #[error("proto: {0}: wiretype end group for non-group")]
    EndOfGroup(String),
    /// A wire type that does not exist.
    #[error("proto: illegal wireType {0}")]
    IllegalWireType(u8),
    /// A field number that cannot be.
    #[error("proto: {message}: illegal tag {number} (wire type {wire})")]
    IllegalTag {
        /// The message that was read.
        message: String,
        /// The number, as the reference's signed numbers show it.
        number: i32,
        /// The whole tag; the reference shows it as the wire type.
        wire: u64,
    },
    /// A field in another form than its type has.
    #[error("proto: wrong wireType = {wire_type} for field {field}")]
    WrongWireType {
        /// The form that was found.
        wire_type: u8,
        /// The field's name in Go.
        field: String,
    },
}

/// A field's number and the form its value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) number: u32,
    pub(super) wire_type: u8,
}

impl Tag {
    /// An error unless the value has the form `wanted`.
    pub(super) fn expect(self, wanted: u8, field: &str) -> Result<(), WireError> {
        if self.wire_type == wanted {
            return Ok(());
        }
        Err(WireError::WrongWireType { wire_type: self.wire_type, field: field.to_owned() })
    }
}

/// The value of a known field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Payload<'b> {
    Varint(u64),
    Double(f64),
    Bytes(&'b [u8]),
}

/// Reads bytes from the front.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'b> {
    rest: &'b [u8],
}

impl<'b> Cursor<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next tag of a message, `None` at its end.
    pub(super) fn tag(&mut self, message: &str) -> Result<Option<Tag>, WireError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let wire = self.varint()?;
        let wire_type = low_bits(wire);
        if wire_type == END_OF_GROUP {
            return Err(WireError::EndOfGroup(message.to_owned()));
        }
        // The reference keeps the low 32 bits as a signed number.
        let number = (wire >> 3) as u32;
        if number == 0 || number.cast_signed() < 0 {
            let number = number.cast_signed();
            return Err(WireError::IllegalTag { message: message.to_owned(), number, wire });
        }
        Ok(Some(Tag { number, wire_type }))
    }

    pub(super) fn varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(WireError::UnexpectedEnd)?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(WireError::Overflow)
    }

    pub(super) fn double(&mut self) -> Result<f64, WireError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(WireError::UnexpectedEnd)?;
        self.rest = rest;
        Ok(f64::from_le_bytes(*bytes))
    }

    pub(super) fn bytes(&mut self) -> Result<&'b [u8], WireError> {
        let length = self.varint()?;
        if length.cast_signed() < 0 {
            return Err(WireError::NegativeLength);
        }
        self.take(usize::try_from(length).map_err(|_| WireError::UnexpectedEnd)?)
    }

    /// The value of a field, which must have the form `wanted`.
    pub(super) fn payload(
        &mut self,
        tag: Tag,
        wanted: u8,
        field: &str,
    ) -> Result<Payload<'b>, WireError> {
        tag.expect(wanted, field)?;
        self.value(wanted)
    }

    /// A value of that form without a tag in front of it.
    pub(super) fn value(&mut self, wire_type: u8) -> Result<Payload<'b>, WireError> {
        match wire_type {
            VARINT => self.varint().map(Payload::Varint),
            FIXED64 => self.double().map(Payload::Double),
            _ => self.bytes().map(Payload::Bytes),
        }
    }

    /// Passes over the value of an unknown field.
    pub(super) fn skip(&mut self, tag: Tag) -> Result<(), WireError> {
        let mut wire_type = tag.wire_type;
        let mut groups = 0_usize;
        loop {
            match wire_type {
                VARINT => drop(self.varint()?),
                FIXED64 => drop(self.take(8)?),
                BYTES => drop(self.bytes()?),
                GROUP => groups += 1,
                END_OF_GROUP => {
                    groups = groups.checked_sub(1).ok_or(WireError::UnexpectedEndOfGroup)?;
                }
                FIXED32 => drop(self.take(4)?),
                other => return Err(WireError::IllegalWireType(other)),
            }
            if groups == 0 {
                return Ok(());
            }
            wire_type = low_bits(self.varint()?);
        }
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], WireError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(WireError::UnexpectedEnd)?;
        self.rest = rest;
        Ok(taken)
    }
}

fn low_bits(wire: u64) -> u8 {
    (wire & 7) as u8
}

/// The form of a double.
pub(super) const DOUBLE: u8 = FIXED64;

/// Appends a varint.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_tag(out: &mut Vec<u8>, number: u32, wire_type: u8) {
    put_varint(out, u64::from(number) << 3 | u64::from(wire_type));
}

/// Appends a field with a whole number; negative ones take ten bytes whatever their width.
pub(super) fn put_integer(out: &mut Vec<u8>, number: u32, value: i64) {
    put_tag(out, number, VARINT);
    put_varint(out, value.cast_unsigned());
}

/// Appends a field with a floating-point number.
pub(super) fn put_double(out: &mut Vec<u8>, number: u32, value: f64) {
    put_tag(out, number, DOUBLE);
    out.extend(value.to_le_bytes());
}

/// Appends a field with bytes or text.
pub(super) fn put_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    put_tag(out, number, BYTES);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends a field with the message that `write` writes.
pub(super) fn put_message(out: &mut Vec<u8>, number: u32, write: impl FnOnce(&mut Vec<u8>)) {
    let mut message = Vec::new();
    write(&mut message);
    put_bytes(out, number, &message);
}
