//! A picture of what was seen: a panel per job.

use crate::look::Look;
use crate::session::History;
use plotters::coord::Shift;
use plotters::prelude::{
    AreaSeries, ChartBuilder, Color, DrawingArea, IntoDrawingArea, IntoFont, LineSeries, RGBColor, Rectangle,
    SVGBackend, WHITE,
};
use std::path::PathBuf;

const WIDTH: u32 = 900;
const PANEL: u32 = 230;
/// More points than that are not told apart at this width.
const POINTS: usize = 800;

const DEPTH: RGBColor = RGBColor(46, 110, 200);
const LIMIT: RGBColor = RGBColor(40, 40, 40);
const PARKED: RGBColor = RGBColor(205, 60, 50);
const IDLE: RGBColor = RGBColor(225, 160, 40);

/// For the options: nothing but SVG is drawn.
pub(crate) fn path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let svg = path.extension().is_some_and(|extension| extension == "svg");
    svg.then_some(path).ok_or_else(|| "a name that ends in .svg".into())
}

/// Depth against window, and the parts of the time in which either side waited, over time. The error is a line for people.
pub(crate) fn svg(histories: &[&History]) -> Result<String, String> {
    let mut text = String::new();
    let panels = u32::try_from(histories.len()).unwrap_or(u32::MAX).clamp(1, 100);
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, panels * PANEL)).into_drawing_area();
        let failed = |error: &dyn std::fmt::Display| format!("cannot draw: {error}");
        area.fill(&WHITE).map_err(|error| failed(&error))?;
        let rows = area.split_evenly((histories.len().clamp(1, 100), 1));
        for (row, history) in rows.iter().zip(histories) {
            panel(row, history).map_err(|error| failed(&error))?;
        }
        area.present().map_err(|error| failed(&error))?;
    }
    Ok(text)
}

type Failed = Box<dyn std::error::Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn panel(area: &Area<'_>, history: &History) -> Result<(), Failed> {
    let looks = thinned(history);
    let (first, last) = match (looks.first(), looks.last()) {
        (Some(first), Some(last)) => (first.time, last.time.max(first.time + 0.1)),
        _ => (0.0, 1.0),
    };
    let top = looks.iter().map(|look| number(look.depth.max(look.window))).fold(1.0, f64::max) * 1.12;
    let caption = format!("{} ({})", history.name, history.way);
    let area = area.margin(6, 4, 6, 6);
    let (head, body) = area.split_vertically(44);
    head.draw_text(&caption, &("sans-serif", 17).into_font().color(&LIMIT), (48, 2))?;
    let sentence = history.looks.back().map_or("", |look| look.diagnosis.as_str());
    head.draw_text(sentence, &("sans-serif", 13).into_font().color(&LIMIT.mix(0.75)), (48, 25))?;
    legend(&head)?;

    let mut chart = ChartBuilder::on(&body)
        .x_label_area_size(26)
        .y_label_area_size(46)
        .right_y_label_area_size(46)
        .build_cartesian_2d(first..last, 0.0..top)?
        .set_secondary_coord(first..last, 0.0..112.0);
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(WHITE)
        .bold_line_style(LIMIT.mix(0.1))
        .axis_style(LIMIT.mix(0.4))
        .x_label_formatter(&|x| format!("{x:.0} s"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .x_labels(7)
        .y_labels(5)
        .y_desc("chunks")
        .draw()?;
    chart
        .configure_secondary_axes()
        .axis_style(LIMIT.mix(0.4))
        .y_label_formatter(&|y| format!("{y:.0} %"))
        .y_labels(5)
        .draw()?;

    let depth = looks.iter().map(|look| (look.time, number(look.depth)));
    chart.draw_series(AreaSeries::new(depth, 0.0, DEPTH.mix(0.25)).border_style(DEPTH))?;
    let window = looks.iter().map(|look| (look.time, number(look.window)));
    chart.draw_series(LineSeries::new(window, LIMIT.stroke_width(2)))?;
    let idle = looks.iter().map(|look| (look.time, look.idle_share * 100.0));
    chart.draw_secondary_series(LineSeries::new(idle, IDLE.stroke_width(2)))?;
    let parked = looks.iter().map(|look| (look.time, look.park_share * 100.0));
    chart.draw_secondary_series(LineSeries::new(parked, PARKED.stroke_width(2)))?;
    Ok(())
}

/// What is which, above the panel, where it hides nothing.
fn legend(head: &Area<'_>) -> Result<(), Failed> {
    let font = ("sans-serif", 12).into_font().color(&LIMIT);
    let entries = [(470, "in flight", DEPTH), (552, "window", LIMIT), (628, "senders parked", PARKED)];
    for (x, text, colour) in entries.into_iter().chain([(748, "consumer idle", IDLE)]) {
        head.draw(&Rectangle::new([(x, 9), (x + 14, 13)], colour.filled()))?;
        head.draw_text(text, &font, (x + 20, 4))?;
    }
    Ok(())
}

/// No more than can be drawn.
fn thinned(history: &History) -> Vec<&Look> {
    history.looks.iter().step_by(history.looks.len().div_ceil(POINTS).max(1)).collect()
}

fn number(n: u64) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{path, svg};
    use crate::look::Look;
    use crate::session::History;

    fn made(looks: u32) -> History {
        let looks = (0..looks).map(|n| Look {
            time: f64::from(n) / 10.0,
            depth: u64::from(n % 17),
            window: 16,
            park_share: f64::from(n % 11) / 10.0,
            diagnosis: "healthy: senders waited & the consumer <idled>".into(),
            ..Look::default()
        });
        History { name: "<job> & \"co\"".into(), way: "local".into(), looks: looks.collect() }
    }

    /// Every tag that is opened is closed, in order, and no text holds what has to be escaped.
    fn assert_well_formed(text: &str) {
        let mut open = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            assert!(!rest[..start].contains('>'), "a bare > in {:?}", &rest[..start]);
            let end = rest[start..].find('>').expect("a tag is closed") + start;
            let tag = &rest[start + 1..end];
            assert!(!tag.contains('<'), "{tag}");
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            let name = |tag: &str| tag.split_whitespace().next().unwrap_or_default().to_owned();
            match tag.strip_prefix('/') {
                Some(closed) => assert_eq!(open.pop(), Some(name(closed))),
                None if tag.ends_with('/') || tag.starts_with(['?', '!']) => {}
                None => open.push(name(tag)),
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "{open:?} is not closed");
    }

    #[test]
    fn a_recording_becomes_a_well_formed_picture() {
        let (one, other) = (made(60), made(2));
        let text = svg(&[&one, &other]).unwrap();
        assert_well_formed(&text);
        assert!(text.starts_with("<svg ") && text.matches("senders parked").count() == 2);
        assert!(text.contains("&lt;job&gt; &amp; "), "names are escaped");
        assert!(text.matches("<polyline").count() >= 8, "four lines a panel");
    }

    #[test]
    fn little_and_much_can_be_drawn() {
        for looks in [0, 1, 2, 6000] {
            let text = svg(&[&made(looks)]).unwrap();
            assert_well_formed(&text);
            assert!(text.len() < 100_000, "{looks} looks: {} bytes", text.len());
        }
        assert_well_formed(&svg(&[]).unwrap());
    }

    #[test]
    fn only_svg_is_drawn() {
        assert!(path("a.svg").is_ok() && path("a.png").is_err() && path("svg").is_err());
    }
}
