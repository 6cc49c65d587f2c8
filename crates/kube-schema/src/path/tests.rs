//! How paths display.

use super::Path;

#[test]
fn paths_display_as_the_server_displays_them() {
    let spec = Path::of_fields(["spec"]);
    assert_eq!(Path::root().to_string(), "<nil>");
    assert_eq!(spec.field("subnets").index(1).field("cidr").to_string(), "spec.subnets[1].cidr");
    assert_eq!(spec.field("labels").key("a.b/c").to_string(), "spec.labels[a.b/c]");
    assert_eq!(spec.field("").to_string(), "spec.");
    assert_eq!(spec.join(&Path::of_fields(["x"]).index(0)).to_string(), "spec.x[0]");
    assert_eq!(Path::root().field("spec"), spec);
}
