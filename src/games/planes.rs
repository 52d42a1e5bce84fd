//! Positions as numbers for a net: the few ones of the board planes and the values of the scalar planes.

use crate::board::{Bits, Board, Geometry, Side};

use super::spec::Spec;

/// A batch of encoded positions, sparse: a board holds few pieces, so a first layer can add rows instead of multiplying.
///
/// For each position: the input numbers (`plane * squares + square`) that are one, and the scalar planes' values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// The inputs that are one, position after position.
    pub ones: Vec<u16>,
    /// Where each position's ones end in `ones`.
    pub ends: Vec<u32>,
    /// The scalars, position after position.
    pub scalars: Vec<f32>,
}

impl Features {
    /// Forgets all positions, keeps the memory.
    pub fn clear(&mut self) {
        self.ones.clear();
        self.ends.clear();
        self.scalars.clear();
    }

    /// How many positions are encoded.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no position is encoded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The inputs of position `i` that are one.
    #[must_use]
    #[inline]
    pub fn ones_of(&self, i: usize) -> &[u16] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.ones[start..self.ends[i] as usize]
    }

    /// The scalar planes' values of position `i`.
    #[must_use]
    #[inline]
    pub fn scalars_of(&self, i: usize) -> &[f32] {
        let n = self.scalars.len() / self.ends.len();
        &self.scalars[i * n..(i + 1) * n]
    }

    /// Sets a plane to one on the square of a bit, as a side sees the board.
    #[inline]
    pub fn mark<const W: usize, const H: usize>(&mut self, plane: usize, side: Side, bit: u32) {
        let square = Geometry::<W, H>::DENSE_OF[Geometry::<W, H>::seen(side, bit) as usize];
        self.ones.push((plane * Geometry::<W, H>::SQUARES + usize::from(square)) as u16);
    }

    /// Sets the six planes of a board, from plane `first` on, as a side sees it: its own men, its own kings, the other's
    /// men, the other's kings, the piece that must go on jumping, and the pieces jumped in this chain.
    #[inline]
    pub fn mark_board<const W: usize, const H: usize>(&mut self, first: usize, side: Side, board: &Board<W, H>) {
        let (own, other, kings) = (board.side(side), board.side(!side), board.kings());
        let sets = [own & !kings, own & kings, other & !kings, other & kings, board.chain(), board.pending()];
        for (i, &set) in sets.iter().enumerate() {
            for bit in Bits(set) {
                self.mark::<W, H>(first + i, side, bit);
            }
        }
    }

    /// Marks the end of a position: `encode` calls it last.
    #[inline]
    pub fn finish(&mut self) {
        self.ends.push(self.ones.len() as u32);
    }

    /// Writes position `i` as a dense row of `spec.inputs()` numbers.
    ///
    /// # Panics
    /// If `row` has another length.
    pub fn write_row(&self, i: usize, spec: &Spec, row: &mut [f32]) {
        assert_eq!(row.len(), spec.inputs(), "a row holds every input");
        row.fill(0.0);
        for &one in self.ones_of(i) {
            row[usize::from(one)] = 1.0;
        }
        row[spec.board_planes * spec.squares..].copy_from_slice(self.scalars_of(i));
    }

    /// Writes position `i` as planes `[channels, height, width]`, row 0 being the mover's first rank.
    ///
    /// # Panics
    /// If `planes` has another length than `spec.observation_len()`.
    #[inline]
    pub fn write_planes<T: CellValue>(&self, i: usize, spec: &Spec, planes: &mut [T]) {
        assert_eq!(planes.len(), spec.observation_len(), "an observation holds every plane");
        let area = spec.height * spec.width;
        let (boards, scalars) = planes.split_at_mut(spec.board_planes * area);
        // A loop over a constant zero is compiled to a call of memset, which the method `fill` is not for floats.
        for cell in boards.iter_mut() {
            *cell = T::ZERO;
        }
        for &one in self.ones_of(i) {
            let (plane, square) = (usize::from(one) / spec.squares, usize::from(one) % spec.squares);
            boards[plane * area + usize::from(spec.cells[square])] = T::ONE;
        }
        for (n, &value) in self.scalars_of(i).iter().enumerate() {
            scalars[n * area..(n + 1) * area].fill(T::of(value));
        }
    }
}

/// A number that fills a cell of a plane.
pub trait CellValue: Copy {
    /// An empty cell.
    const ZERO: Self;
    /// A cell that is marked.
    const ONE: Self;

    /// The value of a scalar plane, which is a multiple of a sixteenth from 0 to 1.
    fn of(scalar: f32) -> Self;
}

impl CellValue for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn of(scalar: f32) -> Self {
        scalar
    }
}

/// Sixteenths, so that nothing is rounded.
impl CellValue for u8 {
    const ZERO: Self = 0;
    const ONE: Self = 16;

    fn of(scalar: f32) -> Self {
        (16.0 * scalar) as Self
    }
}
