//! The header of a gzip member, read byte by byte. Nothing of it is kept.

use bytes::{Buf, Bytes};
use flate2::Crc;

use super::GunzipError;

/// Most bytes of a header: an extra field of any length, and names to match.
const MAX_HEADER: usize = 128 * 1024;

const MAGIC: [u8; 2] = [0x1f, 0x8b];
const DEFLATE: u8 = 8;
const FIXED: usize = 10;

const HAS_CHECKSUM: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

#[derive(Debug, Default)]
pub(super) struct Header {
    part: Part,
    flags: u8,
    /// Of all before the checksum.
    crc: Crc,
    /// Bytes read so far.
    length: usize,
    /// Bytes of this part so far.
    at: usize,
    /// The number that the first two bytes of this part are.
    number: u16,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    #[default]
    Fixed,
    Extra,
    Name,
    Comment,
    Checksum,
}

/// The parts that a flag says are there, in order.
const OPTIONAL: [(u8, Part); 4] = [
    (HAS_EXTRA, Part::Extra),
    (HAS_NAME, Part::Name),
    (HAS_COMMENT, Part::Comment),
    (HAS_CHECKSUM, Part::Checksum),
];

impl Header {
    /// Takes bytes off the chunk; whether the header is complete.
    pub(super) fn read(&mut self, chunk: &mut Bytes) -> Result<bool, GunzipError> {
        while chunk.has_remaining() {
            if self.push(chunk.get_u8())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether not a byte was read.
    pub(super) fn is_untouched(&self) -> bool {
        self.length == 0
    }

    /// Whether enough was read to know that this is a header.
    pub(super) fn is_member(&self) -> bool {
        self.length >= MAGIC.len()
    }

    /// Takes one byte; whether it was the last one of the header.
    fn push(&mut self, byte: u8) -> Result<bool, GunzipError> {
        if self.length == MAX_HEADER {
            return Err(GunzipError::LongHeader);
        }
        self.length += 1;
        let at = self.at;
        self.at += 1;
        if at < 2 {
            self.number |= u16::from(byte) << (8 * at);
        }
        if self.part != Part::Checksum {
            self.crc.update(&[byte]);
        }
        let is_part_end = match self.part {
            Part::Fixed => {
                self.check_fixed(at, byte)?;
                self.at == FIXED
            }
            Part::Extra => self.at >= 2 && self.at == 2 + usize::from(self.number),
            Part::Name | Part::Comment => byte == 0,
            Part::Checksum => self.at == 2,
        };
        if !is_part_end {
            return Ok(false);
        }
        let lower_half = self.crc.sum() & 0xffff;
        if self.part == Part::Checksum && u32::from(self.number) != lower_half {
            return Err(GunzipError::HeaderChecksum);
        }
        Ok(!self.begin_next_part())
    }

    fn check_fixed(&mut self, at: usize, byte: u8) -> Result<(), GunzipError> {
        match at {
            0 | 1 if byte != MAGIC[at] => Err(GunzipError::NotGzip),
            2 if byte != DEFLATE => Err(GunzipError::Header),
            3 if byte & RESERVED != 0 => Err(GunzipError::Header),
            3 => {
                self.flags = byte;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether there is another part.
    fn begin_next_part(&mut self) -> bool {
        let (flags, part) = (self.flags, self.part);
        let next = OPTIONAL.into_iter().find(|(flag, other)| flags & flag != 0 && *other > part);
        if let Some((_, part)) = next {
            (self.part, self.at, self.number) = (part, 0, 0);
        }
        next.is_some()
    }
}
