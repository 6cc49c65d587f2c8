//! From tokens to a tree.
//!
//! Reads tokens by recursive descent, as cel-go's grammar has the rules; returns the tree's root.
//! Invariant: recursion ends at the depth at which cel-go refuses an expression.

mod primary;

use super::ast::{Ast, Kind, NodeId};
use super::explain::explain;
use super::lexer::{Token, TokenKind, tokens};
use super::macros;
use crate::cel::source::{Issues, Source};

/// How deep rules and nodes may nest. (compat: cel-go parser.go, maxRecursionDepth)
const DEEPEST: usize = 250;

/// How long an expression may be. (compat: cel-go parser.go, expressionSizeCodePointLimit)
const LONGEST: usize = 100_000;

/// Why parsing stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// A token does not fit.
    Syntax,
    /// A rule nests too deep.
    TooDeep,
}

type Parsed = Result<Part, Stop>;

/// A node, and how many nodes that cel-go counts lie on the longest way down from it.
#[derive(Debug, Clone, Copy)]
struct Part {
    node: NodeId,
    depth: usize,
}

/// Rules whose nesting is counted.
#[derive(Debug, Default)]
struct Depths {
    expr: usize,
    relation: usize,
    calc: usize,
}

struct Parser<'a> {
    source: &'a Source,
    tokens: Vec<Token>,
    next: usize,
    ast: Ast,
    issues: &'a mut Issues,
    depths: Depths,
}

/// Parses the whole text; complaints go to `issues`, and then the tree is of no use.
pub(in crate::cel) fn parse(source: &Source, issues: &mut Issues) -> (Ast, NodeId) {
    let mut parser = Parser {
        source,
        tokens: vec![],
        next: 0,
        ast: Ast::default(),
        issues,
        depths: Depths::default(),
    };
    let length = source.characters().len();
    if length > LONGEST {
        parser.issues.report_whole(format!(
            "expression code point size exceeds limit: size: {length}, limit {LONGEST}"
        ));
        return parser.broken();
    }
    let split = tokens(source, parser.issues);
    parser.tokens = split.list.clone();
    match parser.start() {
        Ok(part) if part.depth > DEEPEST => {
            parser.issues.report_whole("max recursion depth exceeded");
            parser.broken()
        }
        Ok(part) => (parser.ast, part.node),
        Err(Stop::TooDeep) => {
            let message = format!("expression recursion limit exceeded: {DEEPEST}");
            parser.issues.report_whole(message);
            parser.broken()
        }
        Err(Stop::Syntax) => {
            explain(source, &split, parser.issues);
            parser.broken()
        }
    }
}

