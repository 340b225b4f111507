//! Writes gzip by hand (RFC 1951, RFC 1952): one block of the fixed code a piece, flushed where told.

/// The fixed code of the end of a block.
const END: u32 = 256;
/// A repetition of the longest length.
const LONGEST: u32 = 285;
/// How many bytes that stands for.
const RUN: usize = 258;

/// A gzip stream in the making.
pub(super) struct Gzip {
    out: Vec<u8>,
    /// Bits that fill no byte yet, the lowest first.
    bits: u32,
    count: u32,
    crc: u32,
    length: usize,
}

impl Gzip {
    pub(super) fn new() -> Self {
        let out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
        Self { out, bits: 0, count: 0, crc: u32::MAX, length: 0 }
    }

    /// Adds a text.
    pub(super) fn text(mut self, text: &[u8]) -> Self {
        self.begin(false);
        for &byte in text {
            self.literal(byte);
        }
        self.symbol(END);
        self
    }

    /// Adds at least `length` times the same byte.
    pub(super) fn run(mut self, byte: u8, length: usize) -> Self {
        self.begin(false);
        self.literal(byte);
        for _ in 0..length.div_ceil(RUN) {
            // Of the longest length, from a distance of one.
            self.symbol(LONGEST);
            self.put(0, 5);
            (0..RUN).for_each(|_| self.sum(byte));
        }
        self.symbol(END);
        self
    }

    /// Makes all so far readable.
    pub(super) fn flush(mut self) -> Self {
        self.put(0b000, 3);
        self.align();
        self.out.extend([0, 0, 0xff, 0xff]);
        self
    }

    /// What there is since the last time, where it ends with a flush.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// The rest of the stream.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.begin(true);
        self.symbol(END);
        self.align();
        self.out.extend((!self.crc).to_le_bytes());
        self.out.extend(u32::try_from(self.length).unwrap().to_le_bytes());
        self.out
    }

    /// Begins a block of the fixed code.
    fn begin(&mut self, is_last: bool) {
        self.put(u32::from(is_last) | 0b010, 3);
    }

    fn literal(&mut self, byte: u8) {
        self.symbol(byte.into());
        self.sum(byte);
    }

    /// Adds a symbol by the fixed code, whose bits come the highest first.
    fn symbol(&mut self, symbol: u32) {
        let (code, length) = match symbol {
            0..=143 => (0x30 + symbol, 8),
            144..=255 => (0x190 + symbol - 144, 9),
            256..=279 => (symbol - 256, 7),
            _ => (0xc0 + symbol - 280, 8),
        };
        for place in (0..length).rev() {
            self.put(code >> place & 1, 1);
        }
    }

    fn put(&mut self, bits: u32, count: u32) {
        self.bits |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.bits.to_le_bytes()[0]);
            self.bits >>= 8;
            self.count -= 8;
        }
    }

    fn align(&mut self) {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
    }

    fn sum(&mut self, byte: u8) {
        self.length += 1;
        self.crc ^= u32::from(byte);
        for _ in 0..8 {
            let is_odd = self.crc & 1 == 1;
            self.crc = self.crc >> 1 ^ if is_odd { 0xedb8_8320 } else { 0 };
        }
    }
}
