//! Requests that no good client sends, each with a name.
//!
//! Invariant: every request says that the connection ends with its answer, unless that is the case.

use serde_json::json;

use crate::wire::WHO;

/// The longest body that is taken.
const LIMIT: usize = 3 << 20;
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) request: Vec<u8>,
}

pub(crate) fn all() -> Vec<Case> {
    [bodies(), types(), lengths(), heavy(), paths(), heads(), protocol(), framing(), watches()]
        .concat()
        .into_iter()
        .map(|(name, request)| Case { name, request })
        .collect()
}

type Named = (String, Vec<u8>);

fn named(name: impl Into<String>, request: impl Into<Vec<u8>>) -> Named {
    (name.into(), request.into())
}

fn get(path: &str) -> Vec<u8> {
    head("GET", path, "")
}

fn head(method: &str, path: &str, more: &str) -> Vec<u8> {
    format!("{method} {path} HTTP/1.1\r\nHost: x\r\n{WHO}Connection: close\r\n{more}\r\n").into()
}

fn send(method: &str, path: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let more = match kind {
        "" => format!("Content-Length: {}\r\n", body.len()),
        _ => format!("Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len()),
    };
    [&head(method, path, &more), body].concat()
}

fn post(body: impl AsRef<[u8]>) -> Vec<u8> {
    send("POST", MAPS, "application/json", body.as_ref())
}

fn map(name: &str) -> String {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}).to_string()
}

