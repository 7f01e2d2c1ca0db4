//! Where the system put a program: its load address, from the list of a process's mappings.

use super::elf::{Image, Segment};

/// The least that the system maps of a file, in bytes. Where its pages are larger than that,
/// addresses and offsets are multiples of it all the same.
const PAGE_BYTES: u64 = 4_096;

/// The file that a process runs, in the two ways by which its mappings may name it: some file
/// systems of containers say one device or inode in the one place, and another in the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// Its path, as the system has it.
    pub path: Vec<u8>,
    /// Its device's major and minor number, and its inode.
    pub inode: (u64, u64, u64),
}

/// A line of `/proc/PID/maps` that is of the executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mapping {
    start: u64,
    end: u64,
    /// What of the file is at `start`.
    offset: u64,
}

impl Mapping {
    /// The address of what is at `offset` in the file.
    fn address(&self, offset: u64) -> Option<u64> {
        let within = offset.checked_sub(self.offset)?;
        let address = self.start.checked_add(within)?;
        (address < self.end).then_some(address)
    }

    fn has(&self, address: u64, offset: u64) -> bool {
        self.address(offset) == Some(address)
    }
}

/// What is to be added to the addresses of `image` in the process that has these mappings. A page
/// of the file may be mapped more than once, as the end of one segment and the beginning of the
/// next: so it must be right for every segment.
pub fn load_address(maps: &[u8], executable: &Executable, image: &Image) -> Option<u64> {
    let mappings: Vec<Mapping> =
        maps.split(|&byte| byte == b'\n').filter_map(|line| mapping(line, executable)).collect();
    // Those that are not in the file, but zero at first, are after something that is.
    let last = |segment: &&Segment| segment.bytes > 0 && segment.address <= image.address;
    let near = image.segments.iter().filter(last).max_by_key(|segment| segment.address)?;
    let offset = image.offset().unwrap_or(near.offset);
    let address = if image.offset().is_some() { image.address } else { near.address };
    let fits = |base: u64| {
        image.segments.iter().filter(|segment| segment.bytes > 0).all(|segment| {
            let there = base.wrapping_add(segment.address);
            mappings.iter().any(|mapping| mapping.has(page(there), page(segment.offset)))
        })
    };
    mappings
        .iter()
        .filter_map(|mapping| Some(mapping.address(offset)?.wrapping_sub(address)))
        .find(|&base| page(base) == base && (base == 0 || !image.fixed) && fits(base))
}

fn page(address: u64) -> u64 {
    address & !(PAGE_BYTES - 1)
}

