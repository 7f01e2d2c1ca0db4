//! Times and texts as a person reads them.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The time in ISO 8601, in UTC, by the second: as files have it.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// A file's time in the zone of this machine.
pub fn local(at: &str) -> String {
    match at.parse::<Timestamp>() {
        Ok(time) => in_zone(time, TimeZone::system()),
        Err(_) => plain(at),
    }
}

fn in_zone(time: Timestamp, zone: TimeZone) -> String {
    time.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S %Z").to_string()
}

/// A text in one line, without what a terminal would act on: some of it is the target's.
pub fn plain(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' | '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_time_is_told_in_the_zone_of_the_reader() {
        let time: Timestamp = "2026-07-01T10:00:00Z".parse().unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(in_zone(time, zone), "2026-07-01 12:00:00 +02");
        assert_eq!(local("no\u{1b}time"), "no\u{fffd}time");
        assert_eq!(plain("a\nb\u{9b}c"), "a b\u{fffd}c");
        assert!(now().parse::<Timestamp>().is_ok());
    }
}
