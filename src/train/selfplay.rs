//! Many games at once, each searched, one batch of leaves for the net.
