//! What is on the screen.

use crate::job::Job;
use crate::look::Look;
use crate::session::History;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph, Sparkline, Wrap};

/// The least that a job needs: its frame, a row of depth, its numbers, its diagnosis.
const LEAST: u16 = 5;
/// More is of no use.
const MOST: u16 = 10;
/// The bar of a share.
const BAR: usize = 10;

/// All that is shown of a job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Card {
    name: String,
    way: String,
    adaptive: bool,
    produce: u64,
    consume: u64,
    /// The depth at each look, the latest first.
    depths: Vec<u64>,
    look: Look,
}

/// Wider than any terminal: so many looks are drawn at most.
const DRAWN: usize = 500;

impl Card {
    pub(crate) fn of(job: &Job, history: &History) -> Self {
        let (produce, consume) = job.costs();
        Self {
            name: history.name.clone(),
            way: history.way.clone(),
            adaptive: job.adaptive,
            produce,
            consume,
            depths: history.looks.iter().rev().take(DRAWN).map(|look| look.depth).collect(),
            look: history.looks.back().cloned().unwrap_or_default(),
        }
    }
}

/// Draws all of them, or, if there are too many, those around the selected one.
pub(crate) fn draw(frame: &mut Frame<'_>, cards: &[Card], selected: usize) {
    let [body, keys] = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(frame.area());
    let fit = usize::from(body.height / LEAST).max(1);
    let first = selected.saturating_sub(fit - 1).min(cards.len().saturating_sub(fit));
    let shown = cards.iter().enumerate().skip(first).take(fit);
    let rows = Layout::vertical(shown.clone().map(|_| Constraint::Max(MOST))).split(body);
    for ((n, card), area) in shown.zip(rows.iter()) {
        draw_card(frame, *area, card, n == selected);
    }
    let help = " ↑↓ job   + - window   ] [ consumer's work   } { producer's   a adapt   q quit";
    frame.render_widget(Line::styled(help, Style::new().fg(Color::DarkGray)), keys);
}

fn draw_card(frame: &mut Frame<'_>, area: Rect, card: &Card, selected: bool) {
    let colour = if selected { Color::Cyan } else { Color::DarkGray };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let title = Line::from(vec![Span::styled(format!(" {} ", card.name), bold), Span::raw(format!("· {} ", card.way))]);
    let costs = format!(" produce {}, consume {} ", time(card.produce), time(card.consume));
    let block = Block::bordered()
        .border_type(if selected { BorderType::Thick } else { BorderType::Plain })
        .border_style(Style::new().fg(colour))
        .title_top(title.style(Style::reset()))
        .title_top(Line::from(costs).style(Style::reset()).right_aligned());
    let inner = block.inner(area);
    frame.render_widget(block, area);

    let sentence = Paragraph::new(card.look.diagnosis.as_str()).wrap(Wrap { trim: true });
    // In whole if there is room beside one row of depth and the numbers.
    let lines = if inner.height < LEAST - 1 { 1 } else { lines_of(&card.look.diagnosis, inner.width) };
    let rows = [Constraint::Min(1), Constraint::Length(1), Constraint::Length(lines)];
    let [depth, numbers, diagnosis] = Layout::vertical(rows).areas(inner);
    // As many as fit, the latest at the right edge.
    let width = usize::from(depth.width);
    let mut data: Vec<u64> = card.depths.iter().take(width).copied().collect();
    data.resize(width, 0);
    data.reverse();
    let line = Sparkline::default().data(&data).max(card.look.window.max(1)).style(Style::new().fg(Color::Blue));
    frame.render_widget(line, depth);
    frame.render_widget(self::numbers(card), numbers);
    frame.render_widget(sentence, diagnosis);
}

/// How many lines a sentence takes, at most two.
fn lines_of(sentence: &str, width: u16) -> u16 {
    if sentence.chars().count() > usize::from(width) { 2 } else { 1 }
}

fn numbers(card: &Card) -> Line<'static> {
    let Look { depth, window, park_share, idle_share, rate, .. } = card.look;
    let adaptive = if card.adaptive { "~" } else { "" };
    let mut spans = vec![Span::raw(format!("{:<16}", format!("{depth} of {window}{adaptive}")))];
    for (name, share, colour) in [("parked ", park_share, Color::Red), ("idle ", idle_share, Color::Yellow)] {
        spans.push(Span::raw(name));
        spans.push(Span::styled(bar(share), Style::new().fg(colour)));
        spans.push(Span::raw(format!("{:>4.0} %  ", share * 100.0)));
    }
    spans.push(Span::raw(format!("{rate:.0}/s")));
    Line::from(spans)
}

fn bar(share: f64) -> String {
    let full = (1..=10_u32).filter(|n| f64::from(*n) <= share * 10.0 + 0.5).count().min(BAR);
    "█".repeat(full) + &"░".repeat(BAR - full)
}

/// Microseconds for people.
fn time(micros: u64) -> String {
    if micros < 1000 {
        format!("{micros} µs")
    } else {
        format!("{:.1} ms", f64::from(u32::try_from(micros).unwrap_or(u32::MAX)) / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Card, bar, draw, time};
    use crate::look::Look;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn made(name: &str) -> Card {
        let diagnosis = "the consumer is the limit: senders waited for 93 % of the time".into();
        let look =
            Look { time: 3.0, depth: 15, window: 16, park_share: 0.93, idle_share: 0.02, rate: 1234.4, diagnosis };
        let (name, way) = (name.to_owned(), "tcp".into());
        let depths = vec![15, 16, 8, 0];
        Card { name, way, adaptive: true, produce: 500, consume: 8000, depths, look }
    }

    fn screen(cards: &[Card], selected: usize, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, cards, selected)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn a_card_shows_its_numbers() {
        let screen = screen(&[made("export")], 0, 80, 12);
        let numbers =
            ["export · tcp", "produce 500 µs, consume 8.0 ms", "15 of 16~", "93 %", "2 %", "1234/s", "q quit"];
        for text in numbers.into_iter().chain(["the consumer is the limit: senders waited for 93 % of the time"]) {
            assert!(screen.contains(text), "{text} in\n{screen}");
        }
        // The newest look is at the right edge, just inside the frame.
        assert!(screen.lines().any(|line| line.contains("▇┃") || line.contains("█┃")), "{screen}");
    }

    #[test]
    fn the_selected_one_is_in_sight() {
        let cards: Vec<_> = (0..9).map(|n| made(&format!("job {n}"))).collect();
        for selected in 0..9 {
            let screen = screen(&cards, selected, 80, 24);
            assert!(screen.contains(&format!("job {selected}")), "{selected}\n{screen}");
        }
    }

    #[test]
    fn no_terminal_is_too_small() {
        for (width, height) in [(1, 1), (3, 2), (10, 4), (200, 3)] {
            screen(&[made("a"), made("b")], 1, width, height);
        }
        screen(&[], 0, 80, 24);
    }

    #[test]
    fn bars_and_times() {
        assert_eq!(
            [0.0, 0.04, 0.5, 0.96, 1.0, 1.2].map(|share| bar(share).matches('█').count()),
            [0, 0, 5, 10, 10, 10]
        );
        assert_eq!([0, 999, 1000, 12_500].map(time), ["0 µs", "999 µs", "1.0 ms", "12.5 ms"]);
    }
}
