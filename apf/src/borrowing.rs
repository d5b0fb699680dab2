//! How many seats each level has at the moment: the adjustment that lends and borrows
//! (spec: apf 5.3).
//!
//! Two quirks of the reference matter here. When there is enough for everyone, what is shared out
//! is the sum of the nominal limits, seats that the exempt level uses included: kept, see
//! `EXEMPT_SEATS_ARE_SHARED_OUT_TOO`. And the reference reports the target of some other level as that of the
//! exempt level: here it is the exempt level's own least limit.

use crate::allocation::{Item, allocate};
use crate::config::Limits;
use crate::integrator::SeatDemandStatistics;

/// Whether seats that the exempt level uses are shared out among the other levels all the same,
/// when there is enough for everyone. So does the reference; its design says otherwise.
const EXEMPT_SEATS_ARE_SHARED_OUT_TOO: bool = true;

/// What the adjustment has to know about a level.
#[derive(Debug, Clone, Copy)]
pub struct Borrower {
    /// Whether it is exempt.
    pub exempt: bool,
    /// Its limits before borrowing.
    pub limits: Limits,
    /// Its demand for seats.
    pub demand: SeatDemandStatistics,
    /// CurrentCL as it was.
    pub current: u64,
}

/// What the adjustment does to a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdjustedLevel {
    /// How many seats it should have.
    pub target: f64,
    /// CurrentCL: how many it gets.
    pub current: u64,
}

/// What the adjustment does.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjustment {
    /// What it does to each level, in the order given.
    pub levels: Vec<AdjustedLevel>,
    /// The part of their targets that levels get which hit no bound; 0 if there was not enough for
    /// everyone.
    pub seat_fair_frac: f64,
}

impl Borrower {
    /// What the level cannot do without.
    fn least(&self) -> u64 {
        let demand = self.demand.high_watermark;
        let needed = if self.exempt { demand } else { demand.min(self.limits.nominal) };
        needed.max(self.limits.min)
    }

    fn target(&self) -> f64 {
        let least = self.least() as f64;
        if self.exempt { least } else { least.max(self.demand.smoothed) }
    }
}

/// Shares the seats out anew. `nominal_sum` is the sum of the nominal limits of all levels.
#[must_use]
pub fn adjust(nominal_sum: u64, levels: &[Borrower]) -> Adjustment {
    let limited = || levels.iter().filter(|level| !level.exempt);
    let exempt_sum: u64 = levels.iter().filter(|level| level.exempt).map(Borrower::least).sum();
    let min_sum = limited().map(|level| level.limits.min).sum::<u64>() as f64;
    let least_sum = limited().map(Borrower::least).sum::<u64>() as f64;
    let remaining = nominal_sum as f64 - exempt_sum as f64;

    let (currents, seat_fair_frac) = if remaining <= least_sum {
        (limited().map(|level| scarce(level, remaining, min_sum, least_sum)).collect(), 0.0)
    } else {
        let required_sum =
            if EXEMPT_SEATS_ARE_SHARED_OUT_TOO { nominal_sum as f64 } else { remaining };
        plentiful(required_sum, &limited().collect::<Vec<_>>())
    };
    let mut currents = currents.into_iter();
    let adjusted = levels.iter().map(|level| {
        let current = if level.exempt { None } else { currents.next() };
        let current = current.unwrap_or_else(|| level.least());
        AdjustedLevel { target: level.target(), current }
    });
    Adjustment { levels: adjusted.collect(), seat_fair_frac }
}

/// There is not enough for what everyone cannot do without: each level gets at least its minimum.
fn scarce(level: &Borrower, remaining: f64, min_sum: f64, least_sum: f64) -> u64 {
    let min = level.limits.min;
    if remaining <= min_sum {
        return min;
    }
    let share = (remaining - min_sum) / (least_sum - min_sum);
    min + ((level.least() - min) as f64 * share).round() as u64
}

fn plentiful(required_sum: f64, levels: &[&Borrower]) -> (Vec<u64>, f64) {
    let items: Vec<Item> = levels
        .iter()
        .map(|level| Item {
            target: level.target(),
            lower: level.least() as f64,
            upper: level.limits.max as f64,
        })
        .collect();
    match allocate(required_sum, &items) {
        Ok(allocation) => {
            let currents = allocation.parts.iter().map(|part| part.round() as u64).collect();
            (currents, allocation.fair_prop)
        }
        Err(error) => {
            tracing::error!(%error, "keeping the concurrency limits as they were");
            (levels.iter().map(|level| level.current).collect(), 0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::test_support::{Json, LevelsModel, vectors};

    fn run_scenario(scenario: &Json) {
        let name = &scenario["name"];
        let mut model = LevelsModel::new(scenario["serverCL"].as_u64().unwrap());
        model.digest(&scenario["config"]);
        for step in scenario["steps"].as_array().unwrap() {
            if let Some(levels) = step.get("levels") {
                model.assert_levels(levels, &format!("{name} after digestion"));
                continue;
            }
            model.run_period(step);
            model.adjust();
            let when = format!("{name}, period {}", step["period"]);
            model.assert_levels(&step["levelsAfterAdjustment"], &when);
        }
    }

    #[test]
    fn seats_are_lent_and_borrowed_as_recorded() {
        for scenario in vectors("borrowing").as_array().unwrap() {
            run_scenario(scenario);
        }
    }

    #[test]
    fn limits_after_the_first_digestion_are_as_recorded() {
        let vectors = vectors("limits");
        for case in vectors["custom"].as_array().unwrap() {
            let mut model = LevelsModel::new(case["serverCL"].as_u64().unwrap());
            model.digest(&case["config"]);
            model.assert_levels(&case["levels"], case["name"].as_str().unwrap());
            assert_eq!(Some(model.nominal_sum()), case["nominalCLSum"].as_u64());
        }
        for case in vectors["defaults"].as_array().unwrap() {
            let mut model = LevelsModel::new(case["serverCL"].as_u64().unwrap());
            model.digest(&Json::Array(vec![]));
            model.assert_levels(&case["beforeAnyConfig"], "before any configuration");
            model.digest_defaults();
            model.assert_levels(&case["levels"], "defaults");
            assert_eq!(Some(model.nominal_sum()), case["nominalCLSum"].as_u64());
        }
    }
}
