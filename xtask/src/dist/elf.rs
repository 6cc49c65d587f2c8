//! What a program needs to be started, by its own word.
//!
//! Reads the bytes of an ELF file of 64 bits; returns the loader that it asks for.
//! Invariant: what is no such file is told apart from a program that asks for none.

/// The kind of the part that names the loader.
// compat: System V ABI, chapter 5, PT_INTERP
const INTERPRETER: u32 = 3;
/// Begins every such file: the mark, and that it has 64 bits, the lowest byte first.
const MAGIC: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];
/// How much of a part's description is read.
const DESCRIPTION: usize = 56;

/// The loader of a program; none if it is whole by itself. `None` if these bytes are no program.
pub(super) fn interpreter(content: &[u8]) -> Option<Option<String>> {
    content.strip_prefix(&MAGIC)?;
    let table = number(content.get(32..40)?)?;
    let (size, count) = (number(content.get(54..56)?)?, number(content.get(56..58)?)?);
    for index in 0..count {
        let start = table.checked_add(index.checked_mul(size)?)?;
        let part = content.get(start..start.checked_add(DESCRIPTION)?)?;
        if part.starts_with(&INTERPRETER.to_le_bytes()) {
            let (from, length) = (number(&part[8..16])?, number(&part[32..40])?);
            let name = content.get(from..from.checked_add(length)?)?;
            return Some(Some(String::from_utf8_lossy(name).trim_end_matches('\0').to_owned()));
        }
    }
    Some(None)
}

/// A number of up to eight bytes, the lowest first.
fn number(bytes: &[u8]) -> Option<usize> {
    let value = bytes.iter().rev().fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
    usize::try_from(value).ok()
}
