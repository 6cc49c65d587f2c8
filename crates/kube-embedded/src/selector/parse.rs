//! The grammar of label selectors in queries.
//!
//! Reads a text; returns a selector, or what the server says of a text it cannot read.
//! Invariant: words such as `in` are operators only where an operator may stand.

use kube_schema::names;
use kube_schema::selector::{LabelSelector, Operator, Requirement};

use crate::refusal::Refusal;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Symbol(&'a str),
    End,
}

/// The symbols, longest first.
const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

/// Reads `a=b,c!=d,e in (x,y),!f,g,n>1`.
pub(crate) fn label_selector(text: &str) -> Result<LabelSelector, Refusal> {
    requirements(text).map(LabelSelector::new).map_err(Refusal::bad_request)
}

fn requirements(text: &str) -> Result<Vec<Requirement>, String> {
    let tokens = scan(text);
    let mut parser = Parser { tokens: &tokens };
    let mut found = Vec::new();
    match parser.peek() {
        Token::Word(_) | Token::Symbol("!") => {}
        Token::End => return Ok(found),
        Token::Symbol(other) => {
            return Err(format!("found '{other}', expected: !, identifier, or 'end of string'"));
        }
    }
    loop {
        let requirement = parser.requirement();
        found.push(requirement.map_err(|why| format!("unable to parse requirement: {why}"))?);
        match parser.next() {
            Token::End => return Ok(found),
            Token::Symbol(",") => {}
            other => {
                let other = other.text();
                return Err(format!("found '{other}', expected: ',' or 'end of string'"));
            }
        }
        let next = parser.peek();
        if !matches!(next, Token::Word(_) | Token::Symbol("!")) {
            return Err(format!("found '{}', expected: identifier after ','", next.text()));
        }
    }
}

impl<'a> Token<'a> {
    fn text(self) -> &'a str {
        match self {
            Self::Word(text) | Self::Symbol(text) => text,
            Self::End => "",
        }
    }
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens.first().copied().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token<'a> {
        let next = self.peek();
        self.tokens = self.tokens.get(1..).unwrap_or_default();
        next
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let is_denied = self.peek() == Token::Symbol("!");
        if is_denied {
            self.next();
        }
        let key = match self.next() {
            Token::Word(key) => key,
            other => return Err(format!("found '{}', expected: identifier", other.text())),
        };
        let faults = names::qualified(key);
        if !faults.is_empty() {
            // compat: labels.validateLabelKey is called without a path here, printed as Go's nil
            return Err(format!("<nil>: Invalid value: {key:?}: {}", faults.join("; ")));
        }
        if is_denied {
            return Requirement::new(key, Operator::DoesNotExist, Vec::new());
        }
        if matches!(self.peek(), Token::End | Token::Symbol(",")) {
            return Requirement::new(key, Operator::Exists, Vec::new());
        }
        let operator = self.operator()?;
        let values = match operator {
            Operator::In | Operator::NotIn => self.listed()?,
            _ => vec![self.value()?],
        };
        Requirement::new(key, operator, values)
    }

    fn operator(&mut self) -> Result<Operator, String> {
        Ok(match self.next() {
            Token::Word("in") => Operator::In,
            Token::Word("notin") => Operator::NotIn,
            Token::Symbol("=") => Operator::Equals,
            Token::Symbol("==") => Operator::DoubleEquals,
            Token::Symbol("!=") => Operator::NotEquals,
            Token::Symbol(">") => Operator::GreaterThan,
            Token::Symbol("<") => Operator::LessThan,
            other => {
                let other = other.text();
                return Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt"));
            }
        })
    }

    fn value(&mut self) -> Result<String, String> {
        if matches!(self.peek(), Token::End | Token::Symbol(",")) {
            return Ok(String::new());
        }
        match self.next() {
            Token::Word(value) => Ok(value.to_owned()),
            other => Err(format!("found '{}', expected: identifier", other.text())),
        }
    }

    /// `(a,b)`; where nothing stands between commas, the empty value is meant.
    fn listed(&mut self) -> Result<Vec<String>, String> {
        match self.next() {
            Token::Symbol("(") => {}
            other => return Err(format!("found '{}' expected: '('", other.text())),
        }
        let mut values = Vec::new();
        if !matches!(self.peek(), Token::Word(_) | Token::Symbol("," | ")")) {
            let other = self.peek().text();
            return Err(format!("found '{other}', expected: ',', ')' or identifier"));
        }
        loop {
            match self.peek() {
                Token::Word(value) => {
                    self.next();
                    values.push(value.to_owned());
                }
                Token::Symbol("," | ")") => values.push(String::new()),
                other => {
                    let other = other.text();
                    return Err(format!("found '{other}', expected: ',', or identifier"));
                }
            }
            match self.next() {
                Token::Symbol(",") => {}
                Token::Symbol(")") => {
                    values.sort();
                    values.dedup();
                    return Ok(values);
                }
                other => return Err(format!("found '{}', expected: ',' or ')'", other.text())),
            }
        }
    }
}

fn scan(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol));
        let (token, length) = match symbol {
            Some(symbol) => (Token::Symbol(symbol), symbol.len()),
            None => {
                let ends = |letter| is_space(letter) || "=!(),><".contains(letter);
                let length = rest.find(ends).unwrap_or(rest.len());
                (Token::Word(&rest[..length]), length)
            }
        };
        tokens.push(token);
        rest = rest[length..].trim_start_matches(is_space);
    }
    tokens
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}
