mod properties;
mod traces;
