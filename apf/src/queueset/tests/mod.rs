mod epoch;
mod properties;
mod traces;
