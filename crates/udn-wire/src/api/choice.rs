//! Words of which a field takes one.
//!
//! Invariant: a word that is not known is kept as it is, so that it can be told and written again.

/// Makes an enum of words that can be read, written and listed.
macro_rules! choice {
    (
        $(#[$doc:meta])*
        $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)+
            /// A word that is not known here.
            Other(String),
        }

        impl $type {
            /// The words that are known.
            pub const KNOWN: &'static [&'static str] = &[$($word),+];

            pub fn new(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    other => Self::Other(other.to_owned()),
                }
            }

            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }

            /// Whether it is one of the known words.
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Other(_))
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct Reader;

                impl serde::de::Visitor<'_> for Reader {
                    type Value = $type;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(&$type::KNOWN.join(" or "))
                    }

                    fn visit_str<E>(self, word: &str) -> Result<$type, E> {
                        Ok($type::new(word))
                    }
                }

                from.deserialize_str(Reader)
            }
        }
    };
}

pub(super) use choice;
