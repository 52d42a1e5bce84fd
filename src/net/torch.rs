//! The same networks in tch: training and GPU inference.
