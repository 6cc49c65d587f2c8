//! The plugins that are named are those which the module builds.

use super::*;

#[test]
fn every_plugin_is_a_tool_of_the_module() {
    let module = include_str!("../../../../tools/cni/go.mod");
    let tools = module.split_once("tool (").and_then(|(_, rest)| rest.split_once("\n)"));
    let (tools, _) = tools.expect("the module lists its tools");
    let mut built: Vec<&str> =
        tools.lines().filter_map(|line| line.rsplit_once('/')).map(|(_, name)| name).collect();
    let mut named: Vec<&str> = REFERENCE.iter().copied().chain([MULTUS]).collect();
    built.sort_unstable();
    named.sort_unstable();
    assert_eq!(built, named);
}
