//! Every knob of a run on one page.
