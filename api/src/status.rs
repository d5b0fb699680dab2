//! st