fn bodies() -> Vec<Named> {
    let whole = map("whole");
    let mut all = vec![
        named("a good body", post(&whole)),
        named("empty JSON body", post("")),
        named("JSON null", post("null")),
        named("JSON text", post("\"a\"")),
        named("JSON list", post("[]")),
        named("JSON number", post("1")),
        named("empty object", post("{}")),
        named("kind alone", post(r#"{"kind":"ConfigMap"}"#)),
        named("blank body", post("   \n")),
        named("half a body", post(&whole[..whole.len() / 2])),
        named("garbage after the object", post(format!("{} garbage", map("garbage")))),
        named("second object after the object", post(format!("{0}{0}", map("second")))),
        named("blanks after the object", post(format!("{}\n\n  ", map("blanks")))),
        named("trailing comma", post(r#"{"kind":"ConfigMap","apiVersion":"v1",}"#)),
        named("single quotes", post("{'kind':'ConfigMap'}")),
        named("comment", post(format!("/* a */{}", map("comment")))),
        named("byte order mark", post([b"\xef\xbb\xbf", map("mark").as_bytes()].concat())),
        named("zero bytes", post([0; 64])),
        named("not UTF-8 at the start", post(b"\xff\xfe{}")),
        named("not UTF-8 in a text", post(broken_text())),
        named("lone surrogate", post(label(r"\ud800"))),
        named("zero byte in a text", post(annotation(r"a\u0000b"))),
        named("raw control character in a text", post(annotation("a\u{1}b"))),
        named("unknown escape", post(annotation(r"\x"))),
    ];
    for (name, text) in [
        ("YAML", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\n"),
        ("YAML with a tab", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: tab\n"),
        ("YAML that never closes", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n"),
        (
            "two YAML documents",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\n---\na: b\n",
        ),
        ("YAML with an unknown anchor", "a: *b\n"),
        ("a YAML text", "hello\n"),
        (
            "JSON as YAML",
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"flow\"}}",
        ),
        ("empty YAML body", ""),
        (
            "YAML with a key twice",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\nmetadata: {name: d}\n",
        ),
    ] {
        all.push(named(name, send("POST", MAPS, "application/yaml", text.as_bytes())));
    }
    all.push(named("billion laughs", send("POST", MAPS, "application/yaml", laughs().as_bytes())));
    all
}

fn broken_text() -> Vec<u8> {
    let text = annotation("@");
    text.into_bytes().into_iter().map(|byte| if byte == b'@' { 0xff } else { byte }).collect()
}

fn annotation(text: &str) -> String {
    let metadata = format!(r#"{{"generateName":"a-","annotations":{{"a":"{text}"}}}}"#);
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{metadata}}}"#)
}

fn label(text: &str) -> String {
    let metadata = format!(r#"{{"generateName":"a-","labels":{{"a":"{text}"}}}}"#);
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{metadata}}}"#)
}

fn laughs() -> String {
    let mut text = "a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{},", level - 1).repeat(9);
        text.push_str(&format!("a{level}: &a{level} [{}]\n", below.trim_end_matches(',')));
    }
    text
}

fn types() -> Vec<Named> {
    let mut all = Vec::new();
    for kind in [
        "",
        "text/plain",
        "application/xml",
        "application/json; charset=utf-8",
        "application/json;charset=latin1",
        "APPLICATION/JSON",
        "application/json, application/yaml",
        "application/",
        "/",
        ";",
        "application/merge-patch+json",
        "application/vnd.kubernetes.protobuf",
        "application/cbor",
        "application/x-www-form-urlencoded",
    ] {
        let body = annotation("typed");
        all.push(named(format!("POST as {kind:?}"), send("POST", MAPS, kind, body.as_bytes())));
    }
    for kind in ["", "application/json", "text/plain", "application/merge-patch+json; a=b"] {
        let path = format!("{MAPS}/whole");
        let request = send("PATCH", &path, kind, br#"{"data":{"a":"b"}}"#);
        all.push(named(format!("PATCH as {kind:?}"), request));
    }
    for accept in ["text/html", "application/json;as=Nothing", "", "a", "*/*;q=0", "image/*"] {
        let request = head("GET", MAPS, &format!("Accept: {accept}\r\n"));
        all.push(named(format!("GET for {accept:?}"), request));
    }
    all
}

/// An object of exactly this many bytes.
fn sized(name: &str, length: usize) -> String {
    let empty = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name},
        "data": {"a": ""}});
    let room = length - empty.to_string().len();
    let mut whole = empty;
    whole["data"]["a"] = "a".repeat(room).into();
    whole.to_string()
}

fn lengths() -> Vec<Named> {
    let mut all = Vec::new();
    for (name, length) in [
        ("a mebibyte", (1 << 20) - 300),
        ("just too much for a map", (1 << 20) + 300),
        ("just what is taken", LIMIT),
        ("a byte more than is taken", LIMIT + 1),
        ("twice what is taken", 2 * LIMIT),
    ] {
        let body = sized(&format!("size-{length}"), length);
        all.push(named(format!("body of {name}"), post(&body)));
        all.push(named(format!("chunked body of {name}"), chunked(body.as_bytes())));
    }
    all
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let more = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
    let mut request = head("POST", MAPS, more);
    for chunk in body.chunks(60_000) {
        request.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        request.extend_from_slice(chunk);
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"0\r\n\r\n");
    request
}

fn heavy() -> Vec<Named> {
    let nested = |open: &str, close: &str, levels: usize| {
        let (open, close) = (open.repeat(levels), close.repeat(levels));
        format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","x":{open}1{close}}}"#)
    };
    let many: Vec<String> = (0..100_000).map(|number| format!(r#""l{number}":"v""#)).collect();
    let many = many.join(",");
    let strict = format!("{MAPS}?fieldValidation=Strict");
    let twice = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"b"}}"#;
    let crd = |number: &str| {
        format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"n"}},
            "spec":{{"terminationGracePeriodSeconds":{number},
            "containers":[{{"name":"a","image":"b"}}]}}}}"#
        )
    };
    let pods = "/api/v1/namespaces/default/pods?dryRun=All";
    let mut all = vec![
        named("100,000 lists deep", post(nested("[", "]", 100_000))),
        named("100,000 objects deep", post(nested("{\"a\":", "}", 100_000))),
        named("9,000 lists deep", post(nested("[", "]", 9_000))),
        named("200 lists deep", post(nested("[", "]", 200))),
        named("100,000 open lists", post("[".repeat(100_000))),
        named("100,000 lists deep in YAML", {
            let body = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
            send("POST", MAPS, "application/yaml", body.as_bytes())
        }),
        named(
            "100,000 labels",
            post(format!(
                r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"l","labels":{{{many}}}}}}}"#
            )),
        ),
        named("annotation of a mebibyte", post(annotation(&"a".repeat(1 << 20)))),
        named("annotation of 200 kB", post(annotation(&"a".repeat(200_000)))),
        named("key twice", post(twice)),
        named("key twice, strictly", send("POST", &strict, "application/json", twice.as_bytes())),
    ];
    for number in ["1e400", "1e10", "99999999999999999999999", "1.5", "-1", "-0", "01", "NaN", "1e"]
    {
        let request = send("POST", pods, "application/json", crd(number).as_bytes());
        all.push(named(format!("the number {number}"), request));
    }
    all
}

