//! Shuffle sharding: each flow is dealt a hand of queues (spec: apf 7.2, 3.8).

use sha2::{Digest, Sha256};

/// The most bits that dealing a hand may use up.
const MAX_HASH_BITS: u32 = 60;
/// The largest deck.
const MAX_DECK_SIZE: i32 = 1 << 26;
/// The largest hand that [`MAX_HASH_BITS`] admits: 15 cards, from a deck of 15 or 16.
const MAX_HAND_SIZE: usize = 15;

/// Why no hand of such a size can be dealt from such a deck. The texts are those of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DealerError {
    /// One of the sizes is zero or negative.
    #[error("deckSize {deck_size} or handSize {hand_size} is not positive")]
    NotPositive {
        /// The number of queues.
        deck_size: i32,
        /// The number of queues dealt.
        hand_size: i32,
    },
    /// The hand is larger than the deck.
    #[error("handSize {hand_size} is greater than deckSize {deck_size}")]
    HandGreaterThanDeck {
        /// The number of queues.
        deck_size: i32,
        /// The number of queues dealt.
        hand_size: i32,
    },
    /// The deck is too large.
    #[error("deckSize {0} is impractically large")]
    DeckTooLarge(i32),
    /// A hash has too few bits for such hands.
    #[error(
        "required entropy bits of deckSize {deck_size} and handSize {hand_size} is greater than \
         {MAX_HASH_BITS}"
    )]
    TooMuchEntropy {
        /// The number of queues.
        deck_size: i32,
        /// The number of queues dealt.
        hand_size: i32,
    },
}

/// Deals hands of distinct queues; its sizes are known to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dealer {
    deck_size: u32,
    hand_size: u32,
}

/// A dealt hand: distinct indexes of queues, in the order they were dealt.
#[derive(Debug, Clone, Copy)]
pub struct Hand {
    cards: [u32; MAX_HAND_SIZE],
    size: usize,
}

/// How many bits of a hash it takes to deal `hand_size` of `deck_size` cards.
#[must_use]
pub fn required_entropy_bits(deck_size: i32, hand_size: i32) -> u32 {
    (f64::from(deck_size).log2() * f64::from(hand_size)).ceil() as u32
}

impl Dealer {
    /// A dealer of hands of `hand_size` from a deck of `deck_size` queues.
    ///
    /// # Errors
    ///
    /// [`DealerError`] for sizes that no hand can be dealt with.
    pub fn new(deck_size: i32, hand_size: i32) -> Result<Self, DealerError> {
        let (Ok(deck), Ok(hand)) = (u32::try_from(deck_size), u32::try_from(hand_size)) else {
            return Err(DealerError::NotPositive { deck_size, hand_size });
        };
        if deck == 0 || hand == 0 {
            return Err(DealerError::NotPositive { deck_size, hand_size });
        }
        if hand > deck {
            return Err(DealerError::HandGreaterThanDeck { deck_size, hand_size });
        }
        if deck_size > MAX_DECK_SIZE {
            return Err(DealerError::DeckTooLarge(deck_size));
        }
        if required_entropy_bits(deck_size, hand_size) > MAX_HASH_BITS {
            return Err(DealerError::TooMuchEntropy { deck_size, hand_size });
        }
        Ok(Self { deck_size: deck, hand_size: hand })
    }

    /// The number of queues.
    #[must_use]
    pub const fn deck_size(&self) -> u32 {
        self.deck_size
    }

    /// The number of queues in a hand.
    #[must_use]
    pub const fn hand_size(&self) -> u32 {
        self.hand_size
    }

    /// The hand of the flow with this hash.
    #[must_use]
    pub fn deal(&self, hash: u64) -> Hand {
        let size = self.hand_size as usize;
        let mut remainders = [0; MAX_HAND_SIZE];
        let mut rest = hash;
        for (remainder, left) in remainders[..size].iter_mut().zip((1..=self.deck_size).rev()) {
            *remainder = (rest % u64::from(left)) as u32;
            rest /= u64::from(left);
        }
        let mut cards = remainders;
        for (position, card) in cards[..size].iter_mut().enumerate() {
            // Each remainder counts among the cards that were left; step over those gone before.
            for earlier in remainders[..position].iter().rev() {
                *card += u32::from(*card >= *earlier);
            }
        }
        Hand { cards, size }
    }
}

impl Hand {
    /// The indexes of the queues.
    #[must_use]
    pub fn cards(&self) -> &[u32] {
        &self.cards[..self.size]
    }
}

/// The hash of the flow that a FlowSchema and a distinguisher make (spec: apf 3.8).
#[must_use]
pub fn flow_hash(flow_schema_name: &str, distinguisher: &str) -> u64 {
    let digest = Sha256::new()
        .chain_update(flow_schema_name)
        .chain_update([0])
        .chain_update(distinguisher)
        .finalize();
    digest.iter().take(8).rev().fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Json, vectors};

    fn size(case: &Json, field: &str) -> i32 {
        i32::try_from(case[field].as_i64().unwrap()).unwrap()
    }

    fn hash(case: &Json) -> u64 {
        case["hash"].as_str().unwrap().parse().unwrap()
    }

    fn assert_hand(dealer: Dealer, hash: u64, expected: &Json) {
        let expected: Vec<u32> = serde_json::from_value(expected.clone()).unwrap();
        assert_eq!(dealer.deal(hash).cards(), expected);
    }

    #[test]
    fn required_bits_and_errors_are_as_recorded() {
        for case in vectors("shuffle-sharding")["entropy"].as_array().unwrap() {
            let (deck_size, hand_size) = (size(case, "deckSize"), size(case, "handSize"));
            let dealer = Dealer::new(deck_size, hand_size);
            let error = dealer.err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), case["error"].as_str(), "{case}");
            if deck_size > 0 && hand_size > 0 {
                let bits = u64::from(required_entropy_bits(deck_size, hand_size));
                assert_eq!(Some(bits), case["requiredEntropyBits"].as_u64(), "{case}");
            }
        }
    }

    #[test]
    fn hands_are_as_recorded() {
        for case in vectors("shuffle-sharding")["hands"].as_array().unwrap() {
            let dealer = Dealer::new(size(case, "deckSize"), size(case, "handSize")).unwrap();
            assert_hand(dealer, hash(case), &case["hand"]);
        }
    }

    #[test]
    fn flow_hashes_and_their_hands_are_as_recorded() {
        for case in vectors("flow-hash").as_array().unwrap() {
            let schema = case["flowSchema"].as_str().unwrap();
            let hash_of_flow = flow_hash(schema, case["distinguisher"].as_str().unwrap());
            assert_eq!(hash_of_flow, hash(case), "{case}");
            for (deck_size, hand_size) in [(128, 6), (64, 6), (16, 4)] {
                let field = format!("hand{deck_size}x{hand_size}");
                assert_hand(Dealer::new(deck_size, hand_size).unwrap(), hash_of_flow, &case[field]);
            }
        }
    }
}