/// `START-END PERMISSIONS OFFSET MAJOR:MINOR INODE PATH`, if it is the executable's.
fn mapping(line: &[u8], executable: &Executable) -> Option<Mapping> {
    let mut rest = line;
    let mut field = || {
        let text = rest.trim_ascii_start();
        let end = text.iter().position(|&byte| byte == b' ').unwrap_or(text.len());
        let (field, after) = text.split_at(end);
        rest = after;
        std::str::from_utf8(field).ok()
    };
    let (start, end) = field()?.split_once('-')?;
    let _permissions = field()?;
    let offset = hex(field()?)?;
    let (major, minor) = field()?.split_once(':')?;
    let device = (hex(major)?, hex(minor)?);
    let inode: u64 = field()?.parse().ok()?;
    let path = rest.trim_ascii_start();
    let own = path == executable.path || (device.0, device.1, inode) == executable.inode;
    // What is mapped from no file has the inode 0.
    (own && inode != 0).then_some(())?;
    let (start, end) = (hex(start)?, hex(end)?);
    (start < end).then_some(Mapping { start, end, offset })
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/tmp/a server";

    fn executable() -> Executable {
        Executable { path: PATH.into(), inode: (0xfe, 1, 77) }
    }

    /// What LLVM's linker makes of a small program: four segments, and all of them in one page.
    fn image(base: u64) -> Image {
        let segment = |address, offset, bytes| Segment { address: base + address, offset, bytes };
        Image {
            address: base + 0x3814,
            count: 4,
            fixed: base > 0,
            segments: vec![
                segment(0, 0, 0x548),
                segment(0x1550, 0x550, 0x13d),
                segment(0x2690, 0x690, 0x180),
                segment(0x3810, 0x810, 0x48),
            ],
        }
    }

    fn maps(base: u64) -> String {
        let line = |at: u64, rights: &str| {
            let (start, end) = (base + at, base + at + 0x1000);
            format!("{start:x}-{end:x} {rights} 00000000 fe:01 77    {PATH}\n")
        };
        let own = line(0, "r--p") + &line(0x1000, "r-xp") + &line(0x2000, "r--p");
        let own = own + &line(0x3000, "rw-p");
        // The shadow of AddressSanitizer's is first.
        format!("7fff7000-10007fff8000 rw-p 00000000 00:00 0 \n{own}not a line\n")
            + "7ffe0000-7ffe1000 rw-p 00000000 00:00 0          [stack]\n"
    }

    #[test]
    fn the_load_address_is_that_which_fits_every_segment() {
        let at = |maps: &str, image: &Image| load_address(maps.as_bytes(), &executable(), image);
        assert_eq!(at(&maps(0x5555_0000_0000), &image(0)), Some(0x5555_0000_0000));
        assert_eq!(at(&maps(0x100_0000), &image(0x100_0000)), Some(0));
        // Loaded at an address of its own, and yet elsewhere: not this file's doing.
        assert_eq!(at(&maps(0x200_0000), &image(0x100_0000)), None);
        let gone = maps(0x5555_0000_0000).lines().take(4).collect::<Vec<_>>().join("\n");
        assert_eq!(at(&gone, &image(0)), None);
    }

    #[test]
    fn the_file_is_known_by_its_path_or_by_its_inode() {
        let (image, text) = (image(0), maps(0x5555_0000_0000));
        let is = |path: &str, inode| {
            let executable = Executable { path: path.into(), inode };
            load_address(text.as_bytes(), &executable, &image).is_some()
        };
        assert!(is(PATH, (0, 40, 9)) && is("/merged/a server", (0xfe, 1, 77)));
        assert!(!is("/merged/a server", (0, 40, 77)) && !is("/tmp/a", (0xfe, 1, 7)));
        // A deleted file is called so in both places.
        let deleted = text.replace("a server\n", "a server (deleted)\n");
        let executable = Executable { path: format!("{PATH} (deleted)").into(), inode: (0, 40, 9) };
        assert!(load_address(deleted.as_bytes(), &executable, &image).is_some());
    }

    #[test]
    fn counters_that_are_not_in_the_file_are_after_what_is() {
        let mut image = image(0);
        image.address = 0x3900;
        image.segments.pop();
        image.segments.push(Segment { address: 0x3810, offset: 0x810, bytes: 0x48 });
        image.segments.push(Segment { address: 0x9000, offset: 0, bytes: 0 });
        assert_eq!(image.offset(), None);
        let maps = maps(0x5555_0000_0000);
        let base = load_address(maps.as_bytes(), &executable(), &image);
        assert_eq!(base, Some(0x5555_0000_0000));
    }

    #[test]
    fn lines_and_addresses_that_cannot_be_are_passed_over() {
        let image = image(0);
        let lines = [
            "",
            "5-4 r--p 0 fe:01 77 /tmp/a server",
            "0-ffffffffffffffff r--p ffffffffffffffff fe:01 77 /tmp/a server",
            "ffffffffffffffff-fffffffffffffffff r--p 0 fe:01 77 /tmp/a server",
            "fffffffffffff000-ffffffffffffffff r--p 0 fe:01 77 /tmp/a server",
            "x-y r--p 0 fe:01 77 /tmp/a server",
            "0-1000 r--p 0 fe 77 /tmp/a server",
            "0-1000 r--p",
            "\u{e9} \u{e9}",
        ];
        let text = lines.join("\n");
        assert_eq!(load_address(text.as_bytes(), &executable(), &image), None);
        let mut absurd = image;
        for segment in &mut absurd.segments {
            (segment.address, segment.offset, segment.bytes) = (u64::MAX, u64::MAX, u64::MAX);
        }
        absurd.address = u64::MAX;
        assert_eq!(load_address(text.as_bytes(), &executable(), &absurd), None);
        assert_eq!(load_address(&[0xff; 4096], &executable(), &absurd), None);
    }
}
