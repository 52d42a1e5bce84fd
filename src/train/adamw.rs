//! AdamW on one flat list of parameters, with a state that can be stored.

use tch::{Kind, Tensor};

use crate::error::Result;

/// Memory a step of the gradient's mean.
const BETA_1: f64 = 0.9;
/// Memory a step of the gradient's square.
const BETA_2: f64 = 0.999;
/// Keeps the division finite.
const EPSILON: f64 = 1e-8;

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019, algorithm 2).
#[derive(Debug)]
pub(super) struct AdamW {
    /// The running mean of the gradients.
    pub(super) mean: Tensor,
    /// The running mean of their squares.
    pub(super) square: Tensor,
    /// 1 where weights decay, else 0.
    decays: Tensor,
    /// Where a step works: fresh memory for each operation would cost more than the operation.
    scratch: Tensor,
}

impl AdamW {
    /// A fresh state for parameters of which `decays` says with 1 and 0 which ones decay.
    pub(super) fn new(decays: Tensor) -> Result<Self> {
        let [mean, square, scratch] = [decays.f_zeros_like()?, decays.f_zeros_like()?, decays.f_zeros_like()?];
        Ok(Self { mean, square, decays, scratch })
    }

    /// Moves the parameters, on so many threads; `step` counts from 1. What comes out is the same whatever the threads.
    pub(super) fn step(
        &mut self,
        parameters: &mut Tensor,
        gradient: &Tensor,
        step: u64,
        learning_rate: f64,
        weight_decay: f64,
        threads: usize,
    ) -> Result<()> {
        let _no_gradients = tch::no_grad_guard();
        // Beyond so many steps the corrections are 1 to the last bit.
        let power = |beta: f64| 1.0 - beta.powi(step.min(1_000_000) as i32);
        let rates = Rates {
            of_decay: learning_rate * weight_decay,
            of_mean: learning_rate / power(BETA_1),
            of_root: power(BETA_2).sqrt(),
        };
        let lists = [&self.mean, &self.square, &self.decays, &self.scratch, parameters, gradient];
        let (len, count) = (parameters.size1()?, threads as i64);
        let part = |i: i64| -> Result<Part> {
            let [start, end] = [i, i + 1].map(|i| len * i / count);
            let mut views = Vec::with_capacity(lists.len());
            for list in lists {
                views.push(list.f_narrow(0, start, end - start)?);
            }
            Ok(Part(views.try_into().expect("a view of each list")))
        };
        let mut parts = (0..count).map(part).collect::<Result<Vec<_>>>()?;
        match parts.as_mut_slice() {
            [whole] => whole.step(rates),
            parts => std::thread::scope(|scope| {
                let threads: Vec<_> = parts.iter_mut().map(|part| scope.spawn(|| part.step(rates))).collect();
                threads.into_iter().try_for_each(|thread| thread.join().expect("a step does not panic"))
            }),
        }
    }
}

/// What a step multiplies and divides by.
#[derive(Copy, Clone)]
struct Rates {
    /// What a weight loses of itself.
    of_decay: f64,
    /// The learning rate over what the mean lacks yet.
    of_mean: f64,
    /// What the root of the square lacks yet.
    of_root: f64,
}

/// A run of the lists that one thread works on: mean, square, decays, scratch, parameters, gradient.
struct Part([Tensor; 6]);

impl Part {
    fn step(&mut self, rates: Rates) -> Result<()> {
        let _no_gradients = tch::no_grad_guard();
        let [mean, square, decays, scratch, parameters, gradient] = &mut self.0;
        let _ = mean.f_lerp_(gradient, 1.0 - BETA_1)?;
        scratch.f_copy_(gradient)?;
        let _ = scratch.f_mul_(gradient)?;
        let _ = square.f_lerp_(scratch, 1.0 - BETA_2)?;
        if rates.of_decay > 0.0 {
            scratch.f_copy_(parameters)?;
            let _ = scratch.f_mul_(decays)?;
            let _ = scratch.f_mul_scalar_(rates.of_decay)?;
            let _ = parameters.f_sub_(scratch)?;
        }
        scratch.f_copy_(square)?;
        let _ = scratch.f_sqrt_()?;
        let _ = scratch.f_div_scalar_(rates.of_root)?;
        let _ = scratch.f_add_scalar_(EPSILON)?;
        let _ = scratch.f_reciprocal_()?;
        let _ = scratch.f_mul_(mean)?;
        let _ = scratch.f_mul_scalar_(rates.of_mean)?;
        let _ = parameters.f_sub_(scratch)?;
        Ok(())
    }
}

