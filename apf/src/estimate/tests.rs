use super::*;
use crate::test_support::{Json, vectors};

struct Recorded<'a>(&'a Json);

/// The source is asked through a trait object that must not borrow.
struct Fixed(ObjectStatistics);

impl ObjectStatisticsSource for Fixed {
    fn object_statistics(&self, _api_group: &str, _resource: &str) -> ObjectStatistics {
        self.0
    }
}

impl Recorded<'_> {
    fn number(&self, field: &str) -> u64 {
        self.0[field].as_u64().unwrap()
    }

    fn flag(&self, field: &str) -> bool {
        self.0[field].as_bool().unwrap()
    }

    fn statistics(&self) -> ObjectStatistics {
        match self.0["statsError"].as_str().unwrap() {
            "" => ObjectStatistics::Known {
                count: self.number("objectCount"),
                average_bytes: self.number("avgObjectBytes"),
            },
            "notfound" => ObjectStatistics::Unknown,
            _ => ObjectStatistics::Stale,
        }
    }

    fn estimate(&self) -> WorkEstimate {
        let text = |field: &str| self.0[field].as_str().unwrap();
        let target = ResourceTarget {
            verb: text("verb"),
            resource: text("resource"),
            subresource: text("subresource"),
            name: text("requestInfoName"),
            ..ResourceTarget::default()
        };
        let estimator = Estimator {
            config: EstimatorConfig {
                size_based_list_cost_estimate: self.flag("sizeBasedListCostEstimate"),
                watch_list: self.flag("watchListFeature"),
                consistent_read_from_cache: self.flag("consistentReadFromCache"),
            },
            level_max_seats: Some(self.number("levelMaxSeats")).filter(|seats| *seats > 0),
            objects: &Fixed(self.statistics()),
            interested_watches: &|_| self.number("interestedWatches"),
        };
        estimator.estimate(&Target::Resource(target), text("query")).work
    }
}

#[test]
fn work_is_estimated_as_recorded() {
    for case in vectors("work-estimator").as_array().unwrap() {
        let recorded = Recorded(case);
        let work = recorded.estimate();
        assert_eq!(work.initial_seats, recorded.number("initialSeats"), "{case}");
        assert_eq!(work.final_seats, recorded.number("finalSeats"), "{case}");
        assert_eq!(work.max_seats(), recorded.number("maxSeats"), "{case}");
        let latency = Duration::from_nanos(recorded.number("additionalLatencyNs"));
        assert_eq!(work.additional_latency, latency, "{case}");
    }
}

#[test]
fn the_first_value_of_an_option_counts_and_broken_pairs_do_not() {
    let query = ListQuery::decode("limit=%zz&limit=5&limit=x&labelSelector=a%3Db").unwrap();
    assert_eq!((query.limit, query.selects), (5, true));
    assert_eq!(ListQuery::decode("timeoutSeconds="), Err(UndecodableQuery));
}