fn paths() -> Vec<Named> {
    let long = format!("/api/v1/namespaces/default/configmaps/{}", "a".repeat(10_000));
    let list = [
        "/api/v1//namespaces",
        "//api/v1/namespaces",
        "/api/v1/namespaces/",
        "/api/v1/namespaces//",
        "/api/v1/namespaces/default/",
        "/api/v1/../v1/namespaces",
        "/api/v1/./namespaces",
        "/../api/v1/namespaces",
        "/api/v1/namespaces/default/configmaps/..",
        "/api/v1/namespaces/default/configmaps/.",
        "/api/v1/namespaces/default%2Fconfigmaps",
        "/api/v1/namespaces%2Fdefault",
        "/api/v1/namespaces/default/configmaps/a%2Fb",
        "/api/v1/namespaces/%2e%2e/configmaps",
        "/api/v1/namespaces/a%00b",
        "/api/v1/namespaces/%zz",
        "/api/v1/namespaces/%",
        "/api/v1/namespaces/%ff",
        "/api/v1/namespaces/%C3%A4",
        "/api/v1/namespaces/a%20b",
        "/api/v1/namespaces/default/configmaps/a/b/c/d",
        "/api/v1/namespaces/default/configmaps/a/status",
        "/api/v1/nothing",
        "/api/v2/namespaces",
        "/apis/none/v1/things",
        "/api/v1/namespaces/default/pods/a/log",
        "/api/v1/namespaces/default/namespaces",
        "/api/v1/configmaps/a",
        "/nothing",
        "/api/",
        "/apis/",
        "/apis//v1",
        "/api/v1/",
        "/version/",
        "/healthz/",
        "/healthz/nothing",
        "/api/v1/namespaces?",
        "/api/v1/namespaces#a",
        "/api/v1/namespaces;a=b",
        "/api/v1/watch/",
        "/api/v1/watch",
        "/api/v1/watch/nothing",
        "/api/v1/proxy/nodes/a",
        "http://other/api/v1/namespaces",
        "api/v1/namespaces",
        "*",
        "/\u{e4}",
        "/api/v1/namespaces/../../../../etc/passwd",
        &long,
    ];
    let mut all: Vec<Named> = list
        .into_iter()
        .map(|path| named(format!("GET {}", &path[..path.len().min(60)]), get(path)))
        .collect();
    let body = map("slashed");
    for path in
        [format!("{MAPS}/"), format!("/{MAPS}"), format!("{MAPS}/slashed"), "/api/v1".into()]
    {
        let request = send("POST", &path, "application/json", body.as_bytes());
        all.push(named(format!("POST {path}"), request));
    }
    all
}

fn heads() -> Vec<Named> {
    let many = |count: usize| -> String { (0..count).map(|it| format!("X-{it}: a\r\n")).collect() };
    let long = |length: usize| format!("X-Long: {}\r\n", "a".repeat(length));
    let query = |length: usize| format!("{MAPS}?a={}", "b".repeat(length));
    let pairs = |count: usize| -> String {
        let all: Vec<String> = (0..count).map(|it| format!("a{it}=b")).collect();
        format!("{MAPS}?{}", all.join("&"))
    };
    vec![
        named("100 headers", head("GET", MAPS, &many(100))),
        named("900 headers", head("GET", MAPS, &many(900))),
        named("5,000 headers", head("GET", MAPS, &many(5_000))),
        named("200,000 headers", head("GET", MAPS, &many(200_000))),
        named("header of 100 kB", head("GET", MAPS, &long(100_000))),
        named("header of 900 kB", head("GET", MAPS, &long(900_000))),
        named("header of 2 MB", head("GET", MAPS, &long(2_000_000))),
        named("query of 60 kB", get(&query(60_000))),
        named("query of 500 kB", get(&query(500_000))),
        named("query of 2 MB", get(&query(2_000_000))),
        named("3,000 parameters", get(&pairs(3_000))),
        named("20,000 parameters", get(&pairs(20_000))),
        named("bad query", get(&format!("{MAPS}?%zz=1&limit=1"))),
        named("query with semicolons", get(&format!("{MAPS}?a=b;limit=1"))),
        named("header without colon", head("GET", MAPS, "nonsense\r\n")),
        named("header with a blank name", head("GET", MAPS, " : a\r\n")),
        named("folded header", head("GET", MAPS, "X-A: a\r\n b\r\n")),
        named("blank before the colon", head("GET", MAPS, "X-A : a\r\n")),
        named("zero byte in a header", head("GET", MAPS, "X-A: a\0b\r\n")),
        named("bare carriage return in a header", head("GET", MAPS, "X-A: a\rb\r\n")),
        named(
            "latin-1 in a header",
            [b"GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-A: \xe4\r\n\r\n"
                .as_slice()]
            .concat(),
        ),
        named("impersonation of nobody", head("GET", MAPS, "Impersonate-Group: a\r\n")),
    ]
}

