//! The names of the variants.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Makes the enum of the variants and their names from the table in `games/mod.rs`.
macro_rules! define_variants {
    ([] $($(#[$doc:meta])* $name:ident = $text:literal, $type:ty, $how:ident;)*) => {
        /// A variant by name.
        ///
        /// ```
        /// # use shashki::games::Variant;
        /// assert_eq!("russian".parse::<Variant>()?, Variant::Russian);
        /// # Ok::<(), shashki::Error>(())
        /// ```
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum Variant {
            $($(#[$doc])* $name,)*
        }

        impl Variant {
            /// Every variant.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name in commands, configs and files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

crate::variants!(define_variants, []);

impl FromStr for Variant {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.iter().copied().find(|v| v.name() == text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|v| v.name()).collect();
            Error::value("variant", text, format!("one of {}", names.join(", ")))
        })
    }
}

impl TryFrom<String> for Variant {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Variant> for String {
    fn from(variant: Variant) -> Self {
        variant.name().to_owned()
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
