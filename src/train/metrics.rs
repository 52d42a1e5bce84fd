//! What a run writes down: metrics.jsonl, TensorBoard and the console.