/// Scales a gradient down to the norm `limit` where it is larger (0 is no limit), and tells the norm it had.
pub(super) fn clip(gradient: &mut Tensor, limit: f64) -> Result<Tensor> {
    let norm = gradient.f_norm()?.f_to_kind(Kind::Float)?;
    if limit > 0.0 {
        let scale = norm.f_add_scalar(1e-12)?.f_reciprocal()?.f_mul_scalar(limit)?.f_clamp_max(1.0)?;
        let _ = gradient.f_mul_(&scale)?;
    }
    Ok(norm)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(tensor: &Tensor) -> Vec<f32> {
        Vec::try_from(tensor).unwrap()
    }

    fn near(found: &[f32], expected: &[f64]) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} is not {expected}");
        }
    }

    #[test]
    fn two_steps_move_as_worked_out_by_hand() {
        let mut parameters = Tensor::from_slice(&[1.0_f32, -2.0]);
        let mut adam = AdamW::new(Tensor::from_slice(&[1.0_f32, 0.0])).unwrap();
        // First step: the corrected mean is the gradient, the corrected square its square, so each number moves by the
        // learning rate against the gradient's sign; the first also shrinks by 0.1 * 0.5 of itself.
        adam.step(&mut parameters, &Tensor::from_slice(&[0.5_f32, -4.0]), 1, 0.1, 0.5, 1).unwrap();
        near(&numbers(&parameters), &[0.95 - 0.1, -2.0 + 0.1]);
        // Second step with gradients -0.5 and 0: means 0.9 * 0.05 - 0.05 = -0.005 and 0.9 * -0.4 = -0.36, corrected by
        // 0.19; squares 0.999 * 0.00025 + 0.00025 = 0.00049975 and 0.999 * 0.016 = 0.015984, corrected by 0.001999.
        adam.step(&mut parameters, &Tensor::from_slice(&[-0.5_f32, 0.0]), 2, 0.1, 0.5, 1).unwrap();
        let first = -0.005 / 0.19 / (0.000_499_75_f64 / 0.001_999).sqrt();
        let second = -0.36 / 0.19 / (0.015_984_f64 / 0.001_999).sqrt();
        near(&numbers(&parameters), &[0.85 * 0.95 - 0.1 * first, -1.9 - 0.1 * second]);
    }

    #[test]
    fn threads_change_nothing() {
        let list = |seed: i64| (Tensor::arange(10_001, (Kind::Float, tch::Device::Cpu)) * seed).sin();
        let step = |threads: usize| {
            let mut parameters = list(1);
            let mut adam = AdamW::new(list(2).sign().clamp_min(0.0)).unwrap();
            (1..=3).for_each(|n| adam.step(&mut parameters, &list(n), n as u64, 0.1, 0.5, threads).unwrap());
            numbers(&parameters)
        };
        assert_eq!(step(1), step(3));
        assert_ne!(step(1), numbers(&list(1)));
    }

    #[test]
    fn a_long_gradient_is_cut_to_the_limit_and_a_short_one_left_alone() {
        let mut long = Tensor::from_slice(&[3.0_f32, -4.0]);
        assert_eq!(f64::try_from(clip(&mut long, 1.0).unwrap()).unwrap(), 5.0);
        near(&numbers(&long), &[0.6, -0.8]);
        let mut short = Tensor::from_slice(&[0.3_f32, -0.4]);
        let _ = clip(&mut short, 1.0).unwrap();
        near(&numbers(&short), &[0.3, -0.4]);
        let _ = clip(&mut short, 0.0).unwrap();
        near(&numbers(&short), &[0.3, -0.4]);
    }
}