impl Parser<'_> {
    fn broken(mut self) -> (Ast, NodeId) {
        let node = self.ast.add(0, Kind::Broken);
        (self.ast, node)
    }

    fn start(&mut self) -> Parsed {
        let part = self.expr()?;
        self.take(TokenKind::End)?;
        Ok(part)
    }

    fn expr(&mut self) -> Parsed {
        self.depths.expr += 1;
        if self.depths.expr > DEEPEST {
            return Err(Stop::TooDeep);
        }
        let condition = self.logic(TokenKind::Or)?;
        let part = match self.accept(TokenKind::Question) {
            None => condition,
            Some(op) => {
                let then = self.logic(TokenKind::Or)?;
                self.take(TokenKind::Colon)?;
                let otherwise = self.expr()?;
                self.operation(op.start, "_?_:_", &[condition, then, otherwise])
            }
        };
        self.depths.expr -= 1;
        Ok(part)
    }

    /// `||` over `&&` over relations; long chains become balanced trees.
    fn logic(&mut self, op: TokenKind) -> Parsed {
        let (function, is_or) = match op {
            TokenKind::Or => ("_||_", true),
            _ => ("_&&_", false),
        };
        let term = |parser: &mut Self| {
            if is_or { parser.logic(TokenKind::And) } else { parser.relation() }
        };
        let mut terms = vec![term(self)?];
        let mut places = Vec::new();
        while let Some(token) = self.accept(op) {
            places.push(token.start);
            terms.push(term(self)?);
        }
        Ok(self.balanced(function, &terms, &places))
    }

    fn balanced(&mut self, function: &str, terms: &[Part], places: &[usize]) -> Part {
        if places.is_empty() {
            return terms[0];
        }
        let middle = places.len() / 2;
        let left = self.balanced(function, &terms[..=middle], &places[..middle]);
        let right = self.balanced(function, &terms[middle + 1..], &places[middle + 1..]);
        let args = vec![left.node, right.node];
        let node = self.call(places[middle], function, None, args);
        Part { node, depth: left.depth.max(right.depth) }
    }

    fn relation(&mut self) -> Parsed {
        Self::enter(&mut self.depths.relation)?;
        let mut left = self.sum()?;
        while let Some((op, function)) = self.relation_op() {
            Self::enter(&mut self.depths.relation)?;
            let right = self.sum()?;
            self.depths.relation -= 1;
            left = self.operation(op.start, function, &[left, right]);
        }
        self.depths.relation -= 1;
        Ok(left)
    }

    fn relation_op(&mut self) -> Option<(Token, &'static str)> {
        let function = match self.peek().kind {
            TokenKind::Less => "_<_",
            TokenKind::LessEquals => "_<=_",
            TokenKind::Greater => "_>_",
            TokenKind::GreaterEquals => "_>=_",
            TokenKind::Equals => "_==_",
            TokenKind::NotEquals => "_!=_",
            TokenKind::In => "@in",
            _ => return None,
        };
        Some((self.advance(), function))
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        loop {
            let function = match self.peek().kind {
                TokenKind::Plus => "_+_",
                TokenKind::Minus => "_-_",
                _ => return Ok(left),
            };
            let op = self.advance();
            Self::enter(&mut self.depths.calc)?;
            let right = self.product()?;
            self.depths.calc -= 1;
            left = self.operation(op.start, function, &[left, right]);
        }
    }

    fn product(&mut self) -> Parsed {
        Self::enter(&mut self.depths.calc)?;
        let mut left = self.unary()?;
        loop {
            let function = match self.peek().kind {
                TokenKind::Star => "_*_",
                TokenKind::Slash => "_/_",
                TokenKind::Percent => "_%_",
                _ => break,
            };
            let op = self.advance();
            Self::enter(&mut self.depths.calc)?;
            let right = self.unary()?;
            self.depths.calc -= 1;
            left = self.operation(op.start, function, &[left, right]);
        }
        self.depths.calc -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        let (kind, function) = match self.peek().kind {
            TokenKind::Exclaim => (TokenKind::Exclaim, "!_"),
            TokenKind::Minus if !self.is_negative_number() => (TokenKind::Minus, "-_"),
            _ => return self.member(),
        };
        let first = self.advance();
        let mut count = 1;
        while self.accept(kind).is_some() {
            count += 1;
        }
        let part = self.member()?;
        if count % 2 == 0 {
            return Ok(part);
        }
        let node = self.call(first.start, function, None, vec![part.node]);
        Ok(Part { node, ..part })
    }

    /// A minus right before a number belongs to it.
    fn is_negative_number(&self) -> bool {
        let kinds = self.tokens.get(self.next..self.next + 2).unwrap_or_default();
        matches!(
            kinds,
            [
                Token { kind: TokenKind::Minus, .. },
                Token { kind: TokenKind::Int | TokenKind::Float, .. }
            ]
        )
    }

    fn operation(&mut self, place: usize, function: &str, parts: &[Part]) -> Part {
        let args = parts.iter().map(|part| part.node).collect();
        let deepest = parts.iter().map(|part| part.depth).max().unwrap_or(0);
        Part { node: self.call(place, function, None, args), depth: deepest + 1 }
    }

    /// A call, or what the macro of that name stands for.
    fn call(
        &mut self,
        place: usize,
        function: &str,
        target: Option<NodeId>,
        args: Vec<NodeId>,
    ) -> NodeId {
        match macros::expand(&mut self.ast, place, function, target, &args) {
            None => {
                let function = function.to_owned();
                self.ast.add(place, Kind::Call { function, target, args })
            }
            Some(Ok(node)) => node,
            Some(Err(misuse)) => {
                self.issues.report(misuse.place, misuse.message);
                self.ast.add(misuse.place, Kind::Broken)
            }
        }
    }

    fn enter(depth: &mut usize) -> Result<(), Stop> {
        *depth += 1;
        if *depth > DEEPEST { Err(Stop::TooDeep) } else { Ok(()) }
    }

    fn peek(&self) -> Token {
        // The list ends with `End`, which `advance` never passes.
        self.tokens[self.next]
    }

    fn advance(&mut self) -> Token {
        let token = self.peek();
        self.next += usize::from(token.kind != TokenKind::End);
        token
    }

    fn accept(&mut self, kind: TokenKind) -> Option<Token> {
        (self.peek().kind == kind).then(|| self.advance())
    }

    fn take(&mut self, kind: TokenKind) -> Result<Token, Stop> {
        self.accept(kind).ok_or(Stop::Syntax)
    }

    fn text(&self, token: Token) -> String {
        self.source.text(token.start, token.end)
    }
}
