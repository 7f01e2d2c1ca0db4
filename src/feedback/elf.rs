//! Where a program's coverage counters lie, as its ELF file has it.

use std::io::{Read, Seek};

use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader as _, SectionHeader as _};
use object::read::{ReadCache, ReadRef};
use thiserror::Error;

use super::limits::{COUNTERS, SECTIONS, SEGMENTS};

/// The section that compilers put inline 8-bit counters in.
pub const SECTION: &str = "__sancov_cntrs";

/// What a file says of its counters and of how it is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The first counter's address, before the load address is added.
    pub address: u64,
    /// How many there are, one byte each.
    pub count: usize,
    /// Whether it is loaded where it says, and not wherever there is room.
    pub fixed: bool,
    /// What is loaded of it.
    pub segments: Vec<Segment>,
}

/// A part of the file that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its address, before the load address is added.
    pub address: u64,
    /// Where it begins in the file.
    pub offset: u64,
    /// How much of it is in the file, in bytes.
    pub bytes: u64,
}

impl Segment {
    /// Where in the file what is at `address` comes from, if it does come from there.
    fn file_offset(&self, address: u64) -> Option<u64> {
        let within = address.checked_sub(self.address).filter(|&within| within < self.bytes)?;
        self.offset.checked_add(within)
    }
}

impl Image {
    /// Where in the file the first counter is.
    pub fn offset(&self) -> Option<u64> {
        self.segments.iter().find_map(|segment| segment.file_offset(self.address))
    }
}

/// Why a file has no counters to be read.
#[derive(Debug, Error)]
pub enum NoCounters {
    /// It was built without, or stripped of the names of its sections.
    #[error("it has no section {SECTION}: docs/coverage.md tells how to build it so that it has")]
    NoSection,
    /// Other machines' words are not read.
    #[error("it is no 64-bit ELF file of this machine's byte order")]
    NotElf,
    /// What its headers say cannot be.
    #[error("{0}")]
    Malformed(object::Error),
    /// It says that it has more of something than is looked at.
    #[error("it says that it has {count} {what}, and {most} are the most that is looked at")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many it says there are.
        count: u64,
        /// How many there may be.
        most: u64,
    },
}

impl From<object::Error> for NoCounters {
    fn from(why: object::Error) -> NoCounters {
        NoCounters::Malformed(why)
    }
}

/// Finds the counters in `file`, of which the headers are read, and no more.
pub fn find(file: impl Read + Seek) -> Result<Image, NoCounters> {
    let cache = ReadCache::new(file);
    let header = FileHeader64::<Endianness>::parse(&cache).map_err(|_| NoCounters::NotElf)?;
    let endian = header.endian()?;
    if endian != Endianness::default() {
        return Err(NoCounters::NotElf);
    }
    // The numbers are looked at first: they say how much is read.
    at_most("sections", header.shnum(endian, &cache)?, SECTIONS)?;
    at_most("segments", header.phnum(endian, &cache)?, SEGMENTS)?;
    let (address, bytes) = section(header, endian, &cache)?;
    at_most("counters", bytes, COUNTERS as u64)?;
    let segments = header
        .program_headers(endian, &cache)?
        .iter()
        .filter(|segment| segment.p_type(endian) == elf::PT_LOAD)
        .map(|segment| Segment {
            address: segment.p_vaddr(endian),
            offset: segment.p_offset(endian),
            bytes: segment.p_filesz(endian),
        })
        .collect();
    // An empty section is none.
    let count = usize::try_from(bytes).ok().filter(|&count| count > 0);
    let count = count.ok_or(NoCounters::NoSection)?;
    Ok(Image { address, count, fixed: header.e_type(endian) == elf::ET_EXEC, segments })
}

/// The section's address and size.
fn section<'data>(
    header: &FileHeader64<Endianness>,
    endian: Endianness,
    data: impl ReadRef<'data>,
) -> Result<(u64, u64), NoCounters> {
    let sections = header.sections(endian, data)?;
    let (_, section) =
        sections.section_by_name(endian, SECTION.as_bytes()).ok_or(NoCounters::NoSection)?;
    Ok((section.sh_addr(endian), section.sh_size(endian)))
}

