//! Values in canonical form, made from a type's table and a seed.

use std::collections::BTreeMap;

use api::schema::{Presence, Shape, TypeDef};
use serde_json::{Map, Value, json};

/// Numbers that look random and are the same each time (SplitMix64).
pub(in crate::codec) struct Source {
    state: u64,
    /// How many more structs get fields that may be absent.
    structs: usize,
}

impl Source {
    pub(in crate::codec) fn new(seed: u64) -> Self {
        Self { state: seed, structs: 150 }
    }

    pub(in crate::codec) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(in crate::codec) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// Text of what YAML, JSON and people have opinions on.
    pub(in crate::codec) fn text(&mut self) -> String {
        const WHOLE: [&str; 12] = [
            "",
            "a",
            "k\u{e4}se",
            "a longer text with \"quotes\"",
            "yes",
            "0644",
            "1e3",
            "~",
            "<<",
            "2026-11-30T05:27:51Z",
            "-",
            "1:20",
        ];
        const PARTS: [&str; 40] = [
            "a",
            "y",
            "N",
            "word",
            " ",
            "  ",
            "\n",
            "\n\n",
            "\t",
            "\r",
            ":",
            ": ",
            "#",
            " #",
            "-",
            "- ",
            "?",
            ",",
            "'",
            "\"",
            "\\",
            "{",
            "]",
            "&",
            "*",
            "!",
            "|",
            ">",
            "%",
            "@",
            "`",
            "0",
            "1",
            ".",
            "_",
            "\u{e9}",
            "\u{1f600}",
            "\u{85}\u{2028}",
            "\0\u{7f}",
            "\u{feff}\u{a0}",
        ];
        match self.below(4) {
            0 | 1 => self.pick(&WHOLE).to_owned(),
            2 => (0..self.below(8)).map(|_| self.pick(&PARTS)).collect(),
            // Longer than a line.
            _ => {
                (0..self.below(60)).map(|_| self.pick(&["word", " ", " ", "it's", "x: "])).collect()
            }
        }
    }

    /// Any JSON.
    fn json(&mut self, room: usize) -> Value {
        let kinds = if room == 0 { 6 } else { 8 };
        match self.below(kinds) {
            0 => self.pick(&[json!(0), json!(-7), json!(i64::MIN), json!(u64::MAX)]),
            1 => self.pick(&[json!(0.1), json!(1e300), json!(-2.5e-9), json!(0.30000000000000004)]),
            2 => self.pick(&[json!(true), json!(false)]),
            3 => json!({}),
            4 | 5 => self.text().into(),
            6 => (0..self.below(3)).map(|_| self.json(room - 1)).collect(),
            _ => {
                let members = (0..self.below(4)).map(|_| (self.text(), self.json(room - 1)));
                // In order, as YAML is read.
                Value::Object(members.collect::<BTreeMap<_, _>>().into_iter().collect())
            }
        }
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// An object of a type; `room` bounds how deep it gets.
pub(in crate::codec) fn object(source: &mut Source, type_def: &TypeDef, room: usize) -> Value {
    let mut members = Map::new();
    let room = if source.structs == 0 { 0 } else { room };
    source.structs = source.structs.saturating_sub(1);
    for field in &type_def.fields {
        let of_kind = ["kind", "apiVersion"].contains(&field.name.as_str()) && field.number == 0;
        if of_kind && super::layout::Layout::is_outside(type_def, field) {
            continue;
        }
        let absent = room == 0 || source.below(2) == 0;
        let value = match field.presence {
            Presence::Optional | Presence::OmitZero if absent => continue,
            Presence::Nullable if absent => Value::Null,
            // Inside a type there is always an end to what is always written.
            _ => value(source, &field.shape, room.saturating_sub(1)),
        };
        let omitted = match &field.shape {
            Shape::Struct(type_def) => value == type_def.zero(),
            shape => value == shape.zero() || value == json!([]) || value == json!({}),
        };
        match field.presence {
            Presence::OmitZero if omitted => {}
            Presence::Nullable if value == json!([]) => {
                members.insert(field.name.clone(), Value::Null);
            }
            _ => drop(members.insert(field.name.clone(), value)),
        }
    }
    Value::Object(members)
}

fn value(source: &mut Source, shape: &Shape, room: usize) -> Value {
    match shape {
        Shape::String(_) => source.text().into(),
        Shape::Bool => (source.below(2) == 0).into(),
        Shape::Int32 => source.pick(&[0, 1, -1, 300, i32::MAX, i32::MIN]).into(),
        Shape::Int64 => source.pick(&[0, 1, -1, 1 << 40, i64::MAX, i64::MIN]).into(),
        Shape::Double => source.pick(&[json!(1), json!(-2.5), json!(1e100), json!(0.1)]),
        Shape::Bytes => source.pick(&["AA==", "/+8="]).into(),
        Shape::Time => source
            .pick(&["1970-01-01T00:00:00Z", "2026-11-30T05:27:51Z", "1815-12-10T00:00:01Z"])
            .into(),
        Shape::MicroTime => {
            source.pick(&["1970-01-01T00:00:00.000000Z", "1815-12-10T00:00:01.000001Z"]).into()
        }
        Shape::Quantity => source.pick(&["1", "100m", "3Gi", "1e3", "0.5"]).into(),
        Shape::IntOrString => source.pick(&[json!(0), json!(-5), json!(""), json!("25%")]),
        Shape::Json(name) if name.ends_with("OrStringArray") => json!(["a", "b"]),
        Shape::Json(name) if name.ends_with("OrArray") => json!({"type": "string"}),
        Shape::Json(name) if name.ends_with("OrBool") => json!(true),
        Shape::Json(_) => source.json(3),
        Shape::Struct(type_def) => object(source, type_def, room),
        Shape::List(list) => {
            (0..source.below(3)).map(|_| value(source, &list.item, room)).collect()
        }
        Shape::Map(shape) => {
            let mut members = BTreeMap::new();
            for _ in 0..source.below(4) {
                members.insert(source.text(), value(source, shape, room));
            }
            Value::Object(members.into_iter().collect())
        }
    }
}
