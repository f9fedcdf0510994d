//! The framing of snapshots: a stream of parts, each with a checksum. Used by both kinds of
//! indexes.
//!
//! A part is a header of 32 bytes and its content. The header holds a mark, the kind of the part,
//! its number in the stream, the length of its content, and the XXH64 of all that. Numbers are
//! little-endian. Each index defines its kinds; codes from 16 on belong to the caller.

use xxhash_rust::xxh64::Xxh64;

use crate::error::{Error, Result};

/// The first bytes of every part.
const MARK: [u8; 4] = *b"NOUS";
/// The length of a header in bytes.
pub(crate) const HEADER: usize = 32;
/// The offset of the checksum in a header. It covers the bytes before it and the content.
const CHECKSUM_AT: usize = 24;
/// The most bytes of a part's content.
pub(crate) const MAX_CONTENT: usize = 1 << 30;
/// The first code of the caller's kinds.
pub(crate) const FIRST_OWN: u32 = 16;

/// Returns a part of a kind, with its number in the stream.
pub(crate) fn part(kind: u32, number: u64, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + content.len());
    bytes.extend(MARK);
    bytes.extend(kind.to_le_bytes());
    bytes.extend(number.to_le_bytes());
    bytes.extend((content.len() as u64).to_le_bytes());
    let checksum = checksum(&bytes, content);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(content);
    bytes
}

fn checksum(header: &[u8], content: &[u8]) -> u64 {
    let mut hash = Xxh64::new(0);
    hash.update(header);
    hash.update(content);
    hash.digest()
}

/// Checks header and checksum of a part. Returns the code of its kind, and its content.
pub(crate) fn open(part: &[u8], number: u64) -> Result<(u32, &[u8])> {
    let cut_off = || Error::snapshot("is cut off");
    if part.len() < HEADER {
        return Err(cut_off());
    }
    let (header, content) = part.split_at(HEADER);
    if header[..4] != MARK {
        return Err(Error::snapshot("was not written by this package"));
    }
    let mut fields = PartReader { bytes: &header[4..], field: "header" };
    let (code, at, length, sum) = (fields.u32()?, fields.u64()?, fields.u64()?, fields.u64()?);
    if length != content.len() as u64 {
        return Err(cut_off());
    }
    if checksum(&header[..CHECKSUM_AT], content) != sum {
        return Err(Error::snapshot("is damaged: a checksum does not agree"));
    }
    if at != number {
        return Err(Error::snapshot("has its parts in another order"));
    }
    Ok((code, content))
}

/// Returns the length of the part that begins with this header.
///
/// # Errors
/// `invalid_snapshot` if it is not a header.
pub(crate) fn part_length(header: &[u8]) -> Result<usize> {
    if header.len() < HEADER || header[..4] != MARK {
        return Err(Error::snapshot(if header.len() < HEADER {
            "is cut off"
        } else {
            "was not written by this package"
        }));
    }
    let mut fields = PartReader { bytes: &header[16..], field: "header" };
    match fields.u64()? {
        length if length <= MAX_CONTENT as u64 => Ok(HEADER + length as usize),
        _ => Err(Error::snapshot("is damaged: a part is too long")),
    }
}

/// Returns the error for a part of an unknown kind.
pub(crate) fn unknown_kind() -> Error {
    Error::snapshot("has a part of an unknown kind")
}

/// Writes one number after the other.
pub(crate) fn put<const BYTES: usize>(
    out: &mut Vec<u8>,
    numbers: impl Iterator<Item = [u8; BYTES]>,
) {
    numbers.for_each(|bytes| out.extend_from_slice(&bytes));
}

/// Reads little-endian numbers off the front of bytes.
pub(crate) struct PartReader<'a> {
    pub bytes: &'a [u8],
    /// The name of the data, for errors.
    pub field: &'static str,
}

impl<'a> PartReader<'a> {
    #[inline(never)]
    pub fn take(&mut self, bytes: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(bytes)
            .ok_or_else(|| Error::snapshot(format!("has too few {}", self.field)))?;
        self.bytes = rest;
        Ok(taken)
    }

    #[inline(never)]
    pub fn u32(&mut self) -> Result<u32> {
        self.take(4).map(|bytes| u32_at(bytes, 0))
    }

    #[inline(never)]
    pub fn u64(&mut self) -> Result<u64> {
        self.take(8).map(|bytes| u64_at(bytes, 0))
    }

    pub fn text(&mut self) -> Result<String> {
        let length = self.u32()? as usize;
        let text = str::from_utf8(self.take(length)?);
        text.map(String::from).map_err(|_| Error::snapshot("holds a name that is not UTF-8"))
    }

    /// Reads a count of entries that take at least this many bytes each.
    pub fn count(&mut self, bytes_each: usize) -> Result<usize> {
        let count = self.u64()?;
        if count > (self.bytes.len() / bytes_each.max(1)) as u64 {
            return Err(Error::snapshot(format!("has too few {}", self.field)));
        }
        Ok(count as usize)
    }

    pub fn column(&mut self, entries: usize, bytes_each: usize) -> Result<&'a [u8]> {
        self.take(entries * bytes_each)
    }

    pub fn end(&self) -> Result<()> {
        if self.bytes.is_empty() {
            Ok(())
        } else {
            Err(Error::snapshot(format!("has too many {}", self.field)))
        }
    }
}

pub(crate) fn u16_at(column: &[u8], place: usize) -> u16 {
    column.as_chunks().0.get(place).map_or(0, |bytes| u16::from_le_bytes(*bytes))
}

pub(crate) fn u32_at(column: &[u8], place: usize) -> u32 {
    column.as_chunks().0.get(place).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

pub(crate) fn u64_at(column: &[u8], place: usize) -> u64 {
    column.as_chunks().0.get(place).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
