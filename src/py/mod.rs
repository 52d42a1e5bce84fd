//! The Python module: unpack, call, pack.
