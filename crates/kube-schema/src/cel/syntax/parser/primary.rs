//! The parts of an expression that bind tightest.
//!
//! Reads names, literals, lists, maps, and what is selected from them or called on them.
//! Invariant: a literal that is no value and a reserved name are complaints; parsing goes on.

use super::super::ast::{Entry, Kind};
use super::super::lexer::{Token, TokenKind};
use super::super::literal;
use super::{Parsed, Parser, Part, Stop};
use crate::cel::escape::RESERVED;
use crate::cel::value::Value;

impl Parser<'_> {
    pub(super) fn member(&mut self) -> Parsed {
        let mut part = self.primary()?;
        loop {
            part = match self.peek().kind {
                TokenKind::Dot if self.is_call(1) => self.member_call(part)?,
                TokenKind::Dot => self.selection(part)?,
                TokenKind::LeftBracket => self.index(part)?,
                _ => return Ok(part),
            };
        }
    }

    /// Whether a name and a parenthesis stand so many tokens ahead.
    fn is_call(&self, ahead: usize) -> bool {
        let start = self.next + ahead;
        matches!(
            self.tokens.get(start..start + 2),
            Some([
                Token { kind: TokenKind::Identifier, .. },
                Token { kind: TokenKind::LeftParen, .. }
            ])
        )
    }

    fn member_call(&mut self, operand: Part) -> Parsed {
        let (name, open) = (self.tokens[self.next + 1], self.tokens[self.next + 2]);
        self.next += 3;
        let args = self.arguments()?;
        Ok(self.method(operand, name, open, &args))
    }

    fn method(&mut self, operand: Part, name: Token, open: Token, args: &[Part]) -> Part {
        let deepest = args.iter().map(|part| part.depth).fold(operand.depth, usize::max);
        let args = args.iter().map(|part| part.node).collect();
        let node = self.call(open.start, &self.text(name), Some(operand.node), args);
        Part { node, depth: deepest + 1 }
    }

    fn selection(&mut self, operand: Part) -> Parsed {
        let dot = self.advance();
        let is_optional = self.accept(TokenKind::Question).is_some();
        let name = match self.peek().kind {
            TokenKind::Identifier | TokenKind::EscapedIdentifier => self.advance(),
            _ => return Err(Stop::Syntax),
        };
        let depth = operand.depth + 1;
        if name.kind == TokenKind::EscapedIdentifier {
            // compat: cel-go parser.go, identifiers in backticks are off by default
            self.issues.report(name.start, "unsupported syntax: '`'");
            return Ok(Part { node: self.ast.add(name.start, Kind::Broken), depth });
        }
        let text = self.text(name);
        let node = if is_optional {
            let field = self.ast.add(name.start, Kind::Literal(Value::string(text)));
            self.call(dot.start, "_?._", None, vec![operand.node, field])
        } else {
            let select = Kind::Select { operand: operand.node, field: text, is_test: false };
            self.ast.add(dot.start, select)
        };
        Ok(Part { node, depth })
    }

    fn index(&mut self, operand: Part) -> Parsed {
        let open = self.advance();
        let is_optional = self.accept(TokenKind::Question).is_some();
        let index = self.expr()?;
        self.take(TokenKind::RightBracket)?;
        let function = if is_optional { "_[?_]" } else { "_[_]" };
        Ok(self.operation(open.start, function, &[operand, index]))
    }

    fn arguments(&mut self) -> Result<Vec<Part>, Stop> {
        let mut args = Vec::new();
        if self.accept(TokenKind::RightParen).is_some() {
            return Ok(args);
        }
        loop {
            args.push(self.expr()?);
            if self.accept(TokenKind::Comma).is_none() {
                self.take(TokenKind::RightParen)?;
                return Ok(args);
            }
        }
    }

    fn primary(&mut self) -> Parsed {
        let token = self.peek();
        match token.kind {
            TokenKind::LeftParen => {
                self.advance();
                let part = self.expr()?;
                self.take(TokenKind::RightParen)?;
                Ok(part)
            }
            TokenKind::LeftBracket => self.list(),
            TokenKind::LeftBrace => self.map(),
            TokenKind::Dot | TokenKind::Identifier => self.name(),
            TokenKind::Minus
            | TokenKind::Int
            | TokenKind::Uint
            | TokenKind::Float
            | TokenKind::String
            | TokenKind::Bytes
            | TokenKind::True
            | TokenKind::False
            | TokenKind::Null => self.literal(),
            _ => Err(Stop::Syntax),
        }
    }

    fn literal(&mut self) -> Parsed {
        let start = self.peek().start;
        let is_negative = self.accept(TokenKind::Minus).is_some();
        let token = self.advance();
        let text = self.text(token);
        let value = match token.kind {
            TokenKind::Int => literal::int(&text, is_negative),
            TokenKind::Float => literal::double(&text, is_negative),
            _ if is_negative => return Err(Stop::Syntax),
            TokenKind::Uint => literal::uint(&text),
            TokenKind::String => literal::string(&text),
            TokenKind::Bytes => literal::bytes(&text),
            TokenKind::True => Ok(Value::Bool(true)),
            TokenKind::False => Ok(Value::Bool(false)),
            _ => Ok(Value::Null),
        };
        let kind = match value {
            Ok(value) => Kind::Literal(value),
            Err(message) => {
                self.issues.report(start, message);
                Kind::Broken
            }
        };
        Ok(Part { node: self.ast.add(start, kind), depth: 0 })
    }

    /// A variable, a call of a function, or a message.
    fn name(&mut self) -> Parsed {
        if self.is_message() {
            return self.message();
        }
        let start = self.peek().start;
        let is_global = self.accept(TokenKind::Dot).is_some();
        if self.is_call(0) {
            return self.global_call(start, is_global);
        }
        let token = self.take(TokenKind::Identifier)?;
        let node = match self.usable_name(token, start, is_global) {
            Some(name) => self.ast.add(token.start, Kind::Ident(name)),
            None => self.ast.add(start, Kind::Broken),
        };
        Ok(Part { node, depth: 0 })
    }

    fn global_call(&mut self, start: usize, is_global: bool) -> Parsed {
        let (name, open) = (self.advance(), self.advance());
        let args = self.arguments()?;
        let depth = args.iter().map(|part| part.depth).max().unwrap_or(0);
        let node = match self.usable_name(name, start, is_global) {
            Some(name) => {
                let args = args.iter().map(|part| part.node).collect();
                self.call(open.start, &name, None, args)
            }
            None => self.ast.add(start, Kind::Broken),
        };
        Ok(Part { node, depth })
    }

    /// The name a token spells, unless it is reserved.
    fn usable_name(&mut self, token: Token, start: usize, is_global: bool) -> Option<String> {
        let text = self.text(token);
        if RESERVED.contains(&text.as_str()) {
            self.issues.report(start, format!("reserved identifier: {text}"));
            return None;
        }
        Some(if is_global { format!(".{text}") } else { text })
    }

    fn is_message(&self) -> bool {
        let mut kinds = self.tokens[self.next..].iter().map(|token| token.kind);
        let mut kind = kinds.next();
        if kind == Some(TokenKind::Dot) {
            kind = kinds.next();
        }
        loop {
            if kind != Some(TokenKind::Identifier) {
                return false;
            }
            match kinds.next() {
                Some(TokenKind::LeftBrace) => return true,
                Some(TokenKind::Dot) => kind = kinds.next(),
                _ => return false,
            }
        }
    }

    fn message(&mut self) -> Parsed {
        let mut name = String::new();
        while self.peek().kind != TokenKind::LeftBrace {
            let token = self.advance();
            name.push_str(&self.text(token));
        }
        let open = self.advance();
        let mut fields = Vec::new();
        let mut depth = 0;
        while self.peek().kind != TokenKind::RightBrace {
            if fields.is_empty() && self.accept(TokenKind::Comma).is_some() {
                break;
            }
            self.accept(TokenKind::Question);
            let field = match self.peek().kind {
                TokenKind::Identifier | TokenKind::EscapedIdentifier => self.advance(),
                _ => return Err(Stop::Syntax),
            };
            self.take(TokenKind::Colon)?;
            let value = self.expr()?;
            depth = depth.max(value.depth);
            fields.push((self.text(field), value.node));
            if self.accept(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.take(TokenKind::RightBrace)?;
        let node = self.ast.add(open.start, Kind::Message { name, fields });
        Ok(Part { node, depth })
    }

    fn list(&mut self) -> Parsed {
        let open = self.advance();
        let mut items = Vec::new();
        let mut depth = 0;
        self.items(TokenKind::RightBracket, |parser| {
            let is_optional = parser.accept(TokenKind::Question).is_some();
            let item = parser.expr()?;
            depth = depth.max(item.depth);
            items.push((item.node, is_optional));
            Ok(())
        })?;
        Ok(Part { node: self.ast.add(open.start, Kind::List(items)), depth })
    }

    fn map(&mut self) -> Parsed {
        let open = self.advance();
        let mut entries = Vec::new();
        let mut depth = 0;
        self.items(TokenKind::RightBrace, |parser| {
            let is_optional = parser.accept(TokenKind::Question).is_some();
            let key = parser.expr()?;
            parser.take(TokenKind::Colon)?;
            let value = parser.expr()?;
            depth = depth.max(key.depth).max(value.depth);
            entries.push(Entry { key: key.node, value: value.node, is_optional });
            Ok(())
        })?;
        Ok(Part { node: self.ast.add(open.start, Kind::Map(entries)), depth })
    }

    /// Items between commas up to a closing token; one comma may stand before it.
    fn items(
        &mut self,
        close: TokenKind,
        mut item: impl FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        if self.peek().kind != close && self.peek().kind != TokenKind::Comma {
            item(self)?;
            while self.peek().kind == TokenKind::Comma && !self.is_followed_by(close) {
                self.advance();
                item(self)?;
            }
        }
        self.accept(TokenKind::Comma);
        self.take(close).map(|_| ())
    }

    fn is_followed_by(&self, kind: TokenKind) -> bool {
        self.tokens.get(self.next + 1).is_some_and(|token: &Token| token.kind == kind)
    }
}
