//! Any bytes as a FEN, as a turn's text and as a stored game: no panic, and what is taken is written as it was read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shashki::for_variant;
use shashki::games::{Game, Position, Preset, Variant};

fuzz_target!(|bytes: &[u8]| {
    for &variant in Variant::ALL {
        for_variant!(variant, P => {
            if let Ok(game) = Game::<P>::from_bytes(bytes) {
                assert_eq!(game.to_bytes(), bytes);
            }
            if let Ok(text) = std::str::from_utf8(bytes) {
                let (fen, turn) = text.split_once('\n').unwrap_or((text, ""));
                if let Ok(position) = P::read_fen(fen) {
                    let written = position.write_fen();
                    let again = P::read_fen(&written).unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(again, position, "{written}");
                    if let Ok(mut game) = Game::<P>::from_position(position, Preset::Official) {
                        let _ = game.play_text(turn);
                    }
                }
            }
        });
    }
});
