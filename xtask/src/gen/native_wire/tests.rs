use super::{Declared, Label, Tagged, declared, messages, structs};

fn check(line: &str, want: Option<(Label, &str, &str, u32)>) {
    let want = want.map(|(label, kind, name, number)| Declared {
        label,
        kind: kind.to_owned(),
        name: name.to_owned(),
        number,
    });
    assert_eq!(declared(line), want, "{line}");
}

#[test]
fn fields_of_messages_are_read() {
    check("optional string name = 1;", Some((Label::Optional, "string", "name", 1)));
    check("repeated Volume volumes = 20;", Some((Label::Repeated, "Volume", "volumes", 20)));
    check("map<string, bytes> data = 2;", Some((Label::Map, "bytes", "data", 2)));
    check("syntax = \"proto2\";", None);
    check("}", None);
}

#[test]
fn comments_are_no_fields() {
    let found = messages("message A {\n  // optional string no = 1;\n  optional bool b = 2;\n}\n");
    assert_eq!(found["A"].len(), 1);
}

#[test]
fn structs_tell_json_names_and_pointers() {
    let text = "type A struct {\n\tB `json:\",inline\" protobuf:\"bytes,2,opt,name=b\"`\n\
        \tC *int `json:\"$c,omitempty\" protobuf:\"varint,3,opt,name=c\"`\n}\n";
    let found = structs(text);
    assert_eq!(found["A"][&2], Tagged { json: String::new(), is_pointer: false });
    assert_eq!(found["A"][&3], Tagged { json: "$c".to_owned(), is_pointer: true });
}
