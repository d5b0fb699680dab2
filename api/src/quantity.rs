//! Quantities such as `100m` or `1Gi` (spec: apimachinery, `resource.Quantity`): reading, comparing,
//! adding, and the one way in which each is written.

use std::cmp::Ordering;

use serde_json::Value;

/// Units in which amounts are counted: a thousand millionth is the smallest that is told apart.
const NANOS: i128 = 1_000_000_000;

const BINARY: [(&str, u32); 6] =
    [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];

const DECIMAL: [(&str, u32); 10] = [
    ("n", 0),
    ("u", 3),
    ("m", 6),
    ("", 9),
    ("k", 12),
    ("M", 15),
    ("G", 18),
    ("T", 21),
    ("P", 24),
    ("E", 27),
];

/// More digits than any amount in range has.
const DIGITS_MAX: usize = 64;

/// An amount and the family of suffixes it was written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    nanos: i128,
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Binary,
    Decimal,
    Exponent,
}

/// The text is no quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// It does not look like one.
    #[error(
        "quantities must match the regular expression \
         '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )]
    Format,
    /// Its suffix is none of the known ones.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

impl std::str::FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return Err(QuantityError::Format);
        }
        let scale = Scale::parse(suffix)?;
        let nanos = scale.nanos(whole.trim_start_matches('0'), fraction);
        Ok(Self { nanos: if negative { -nanos } else { nanos }, format: scale.format() })
    }
}

/// What a suffix multiplies by.
#[derive(Clone, Copy)]
enum Scale {
    /// By a power of two.
    Binary(u32),
    /// By a power of ten.
    Decimal(i32, Format),
}

impl Scale {
    fn parse(suffix: &str) -> Result<Self, QuantityError> {
        if let Some((_, bits)) = BINARY.iter().find(|(name, _)| *name == suffix) {
            return Ok(Self::Binary(*bits));
        }
        if let Some(place) = DECIMAL.iter().position(|(name, _)| *name == suffix) {
            let exponents = [-9, -6, -3, 0, 3, 6, 9, 12, 15, 18];
            return Ok(Self::Decimal(exponents[place], Format::Decimal));
        }
        let exponent = suffix.strip_prefix(['e', 'E']).ok_or_else(|| unknown_suffix(suffix))?;
        let exponent: i32 = exponent.parse().map_err(|_| unknown_suffix(suffix))?;
        Ok(Self::Decimal(exponent, Format::Exponent))
    }

    fn format(self) -> Format {
        match self {
            Self::Binary(_) => Format::Binary,
            Self::Decimal(_, format) => format,
        }
    }

    /// Amounts out of range become the largest; what is smaller than a nano is rounded up.
    fn nanos(self, whole: &str, fraction: &str) -> i128 {
        let fraction = fraction.trim_end_matches('0');
        if whole.is_empty() && fraction.is_empty() {
            return 0;
        }
        let largest = i128::from(i64::MAX) * NANOS;
        if whole.len() + fraction.len() > DIGITS_MAX {
            return largest;
        }
        let (exponent, bits) = match self {
            Self::Binary(bits) => (0, bits),
            Self::Decimal(exponent, _) => (exponent, 0),
        };
        let places = i64::from(exponent) + 9 - i64::try_from(fraction.len()).unwrap_or(0);
        let digits: String = [whole, fraction].concat();
        let (kept, rest) = shift(&digits, places);
        let Some(base) = kept.parse::<i128>().ok().filter(|base| *base <= largest) else {
            return largest;
        };
        // With a binary suffix it is the fraction of the unit that is rounded up.
        (base + i128::from(rest)).checked_mul(1 << bits).map_or(largest, |exact| exact.min(largest))
    }
}

/// The digits with the decimal point moved, and whether something was cut off.
fn shift(digits: &str, places: i64) -> (String, bool) {
    let count = usize::try_from(places.unsigned_abs()).unwrap_or(usize::MAX).min(DIGITS_MAX);
    if places >= 0 {
        return (format!("0{digits}{}", "0".repeat(count)), false);
    }
    let kept = digits.len().saturating_sub(count);
    (format!("0{}", &digits[..kept]), digits[kept..].bytes().any(|digit| digit != b'0'))
}

