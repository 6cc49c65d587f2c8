use super::*;

#[test]
fn lists_of_an_object_have_no_spare_capacity() {
    let json = r#"{"metadata": {"finalizers": ["f"], "ownerReferences": [{"name": "o"}]}}"#;
    let object = AnyObject::decode(Kind::Nad, json).expect("a NAD");
    let Metadata { finalizers, owner_references, .. } = object.metadata();
    assert_eq!((finalizers.capacity(), owner_references.capacity()), (1, 1));
}