fn protocol() -> Vec<Named> {
    let line = |line: &str| format!("{line}\r\nHost: x\r\n{WHO}Connection: close\r\n\r\n");
    let mut all: Vec<Named> = [
        "GET /version HTTP/1.0",
        "GET /version HTTP/1.2",
        "GET /version HTTP/2.0",
        "GET /version HTTP/3.7",
        "GET /version HTTQ/1.1",
        "GET /version",
        "GET  /version HTTP/1.1",
        "GET /version  HTTP/1.1",
        "GET /ver sion HTTP/1.1",
        "get /version HTTP/1.1",
        "G@T /version HTTP/1.1",
        "G{T /version HTTP/1.1",
        " GET /version HTTP/1.1",
        "/version HTTP/1.1",
        "",
        "PRI * HTTP/2.0",
    ]
    .into_iter()
    .map(|it| named(format!("the line {it:?}"), line(it)))
    .collect();
    for method in ["OPTIONS", "TRACE", "BREW", "LINK", "PUT", "PATCH", "HEAD", "DELETE"] {
        for path in ["/api/v1/namespaces/default/pods", "/version", "/api/v1/nothing", "/healthz"] {
            all.push(named(
                format!("{method} {path}"),
                send(method, path, "application/json", b"{}"),
            ));
        }
    }
    let connect = format!("CONNECT x:80 HTTP/1.1\r\nHost: x\r\n{WHO}Connection: close\r\n\r\n");
    let two = format!("GET /version HTTP/1.1\r\nHost: x\r\n{WHO}\r\n");
    all.extend([
        named("CONNECT", connect),
        named("no host", format!("GET /version HTTP/1.1\r\n{WHO}Connection: close\r\n\r\n")),
        named("no host in 1.0", format!("GET /version HTTP/1.0\r\n{WHO}\r\n")),
        named("two hosts", head("GET", "/version", "Host: y\r\n")),
        named(
            "bad host",
            format!("GET /version HTTP/1.1\r\nHost: a b\r\n{WHO}Connection: close\r\n\r\n"),
        ),
        named(
            "bare line feeds",
            head("GET", "/version", "").into_iter().filter(|it| *it != b'\r').collect::<Vec<_>>(),
        ),
        named("blank lines first", [b"\r\n\r\n", head("GET", "/version", "").as_slice()].concat()),
        named("five at once", [two.repeat(4).as_bytes(), &get("/version")].concat()),
        named("one good, one bad at once", format!("{two}nonsense\r\n\r\n")),
        named(
            "a body, then another request",
            [
                format!("GET /version HTTP/1.1\r\nHost: x\r\n{WHO}Content-Length: 3\r\n\r\nabc")
                    .as_bytes(),
                &get("/version"),
            ]
            .concat(),
        ),
        named("upgrade to nothing", head("GET", "/version", "Upgrade: nothing\r\n")),
        named("upgrade to h2c", head("GET", "/version", "Upgrade: h2c\r\nHTTP2-Settings: a\r\n")),
    ]);
    all
}

