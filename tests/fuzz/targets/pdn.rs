//! Any bytes as a PDN file: no panic, and every game that is read comes back the same once it is written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shashki::for_variant;
use shashki::games::Variant;
use shashki::games::pdn::{GameText, Reader};

fuzz_target!(|bytes: &[u8]| {
    for text in Reader::new(bytes) {
        let text = text.expect("bytes in memory are read without errors");
        for &variant in Variant::ALL {
            for_variant!(variant, P => {
                if let Ok(read) = text.read::<P>() {
                    let written = read.record.to_string();
                    let again: Vec<GameText> = Reader::new(written.as_bytes()).map(|text| text.expect("as above")).collect();
                    assert_eq!(again.len(), 1, "{written}");
                    let again = again[0].read::<P>().unwrap_or_else(|fault| panic!("{fault}\n{written}"));
                    assert_eq!(again.record.to_string(), written);
                }
            });
        }
    }
});
