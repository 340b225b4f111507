//! Every kind of error has its step.