fn framing() -> Vec<Named> {
    let json = "Content-Type: application/json\r\n";
    let with = |more: &str, body: &str| {
        [&head("POST", MAPS, &format!("{json}{more}")), body.as_bytes()].concat()
    };
    let body = annotation("framed");
    let length = format!("Content-Length: {}\r\n", body.len());
    let chunked = "Transfer-Encoding: chunked\r\n";
    let one = |head: &str| format!("{head}\r\n{body}\r\n0\r\n\r\n");
    let size = format!("{:x}", body.len());
    vec![
        named("length and chunks", with(&format!("{length}{chunked}"), &one(&size))),
        named("same length twice", with(&format!("{length}{length}"), &body)),
        named("two lengths", with(&format!("{length}Content-Length: 3\r\n"), &body)),
        named("length of a word", with("Content-Length: many\r\n", &body)),
        named("negative length", with("Content-Length: -1\r\n", &body)),
        named("length with a plus", with("Content-Length: +3\r\n", "abc")),
        named("empty length", with("Content-Length:\r\n", &body)),
        named("no length", with("", "")),
        named("chunks in capitals", with("Transfer-Encoding: CHUNKED\r\n", &one(&size))),
        named("gzip", with("Transfer-Encoding: gzip\r\n", &body)),
        named("gzip and chunks", with("Transfer-Encoding: gzip, chunked\r\n", &one(&size))),
        named("identity", with("Transfer-Encoding: identity\r\n", &body)),
        named("bad chunk size", with(chunked, &one("zz"))),
        named("huge chunk size", with(chunked, &one("ffffffffffffffffff"))),
        named("negative chunk size", with(chunked, &one("-1"))),
        named("chunk extension", with(chunked, &one(&format!("{size};a=b")))),
        named("chunk without its end", with(chunked, &format!("{size}\r\n{body}garbage"))),
        named(
            "chunks with a trailer",
            with(chunked, &format!("{size}\r\n{body}\r\n0\r\nX-A: a\r\n\r\n")),
        ),
        named(
            "expects to go on",
            [&with(&format!("{length}Expect: 100-continue\r\n"), ""), body.as_bytes()].concat(),
        ),
        named("expects something else", with(&format!("{length}Expect: nothing\r\n"), &body)),
        named(
            "chunks in HTTP/1.0",
            [
                format!("POST {MAPS} HTTP/1.0\r\nHost: x\r\n{WHO}{json}{chunked}\r\n").as_bytes(),
                one(&size).as_bytes(),
            ]
            .concat(),
        ),
    ]
}

fn watches() -> Vec<Named> {
    let queries = [
        "watch=1&timeoutSeconds=1",
        "watch=maybe&timeoutSeconds=1",
        "watch=0",
        "watch=&timeoutSeconds=1",
        "watch&timeoutSeconds=1",
        "watch=1&timeoutSeconds=0.5",
        "watch=1&timeoutSeconds=a",
        "watch=1&timeoutSeconds=99999999999999999999",
        "watch=1&timeoutSeconds=1&resourceVersion=a",
        "watch=1&timeoutSeconds=1&resourceVersion=-1",
        "watch=1&timeoutSeconds=1&resourceVersion=1",
        "watch=1&timeoutSeconds=1&resourceVersion=0",
        "watch=1&timeoutSeconds=1&resourceVersion=99999999999999999999999",
        "watch=1&timeoutSeconds=1&limit=a",
        "watch=1&timeoutSeconds=1&limit=-1",
        "watch=1&timeoutSeconds=1&continue=a",
        "watch=1&timeoutSeconds=1&labelSelector=%3D%3D",
        "watch=1&timeoutSeconds=1&fieldSelector=a",
        "watch=1&timeoutSeconds=1&fieldSelector=nothing%3Da",
        "watch=1&timeoutSeconds=1&sendInitialEvents=true",
        "watch=1&timeoutSeconds=1&sendInitialEvents=maybe",
        "watch=1&timeoutSeconds=1&resourceVersionMatch=NotOlderThan",
        "watch=1&timeoutSeconds=1&resourceVersionMatch=a",
        "watch=1&timeoutSeconds=1&allowWatchBookmarks=maybe",
        "watch=1&timeoutSeconds=1&watch=0",
        "limit=a",
        "limit=-1",
        "limit=99999999999999999999",
        "continue=a",
        "continue=%00",
        "resourceVersion=a",
        "resourceVersionMatch=Exact",
        "resourceVersion=1&resourceVersionMatch=Exact",
        "resourceVersion=0&resourceVersionMatch=Exact",
        "labelSelector=a%20in%20(",
        "labelSelector=%00",
        "fieldSelector=metadata.name",
        "pretty=maybe",
        "timeoutSeconds=a",
    ];
    let mut all: Vec<Named> = queries
        .into_iter()
        .map(|query| named(format!("GET maps?{query}"), get(&format!("{MAPS}?{query}"))))
        .collect();
    for query in ["watch=1&timeoutSeconds=1", "watch=1&timeoutSeconds=1&resourceVersion=1"] {
        let request = head("HEAD", &format!("{MAPS}?{query}"), "");
        all.push(named(format!("HEAD maps?{query}"), request));
    }
    all
}
