//! Columns that are aligned with commas (spec: apf 9.1).

/// Columns are at least so wide.
const MIN_WIDTH: usize = 8;
/// The space after the comma of the longest cell.
const PADDING: usize = 1;

/// Lays rows out, the first of which are the names of the columns. Each cell but a row's last gets
/// a comma and spaces up to the width of its column.
#[must_use]
pub fn render(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            let longest = cells.map(|cell| cell.chars().count() + 1 + PADDING).max();
            longest.unwrap_or_default().max(MIN_WIDTH)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        for (position, (cell, width)) in row.iter().zip(&widths).enumerate() {
            text.push_str(cell);
            if position + 1 < row.len() {
                text.push(',');
                let written = cell.chars().count() + 1;
                text.extend(std::iter::repeat_n(' ', width - written));
            }
        }
        text.push('\n');
    }
    text
}
