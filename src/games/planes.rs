//! Positions as numbers for a net: the few ones of the board planes and the values of the scalar planes.

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
    pub fn ones_of(&self, i: usize) -> &[u16] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.ones[start..self.ends[i] as usize]
    }

    /// The scalar planes' values of position `i`.
    #[must_use]
    pub fn scalars_of(&self, i: usize) -> &[f32] {
        let n = self.scalars.len() / self.ends.len();
        &self.scalars[i * n..(i + 1) * n]
    }

    /// Marks the end of a position: `encode` calls it last.
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
    pub fn write_planes<T: CellValue>(&self, i: usize, spec: &Spec, planes: &mut [T]) {
        assert_eq!(planes.len(), spec.observation_len(), "an observation holds every plane");
        let area = spec.height * spec.width;
        planes.fill(T::ZERO);
        for &one in self.ones_of(i) {
            let (plane, square) = (usize::from(one) / spec.squares, usize::from(one) % spec.squares);
            planes[plane * area + usize::from(spec.cells[square])] = T::ONE;
        }
        for (&value, plane) in self.scalars_of(i).iter().zip(planes[spec.board_planes * area..].chunks_exact_mut(area))
        {
            plane.fill(T::of(value));
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
