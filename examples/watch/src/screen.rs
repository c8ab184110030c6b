//! The terminal: drawing on it, and what is pressed.

use crate::Ended;
use crate::session::{EVERY, Session};
use crate::ui::{Card, draw};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Shows the jobs until `q` or Ctrl-C. The error is a line for people.
pub(crate) fn run(session: &mut Session, interrupted: &AtomicBool) -> Result<Ended, String> {
    // This also sees to it that a panic, of whichever task, gives the terminal back before it is reported.
    let mut terminal = ratatui::try_init().map_err(|error| {
        ratatui::restore();
        failed(&error)
    })?;
    let ended = watch(&mut terminal, session, interrupted);
    ratatui::restore();
    ended
}

fn watch(terminal: &mut DefaultTerminal, session: &mut Session, interrupted: &AtomicBool) -> Result<Ended, String> {
    let mut selected = 0;
    loop {
        session.look()?;
        show(terminal, session, selected)?;
        let next = Instant::now() + EVERY;
        while event::poll(next.saturating_duration_since(Instant::now())).map_err(|error| failed(&error))? {
            let pressed = match event::read().map_err(|error| failed(&error))? {
                Event::Key(key) if key.kind != KeyEventKind::Release => press(key, session, &mut selected),
                _ => None,
            };
            if let Some(ended) = pressed {
                return Ok(ended);
            }
            show(terminal, session, selected)?;
        }
        if interrupted.load(Ordering::Relaxed) {
            return Ok(Ended::Interrupted);
        }
    }
}

fn show(terminal: &mut DefaultTerminal, session: &Session, selected: usize) -> Result<(), String> {
    let cards: Vec<_> = session.jobs().map(|(job, history)| Card::of(job, history)).collect();
    terminal.draw(|frame| draw(frame, &cards, selected)).map(drop).map_err(|error| failed(&error))
}

/// Does what a key asks for; the end, if it was that.
fn press(key: KeyEvent, session: &mut Session, selected: &mut usize) -> Option<Ended> {
    let last = session.jobs().count().saturating_sub(1);
    match key.code {
        // In raw mode it comes as a key and not as a signal.
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Some(Ended::Interrupted),
        KeyCode::Char('q') => return Some(Ended::AsAsked),
        KeyCode::Up | KeyCode::Char('k') => *selected = selected.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => *selected = last.min(*selected + 1),
        _ => {}
    }
    let job = session.job(*selected)?;
    match key.code {
        KeyCode::Char('+' | '=') => job.scale_window(true),
        KeyCode::Char('-') => job.scale_window(false),
        KeyCode::Char(']') => job.scale_consume(true),
        KeyCode::Char('[') => job.scale_consume(false),
        KeyCode::Char('}') => job.scale_produce(true),
        KeyCode::Char('{') => job.scale_produce(false),
        KeyCode::Char('a') => job.adapt(!job.adaptive),
        _ => {}
    }
    None
}

fn failed(error: &io::Error) -> String {
    format!("cannot use the terminal: {error}")
}
