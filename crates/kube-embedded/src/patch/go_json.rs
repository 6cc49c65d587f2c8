//! Where a text ends to be JSON, as Go's decoder tells it.
//!
//! Reads a text that is not JSON; returns the message.
//! Invariant: messages name the first character that does not fit, and what was looked for.

/// What the decoder says of a text that is not JSON.
pub(crate) fn complaint(text: &[u8]) -> String {
    let mut scanner = Scanner { text, place: 0 };
    match scanner.value(0).and_then(|()| scanner.end()) {
        Ok(()) | Err(Complaint::Ended) => "unexpected end of JSON input".to_owned(),
        Err(Complaint::Found(letter, what)) => {
            format!("invalid character {} {what}", shown(letter))
        }
    }
}

/// Deeper values are not read, though the server reads deeper ones.
const DEEPEST: usize = 126;

enum Complaint {
    Ended,
    Found(u8, String),
}

struct Scanner<'a> {
    text: &'a [u8],
    place: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Result<u8, Complaint> {
        self.text.get(self.place).copied().ok_or(Complaint::Ended)
    }

    /// Inside a literal the decoder takes the end of the text for a space.
    fn peek_inside(&self) -> u8 {
        self.peek().unwrap_or(b' ')
    }

    fn skip_space(&mut self) {
        while self.peek().is_ok_and(|letter| b" \t\r\n".contains(&letter)) {
            self.place += 1;
        }
    }

    fn wrong<T>(&self, what: impl Into<String>) -> Result<T, Complaint> {
        Err(Complaint::Found(self.peek_inside(), what.into()))
    }

    fn end(&mut self) -> Result<(), Complaint> {
        self.skip_space();
        match self.peek() {
            Ok(_) => self.wrong("after top-level value"),
            Err(_) => Ok(()),
        }
    }

    fn value(&mut self, depth: usize) -> Result<(), Complaint> {
        self.skip_space();
        match self.peek()? {
            b'{' | b'[' if depth > DEEPEST => self.wrong("exceeded max depth"),
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string(),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            b'-' | b'0'..=b'9' => self.number(),
            _ => self.wrong("looking for beginning of value"),
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), Complaint> {
        self.place += 1;
        self.skip_space();
        if self.peek()? == b'}' {
            self.place += 1;
            return Ok(());
        }
        loop {
            self.skip_space();
            if self.peek()? != b'"' {
                return self.wrong("looking for beginning of object key string");
            }
            self.string()?;
            self.skip_space();
            if self.peek()? != b':' {
                return self.wrong("after object key");
            }
            self.place += 1;
            self.value(depth + 1)?;
            self.skip_space();
            match self.peek()? {
                b',' => self.place += 1,
                b'}' => break self.place += 1,
                _ => return self.wrong("after object key:value pair"),
            }
        }
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<(), Complaint> {
        self.place += 1;
        self.skip_space();
        if self.peek()? == b']' {
            self.place += 1;
            return Ok(());
        }
        loop {
            self.value(depth + 1)?;
            self.skip_space();
            match self.peek()? {
                b',' => self.place += 1,
                b']' => break self.place += 1,
                _ => return self.wrong("after array element"),
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), Complaint> {
        self.place += 1;
        loop {
            match self.peek()? {
                b'"' => break self.place += 1,
                b'\\' => self.escape()?,
                0..=0x1f => return self.wrong("in string literal"),
                _ => self.place += 1,
            }
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Complaint> {
        self.place += 1;
        match self.peek()? {
            b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => self.place += 1,
            b'u' => {
                self.place += 1;
                for _ in 0..4 {
                    if !self.peek_inside().is_ascii_hexdigit() {
                        return self.wrong("in \\u hexadecimal character escape");
                    }
                    self.place += 1;
                }
            }
            _ => return self.wrong("in string escape code"),
        }
        Ok(())
    }

    fn literal(&mut self, word: &str) -> Result<(), Complaint> {
        for letter in word.bytes() {
            if self.peek_inside() != letter {
                let expected = char::from(letter);
                return self.wrong(format!("in literal {word} (expecting '{expected}')"));
            }
            self.place += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Complaint> {
        if self.peek()? == b'-' {
            self.place += 1;
            if !self.peek_inside().is_ascii_digit() {
                return self.wrong("in numeric literal");
            }
        }
        if self.peek()? == b'0' {
            self.place += 1;
        } else {
            self.digits();
        }
        if self.peek().is_ok_and(|letter| letter == b'.') {
            self.place += 1;
            if !self.peek_inside().is_ascii_digit() {
                return self.wrong("after decimal point in numeric literal");
            }
            self.digits();
        }
        if self.peek().is_ok_and(|letter| letter == b'e' || letter == b'E') {
            self.place += 1;
            if matches!(self.peek_inside(), b'+' | b'-') {
                self.place += 1;
            }
            if !self.peek_inside().is_ascii_digit() {
                return self.wrong("in exponent of numeric literal");
            }
            self.digits();
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.peek().is_ok_and(|letter| letter.is_ascii_digit()) {
            self.place += 1;
        }
    }
}

fn shown(letter: u8) -> String {
    match letter {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        b'\n' => r"'\n'".to_owned(),
        b'\t' => r"'\t'".to_owned(),
        b'\r' => r"'\r'".to_owned(),
        b'\\' => r"'\\'".to_owned(),
        0..0x20 | 0x7f => format!("'\\x{letter:02x}'"),
        letter => format!("'{}'", char::from(letter)),
    }
}

#[cfg(test)]
mod tests;
