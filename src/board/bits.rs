//! A set of squares as the one bits of a word, walked from low to high.

/// Iterates over the positions of the one bits of a word, lowest first.
///
/// ```
/// # use shashki::board::Bits;
/// assert_eq!(Bits(0b1010).collect::<Vec<_>>(), [1, 3]);
/// ```
#[derive(Copy, Clone, Debug)]
pub struct Bits(pub u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

impl ExactSizeIterator for Bits {}
