//! What the chart's templates come to, and that nothing else lies in the folder that people apply.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

fn some_values() -> values::Values {
    let value = |default: Value| json!({ "description": "A value.", "default": default });
    let schema = json!({ "additionalProperties": false, "properties": {
        "name": value(json!("x")), "empty": value(json!("")), "count": value(json!(2)),
        "on": value(json!(true)), "map": value(json!({"b": 1, "a": "y"})),
        "group": { "additionalProperties": false, "properties": { "deep": value(json!("z")) } },
    }});
    values::options(&schema).expect("the schema is whole")
}

fn check(template: &str, want: &str) {
    let said = template::render(template, &some_values());
    assert_eq!(said.unwrap_or_else(|error| format!("{error:#}")).trim_end(), want, "{template}");
}

#[test]
fn a_value_is_shown_in_three_ways() {
    check("a: {{ .Values.name }}{{ .Values.count }}", "a: x2");
    check("a: {{ .Values.group.deep | quote }}", "a: \"z\"");
    check("a: {{ .Values.map | toJson }}", "a: {\"a\":\"y\",\"b\":1}");
}

#[test]
fn lines_stay_while_every_condition_around_them_holds() {
    check("a\n  {{- if .Values.on }}\nb\n{{- end }}\nc", "a\nb\nc");
    check(
        "a\n{{- if .Values.on }}\n{{- if .Values.empty }}\nb\n{{- end }}\nd\n{{- end }}\nc",
        "a\nd\nc",
    );
}

#[test]
fn what_is_not_known_is_refused() {
    check("{{ .Values.other }}", "line 1: the schema has no value `other`");
    check("{{ .Release.Name }}", "line 1: `.Release.Name` is no value");
    check("{{- range .Values.map }}", "line 1: not if or end");
    check("a\n{{- end }}", "line 2: an end without an if");
    check("{{- if .Values.on }}", "an if without an end");
    check(
        "{{ .Values.map }}",
        "line 1: `.Values.map` cannot be shown: it is {\"a\":\"y\",\"b\":1}",
    );
    check("{{.Values.name}}", "line 1: only `{{ .Values.… }}` is known within a line");
}

#[test]
fn the_file_of_defaults_says_what_the_schema_says() {
    let values = some_values();
    let page: Value = serde_saphyr::from_str(&values::page(&values)).expect("it is YAML");
    assert_eq!(page, values.defaults());
}

#[test]
fn only_what_is_generated_lies_in_the_folder_that_people_apply() {
    let workspace = Workspace::load().expect("the workspace is here");
    let written: BTreeSet<String> =
        write(&workspace).expect("it can be generated").into_iter().map(|it| it.path).collect();
    for path in [MANIFESTS.to_owned(), format!("{CHART}/crds")] {
        for (name, _) in folder(&workspace, &path).expect("the folder is there") {
            assert!(written.contains(&format!("{path}/{name}")), "{path}/{name} is left over");
        }
    }
    let templates = folder(&workspace, &format!("{CHART}/templates")).expect("it is there");
    for (name, _) in templates.iter().filter(|(name, _)| name.starts_with('0')) {
        let path = format!("{CHART}/templates/{name}");
        assert!(written.contains(&path), "{path} is left over");
    }
}