fn at_most(what: &'static str, count: impl Into<u64>, most: u64) -> Result<(), NoCounters> {
    match count.into() {
        count if count <= most => Ok(()),
        count => Err(NoCounters::TooMany { what, count, most }),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const HEADER: usize = 64;
    const SEGMENT: usize = 56;
    const SECTION_HEADER: usize = 64;
    const NAMES: &[u8] = b"\0__sancov_cntrs\0.names\0";

    /// A small ELF file: two segments, and the sections nothing, counters, names.
    struct Made {
        kind: u16,
        sections: (u16, u64),
        segments: u16,
        name: u32,
        address: u64,
        bytes: u64,
        names: (u64, u64),
    }

    impl Made {
        fn new() -> Made {
            let names = (HEADER + 2 * SEGMENT) as u64;
            let names = (names, NAMES.len() as u64);
            Made {
                kind: 3,
                sections: (3, 0),
                segments: 2,
                name: 1,
                address: 0x2010,
                bytes: 99,
                names,
            }
        }

        fn file(&self) -> Vec<u8> {
            let sections = HEADER + 2 * SEGMENT + NAMES.len().next_multiple_of(8);
            let mut file = b"\x7fELF\x02\x01\x01".to_vec();
            file.resize(16, 0);
            let mut put = |bytes: &[u8]| file.extend_from_slice(bytes);
            put(&self.kind.to_le_bytes());
            put(&62_u16.to_le_bytes());
            put(&1_u32.to_le_bytes());
            for word in [0, HEADER as u64, sections as u64] {
                put(&word.to_le_bytes());
            }
            put(&0_u32.to_le_bytes());
            for half in [64, 56, self.segments, 64, self.sections.0, 2] {
                put(&half.to_le_bytes());
            }
            for (offset, address) in [(0_u64, 0_u64), (0x1000, 0x2000)] {
                put(&1_u32.to_le_bytes());
                put(&6_u32.to_le_bytes());
                for word in [offset, address, address, 0x800, 0x900, 0x1000] {
                    put(&word.to_le_bytes());
                }
            }
            put(NAMES);
            put(&[0].repeat(NAMES.len().next_multiple_of(8) - NAMES.len()));
            for (name, kind, address, offset, bytes) in [
                (0, 0, 0, 0, self.sections.1),
                (self.name, 1, self.address, 0x1010, self.bytes),
                (16, 3, 0, self.names.0, self.names.1),
            ] {
                let at = file.len();
                let mut put = |bytes: &[u8]| file.extend_from_slice(bytes);
                put(&u32::to_le_bytes(name));
                put(&u32::to_le_bytes(kind));
                for word in [3, address, offset, bytes] {
                    put(&u64::to_le_bytes(word));
                }
                file.resize(at + SECTION_HEADER, 0);
            }
            file
        }

        fn find(&self) -> Result<Image, NoCounters> {
            find(Cursor::new(self.file()))
        }
    }

    #[test]
    fn the_counters_are_found_and_whether_they_may_move() {
        let image = Made::new().find().unwrap();
        let segments = [
            Segment { address: 0, offset: 0, bytes: 0x800 },
            Segment { address: 0x2000, offset: 0x1000, bytes: 0x800 },
        ];
        assert_eq!(image.segments, segments);
        assert_eq!((image.address, image.count, image.fixed), (0x2010, 99, false));
        assert_eq!(image.offset(), Some(0x1010));
        assert!(Made { kind: 2, ..Made::new() }.find().unwrap().fixed);
        let zero_at_first = Made { address: 0x2850, ..Made::new() }.find().unwrap();
        assert_eq!(zero_at_first.offset(), None);
    }

    #[test]
    fn a_file_without_is_told_why() {
        let none = |made: Made| made.find().unwrap_err().to_string();
        assert!(none(Made { name: 16, ..Made::new() }).contains("docs/coverage.md"));
        assert!(none(Made { bytes: 0, ..Made::new() }).contains("no section"));
        // What strip leaves: no sections at all.
        assert!(none(Made { sections: (0, 0), ..Made::new() }).contains("no section"));
        for bytes in [&b""[..], b"#!/bin/sh\nexec server\n", &[0x7f; 64]] {
            assert!(matches!(find(Cursor::new(bytes)), Err(NoCounters::NotElf)));
        }
        let mut other = Made::new().file();
        other[5] = 2;
        assert!(find(Cursor::new(other)).is_err());
    }

    #[test]
    fn absurd_numbers_are_refused_before_anything_is_read() {
        let too_many = |made: Made| matches!(made.find(), Err(NoCounters::TooMany { .. }));
        assert!(too_many(Made { bytes: u64::MAX, ..Made::new() }));
        assert!(too_many(Made { bytes: COUNTERS as u64 + 1, ..Made::new() }));
        assert!(too_many(Made { sections: (0, 1 << 31), ..Made::new() }));
        assert!(too_many(Made { segments: 0x8000, ..Made::new() }));
        assert!(Made { sections: (0, u64::MAX), ..Made::new() }.find().is_err());
        assert!(Made { sections: (2, 0), ..Made::new() }.find().is_err());
        for names in [(u64::MAX, 5), (5, u64::MAX), (1 << 40, 1 << 40)] {
            assert!(Made { names, ..Made::new() }.find().is_err());
        }
    }

    #[test]
    fn a_file_cut_short_or_spoilt_anywhere_is_no_panic() {
        let whole = Made::new().file();
        for end in 0..whole.len() {
            assert!(find(Cursor::new(&whole[..end])).is_err(), "{end}");
        }
        for at in 0..whole.len() {
            for byte in [0x00, 0x01, 0x7f, 0x80, 0xff] {
                let mut spoilt = whole.clone();
                spoilt[at] = byte;
                if let Ok(image) = find(Cursor::new(spoilt)) {
                    assert!(image.count <= COUNTERS && image.segments.len() <= SEGMENTS as usize);
                    let _ = image.offset();
                }
            }
        }
    }
}
