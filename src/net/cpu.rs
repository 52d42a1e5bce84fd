//! The forward pass on the CPU, on ndarray.
