//! The verdict on credit-channel after a grid: cell by cell, and the worst of it.

use crate::contenders::{CREDIT_CHANNEL, IDIOM, PLAIN};
use crate::spread::Spread;

/// Its speed in one cell, as ratios to the two references.
pub struct Ratios {
    pub cell: String,
    pub idiom: Spread,
    pub plain: Spread,
}

pub fn print(title: &str, grid: &[Ratios]) {
    let (Some(idiom), Some(plain)) = (worst(grid, |ratios| ratios.idiom), worst(grid, |ratios| ratios.plain)) else {
        return; // it did not take part
    };
    println!("\n## {title}: verdict on {CREDIT_CHANNEL}, median speed (min..max) in times that of");
    println!("{:<20}   {:<20}   cell", IDIOM, PLAIN);
    for Ratios { cell, idiom, plain } in grid {
        println!("{idiom:<20}   {plain:<20}   {cell}");
    }
    println!(
        "worst: {:.2} of {IDIOM} at ({}), {:.2} of {PLAIN} at ({})",
        idiom.idiom.median, idiom.cell, plain.plain.median, plain.cell
    );
}

fn worst(grid: &[Ratios], by: fn(&Ratios) -> Spread) -> Option<&Ratios> {
    grid.iter().min_by(|a, b| by(a).median.total_cmp(&by(b).median))
}
