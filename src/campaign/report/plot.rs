//! A line over time as an SVG picture, whose colours the page's style chooses.

use plotters::prelude::*;

/// Colours that stand for what they are used for: the page's style puts others in their place.
const LINE: RGBColor = RGBColor(1, 1, 1);
const INK: RGBColor = RGBColor(2, 2, 2);
const GRID: RGBColor = RGBColor(3, 3, 3);
/// The same as the picture has them.
pub const LINE_MARK: &str = "#010101";
/// Of letters and axes.
pub const INK_MARK: &str = "#020202";
/// Of the lines behind.
pub const GRID_MARK: &str = "#030303";

/// Room for the letters, in pixels.
const LEFT: u32 = 62;
const BELOW: u32 = 32;
/// Half of the last mark's letters.
const RIGHT: u32 = 30;
const LETTERS: u32 = 13;
const MARGIN: u32 = 12;
/// Pixels between two marks on an axis, at least.
const MARKS_APART: u32 = 90;

/// The picture; none of a line that has no length.
pub fn plot(points: &[(f64, f64)], (width, height): (u32, u32)) -> Option<String> {
    let first = points.first()?.0;
    let last = points.last()?.0;
    let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
    if last <= first || most <= 0.0 {
        return None;
    }
    let mut out = String::new();
    draw(points, (first, last, most), (width, height), &mut out).ok()?;
    Some(out)
}

fn draw(
    points: &[(f64, f64)],
    (first, last, most): (f64, f64, f64),
    size: (u32, u32),
    out: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(out, size).into_drawing_area();
    // Marks at round numbers of what a person would count in.
    let (unit_s, unit) = match last {
        last if last < 120.0 => (1.0, "s"),
        last if last < 7_200.0 => (60.0, "min"),
        _ => (3_600.0, "h"),
    };
    let mut chart = ChartBuilder::on(&area)
        .margin(MARGIN)
        .margin_right(RIGHT)
        .x_label_area_size(BELOW)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(first.min(0.0)..last / unit_s, 0.0..most * 1.05)?;
    let letters = ("sans-serif", LETTERS).into_font().color(&INK);
    chart
        .configure_mesh()
        .x_labels((size.0 / MARKS_APART) as usize)
        .y_labels(5)
        .max_light_lines(0)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(letters)
        .x_label_formatter(&|count| format!("{count} {unit}"))
        .y_label_formatter(&|count| short(*count))
        .draw()?;
    let line = points.iter().map(|(seconds, count)| (seconds / unit_s, *count));
    chart.draw_series(LineSeries::new(line, LINE.stroke_width(2)))?;
    area.present()?;
    Ok(())
}

/// Seconds as a person says them.
pub fn time(seconds: f64) -> String {
    let whole = seconds.round().max(0.0) as u64;
    match whole {
        0..120 => format!("{whole} s"),
        120..7_200 if whole.is_multiple_of(60) => format!("{} min", whole / 60),
        120..7_200 => format!("{}:{:02} min", whole / 60, whole % 60),
        _ => format!("{:.1} h", seconds / 3_600.0),
    }
}

/// A count in few letters.
pub fn short(count: f64) -> String {
    match count {
        count if count >= 9_999_500.0 => format!("{:.0} M", count / 1e6),
        count if count >= 999_500.0 => format!("{:.1} M", count / 1e6),
        count if count >= 10_000.0 => format!("{:.0} k", count / 1e3),
        count if count >= 1_000.0 => format!("{:.1} k", count / 1e3),
        count => format!("{count:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_the_colours_that_the_style_changes_and_no_others() {
        let points: Vec<(f64, f64)> = (0..100).map(|x| (f64::from(x), f64::from(x * x))).collect();
        let picture = plot(&points, (400, 200)).unwrap();
        assert!(picture.contains("viewBox=\"0 0 400 200\"") && picture.contains("<polyline"));
        let colours = regex::Regex::new("#[0-9A-Fa-f]{6}").unwrap();
        for colour in colours.find_iter(&picture) {
            assert!([LINE_MARK, INK_MARK, GRID_MARK].contains(&colour.as_str()), "{colour:?}");
        }
        let hours: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x * 180.0, *y)).collect();
        let hours = plot(&hours, (860, 240)).unwrap();
        assert!(hours.contains("\n4 h\n") && picture.contains("\n50 s\n"), "{picture} {hours}");
        for few in [&[][..], &points[..1], &[(1.0, 0.0), (2.0, 0.0)]] {
            assert_eq!(plot(few, (400, 200)), None);
        }
    }

    #[test]
    fn counts_and_times_are_short() {
        let counts = [7.0, 999.0, 1_500.0, 42_300.0, 1_200_000.0, 88e6].map(short);
        assert_eq!(counts, ["7", "999", "1.5 k", "42 k", "1.2 M", "88 M"]);
        let times = [0.2, 119.0, 120.0, 150.0, 7_200.0].map(time);
        assert_eq!(times, ["0 s", "119 s", "2 min", "2:30 min", "2.0 h"]);
    }
}
