//! Weights as safetensors, with a card that says what they are for.
