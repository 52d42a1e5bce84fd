//! How the words of a position become its key.

/// A hash with a further word stirred in: both halves of a 128-bit product, as in "folded multiply" hashes, and the hash
/// before, turned, so that equal words in other places count differently.
pub(crate) const fn stir(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word) as u128 * 0xd6e8_feb8_6659_fd93;
    (product as u64 ^ (product >> 64) as u64).wrapping_add(hash.rotate_left(25))
}
