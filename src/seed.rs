//! Many streams of chance from one seed.

/// One number out of two, well stirred (the finalizer of SplitMix64: Steele, Lea and Flood 2014).
///
/// ```
/// use shashki::seed::mix;
///
/// assert_ne!(mix(1, 2), mix(2, 1));
/// ```
#[must_use]
pub const fn mix(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