fn unknown_suffix(suffix: &str) -> QuantityError {
    let mut letters = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    letters = letters.strip_prefix(['-', '+']).unwrap_or(letters);
    if letters.bytes().all(|byte| byte.is_ascii_digit()) {
        QuantityError::Suffix
    } else {
        QuantityError::Format
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.nanos == 0 {
            return f.write_str("0");
        }
        let binary = self.format == Format::Binary
            && self.nanos.abs() >= 1024 * NANOS
            && self.nanos % NANOS == 0;
        if binary {
            let value = self.nanos / NANOS;
            let fits = |bits: u32| value % (1_i128 << bits) == 0;
            let (suffix, bits) =
                BINARY.iter().rev().find(|(_, bits)| fits(*bits)).copied().unwrap_or(("", 0));
            return write!(f, "{}{suffix}", value >> bits);
        }
        let fits = |power: u32| self.nanos % 10_i128.pow(power) == 0;
        let (suffix, power) =
            DECIMAL.iter().rev().find(|(_, power)| fits(*power)).copied().unwrap_or(("n", 0));
        let number = self.nanos / 10_i128.pow(power);
        match self.format {
            Format::Exponent if power != 9 => write!(f, "{number}e{}", i64::from(power) - 9),
            _ => write!(f, "{number}{suffix}"),
        }
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.nanos.partial_cmp(&other.nanos)
    }
}

impl Quantity {
    /// Nothing.
    pub const ZERO: Self = Self { nanos: 0, format: Format::Decimal };

    /// One of something.
    pub const ONE: Self = Self { nanos: NANOS, format: Format::Decimal };

    /// A number of things.
    #[must_use]
    pub fn of_count(number: usize) -> Self {
        let number = i128::try_from(number).unwrap_or(i128::MAX);
        Self { nanos: number.saturating_mul(NANOS), format: Format::Decimal }
    }

    /// The quantity a canonical object holds; nothing if it holds none.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => text.trim().parse().unwrap_or(Self::ZERO),
            Value::Number(number) => number.to_string().parse().unwrap_or(Self::ZERO),
            _ => Self::ZERO,
        }
    }

    /// Whether two amounts are the same, however they are written.
    #[must_use]
    pub fn equals(self, other: Self) -> bool {
        self.nanos == other.nanos
    }

    /// Whether it is a whole number.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.nanos % NANOS == 0
    }

    /// Less than, equal to or more than nothing.
    #[must_use]
    pub fn sign(self) -> Ordering {
        self.nanos.cmp(&0)
    }

    /// The number, if it is a whole one.
    #[must_use]
    pub fn whole(self) -> Option<i64> {
        if self.is_whole() { i64::try_from(self.nanos / NANOS).ok() } else { None }
    }

    /// The number, as near as a floating-point number comes to it.
    #[must_use]
    pub fn approximate(self) -> f64 {
        self.nanos as f64 / NANOS as f64
    }

    /// The difference; the format is that of the first.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self { nanos: self.nanos.saturating_sub(other.nanos), format: self.format }
    }

    /// The difference, at least nothing; the format is that of the first.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        let nanos = self.nanos.saturating_sub(other.nanos).max(0);
        Self { nanos, format: self.format }
    }

    /// The sum; the format is that of the first, unless that is nothing.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let format = if self.nanos == 0 { other.format } else { self.format };
        Self { nanos: self.nanos.saturating_add(other.nanos), format }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_amount_is_written_in_one_way() {
        for (text, written) in [
            ("0", "0"),
            ("1000m", "1"),
            ("0.5", "500m"),
            ("1024Mi", "1Gi"),
            ("1500Mi", "1500Mi"),
            ("1000", "1k"),
            ("1Ki", "1Ki"),
            ("1.5Gi", "1536Mi"),
            ("0.5Ki", "512"),
            ("512Mi", "512Mi"),
            ("1e3", "1e3"),
            ("12e2", "1200"),
            ("-5", "-5"),
            ("+1", "1"),
            ("1.1n", "2n"),
            (".5", "500m"),
            ("1.", "1"),
        ] {
            assert_eq!(text.parse::<Quantity>().unwrap().to_string(), written, "{text}");
        }
    }

    #[test]
    fn nothing_has_no_format_of_its_own() {
        let quantity = |text: &str| text.parse::<Quantity>().unwrap();
        assert_eq!(Quantity::ZERO.plus(quantity("1Gi")).to_string(), "1Gi");
        assert_eq!(Quantity::of_count(3).plus(Quantity::ONE).to_string(), "4");
        assert_eq!(quantity("2Gi").less(quantity("1Gi")).to_string(), "1Gi");
        assert_eq!(quantity("1").less(quantity("2")).to_string(), "0");
    }

    #[test]
    fn huge_amounts_become_the_largest() {
        for text in ["1e999999999", "99999999999999999999", "9999E", &"9".repeat(500)] {
            let quantity = text.parse::<Quantity>().unwrap();
            assert_eq!(quantity.nanos, i128::from(i64::MAX) * NANOS, "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity_is_told() {
        for text in ["", "a", "1.2.3", "1 Gi", "-", "1Gix"] {
            assert_eq!(text.parse::<Quantity>(), Err(QuantityError::Format), "{text}");
        }
        for text in ["1GG", "1ie", "1e", "1K"] {
            assert_eq!(text.parse::<Quantity>(), Err(QuantityError::Suffix), "{text}");
        }
    }
}
