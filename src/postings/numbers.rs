//! Whole numbers of variable length: seven bits a byte, the lowest first. The high bit is set if
//! more bytes follow.

/// The most bytes that a number takes.
pub(crate) const MAX_BYTES: usize = 5;

/// Writes a number.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number from the front of bytes. Returns `None` if the bytes end early or the number is
/// too large.
#[inline(always)]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u32> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 0x80 { Some(first.into()) } else { take_long(bytes, u32::from(first & 0x7F)) }
}

fn take_long(bytes: &mut &[u8], mut number: u32) -> Option<u32> {
    for shift in [7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u32::from(byte & 0x7F);
        if bits << shift >> shift != bits {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
