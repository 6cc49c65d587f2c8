//! What a real kube-apiserver 1.35 answered to bodies that are not JSON.

use super::complaint;

fn check(text: &str, want: &str) {
    assert_eq!(complaint(text.as_bytes()), want, "{text}");
}

#[test]
fn complaints_name_what_does_not_fit() {
    check("{\"a\":tru}", "invalid character '}' in literal true (expecting 'e')");
    check("{\"a\":tx}", "invalid character 'x' in literal true (expecting 'r')");
    check("{\"a\":fals", "invalid character ' ' in literal false (expecting 'e')");
    check("{\"a\":01}", "invalid character '1' after object key:value pair");
    check("{\"a\":-}", "invalid character '}' in numeric literal");
    check("{\"a\":-x}", "invalid character 'x' in numeric literal");
    check("{\"a\":1.}", "invalid character '}' after decimal point in numeric literal");
    check("{\"a\":1.x}", "invalid character 'x' after decimal point in numeric literal");
    check("{\"a\":1e}", "invalid character '}' in exponent of numeric literal");
    check("{\"a\":1e+}", "invalid character '}' in exponent of numeric literal");
    check("{\"a\":1ex}", "invalid character 'x' in exponent of numeric literal");
    check("{\"a\" 1}", "invalid character '1' after object key");
    check("{\"a\":1 \"b\":2}", "invalid character '\"' after object key:value pair");
    check("{\"a\":1,}", "invalid character '}' looking for beginning of object key string");
    check("{,}", "invalid character ',' looking for beginning of object key string");
    check("{\"a\":[1,]}", "invalid character ']' looking for beginning of value");
    check("{\"a\":[1 2]}", "invalid character '2' after array element");
    check("{\"a\":[}", "invalid character '}' looking for beginning of value");
    check("{\"a\":\"\\x\"}", "invalid character 'x' in string escape code");
    check("{\"a\":\"\\u12g4\"}", "invalid character 'g' in \\u hexadecimal character escape");
    check("{\"a\":\"x\ny\"}", "invalid character '\\n' in string literal");
    check("{\"a\":1}}", "invalid character '}' after top-level value");
    check("{\"a\":1} x", "invalid character 'x' after top-level value");
    check("{'a':1}", "invalid character '\\'' looking for beginning of object key string");
    check("{\"a\":'b'}", "invalid character '\\'' looking for beginning of value");
    check("{\"a\":nul", "invalid character ' ' in literal null (expecting 'l')");
    check("{\"a\":", "unexpected end of JSON input");
    check("{\"a\"", "unexpected end of JSON input");
    check("{\"a", "unexpected end of JSON input");
    check("{", "unexpected end of JSON input");
    check("[", "unexpected end of JSON input");
    check("[1", "unexpected end of JSON input");
    check("{\"a\":1]", "invalid character ']' after object key:value pair");
    check("[1}", "invalid character '}' after array element");
    check("{\"a\":NaN}", "invalid character 'N' looking for beginning of value");
    check("{\"a\":+1}", "invalid character '+' looking for beginning of value");
    check("{\"a\":.5}", "invalid character '.' looking for beginning of value");
    check("\\", "invalid character '\\\\' looking for beginning of value");
    check("\"", "unexpected end of JSON input");
    check("-", "invalid character ' ' in numeric literal");
    check("01", "invalid character '1' after top-level value");
    check("{\"a\":\t}", "invalid character '}' looking for beginning of value");
    check("{\"a\":\"b\"", "unexpected end of JSON input");
    check(" ", "unexpected end of JSON input");
    check("{\"a\":é}", "invalid character 'Ã' looking for beginning of value");
    check("{\"a\":\u{1}}", "invalid character '\\x01' looking for beginning of value");
    check("tru e", "invalid character ' ' in literal true (expecting 'e')");
    check("nulll", "invalid character 'l' after top-level value");
    check("{1:2}", "invalid character '1' looking for beginning of object key string");
    check("{\"a\"::1}", "invalid character ':' looking for beginning of value");
    check("{\"a\":1,,\"b\":2}", "invalid character ',' looking for beginning of object key string");
}
