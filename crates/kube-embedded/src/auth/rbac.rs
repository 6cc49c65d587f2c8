//! Decides by roles and bindings.
//!
//! Reads RBAC objects once into an index by subject; returns decisions.
//! Invariant: a decision looks only at the bindings of the user and of the user's groups.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube_schema::LabelSelector;
use serde_json::Value;

use super::{AccountName, Attributes, MASTERS, User};
use crate::refusal::Refusal;

mod rule;

#[cfg(test)]
mod tests;

pub(super) use rule::{Rule, go_list};

/// Who decides.
#[derive(Debug, Clone)]
pub(crate) enum Authorizer {
    /// Nobody: all is allowed.
    AlwaysAllow,
    Rbac(Arc<Rules>),
}

/// Whether something is allowed, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) allowed: bool,
    /// Empty where the server says none.
    pub(crate) reason: String,
}

impl Authorizer {
    pub(crate) fn allows(&self, user: &User, attributes: &Attributes<'_>) -> bool {
        match self {
            Self::AlwaysAllow => true,
            Self::Rbac(rules) => rules.allows(user, attributes),
        }
    }

    /// Decides with the reason that reviews give.
    pub(crate) fn decide(&self, user: &User, attributes: &Attributes<'_>) -> Decision {
        let allowed = Decision { allowed: true, reason: String::new() };
        match self {
            Self::AlwaysAllow => allowed,
            Self::Rbac(_) if user.is_in(MASTERS) => allowed,
            Self::Rbac(rules) => match rules.grant(user, attributes) {
                Some(grant) => Decision { reason: grant.reason(), ..allowed },
                None => Decision { allowed: false, reason: rules.excuse(user, attributes) },
            },
        }
    }

    /// Refuses what is not allowed.
    pub(crate) fn authorize(
        &self,
        user: &User,
        attributes: &Attributes<'_>,
    ) -> Result<(), Refusal> {
        // Reasons are for denials alone; most requests are allowed.
        match self.allows(user, attributes) {
            true => Ok(()),
            false => Err(attributes.forbidden(user, &self.decide(user, attributes).reason)),
        }
    }
}

/// Roles and bindings, ready to decide.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    roles: BTreeMap<RoleName, Arc<[Rule]>>,
    /// By the namespace of the binding, empty for the cluster.
    places: BTreeMap<String, Place>,
}

/// A role: its namespace (empty for a ClusterRole) and its name.
type RoleName = (String, String);

/// What the bindings of one namespace give.
#[derive(Debug, Default)]
struct Place {
    /// By name; service accounts by their names as users.
    users: BTreeMap<String, Vec<Grant>>,
    groups: BTreeMap<String, Vec<Grant>>,
}

#[derive(Debug)]
enum Subject {
    User(String),
    Group(String),
}

/// What one binding gives one subject.
#[derive(Debug, Clone)]
pub(super) struct Grant {
    binding: Arc<str>,
    subject: String,
    rules: Arc<[Rule]>,
    /// The role, where there is none of its name.
    lost: Option<LostRole>,
}

/// A role that a binding refers to in vain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LostRole {
    /// `role` or `clusterrole`.
    kind: &'static str,
    pub(super) name: String,
}

impl Rules {
    /// Indexes Role, ClusterRole, RoleBinding and ClusterRoleBinding objects; others are passed.
    pub(crate) fn new<'a>(objects: impl IntoIterator<Item = &'a Value>) -> Self {
        let objects: Vec<&Value> = objects.into_iter().collect();
        let of_kind = |kind: &'static str| {
            objects.iter().copied().filter(move |object| object["kind"] == kind)
        };
        let cluster_roles: BTreeMap<&str, &Value> =
            of_kind("ClusterRole").map(|role| (name(role), role)).collect();
        let mut roles: BTreeMap<RoleName, Arc<[Rule]>> = BTreeMap::new();
        for (name, role) in &cluster_roles {
            let rules = aggregated(role, &cluster_roles);
            roles.insert((String::new(), (*name).to_owned()), rules.into());
        }
        for role in of_kind("Role") {
            roles.insert((namespace(role), name(role).to_owned()), Rule::of_role(role).into());
        }
        let mut rules = Self { roles, places: BTreeMap::new() };
        let mut bindings: Vec<&Value> =
            of_kind("ClusterRoleBinding").chain(of_kind("RoleBinding")).collect();
        bindings.sort_by_key(|binding| (namespace(binding), name(binding).to_owned()));
        for binding in bindings {
            rules.bind(binding);
        }
        rules
    }

    pub(crate) fn allows(&self, user: &User, attributes: &Attributes<'_>) -> bool {
        user.is_in(MASTERS) || self.grant(user, attributes).is_some()
    }

    /// The rules of a role that a binding in `namespace` refers to; none if there is no such role.
    pub(super) fn role(&self, reference: &Value, namespace: &str) -> Option<Arc<[Rule]>> {
        let namespace = if reference["kind"] == "Role" { namespace } else { "" };
        let name = reference["name"].as_str().unwrap_or("");
        self.roles.get(&(namespace.to_owned(), name.to_owned())).cloned()
    }

    /// Everything a user may do in a namespace, cluster-wide grants first.
    pub(super) fn rules_of(&self, user: &User, namespace: &str) -> Vec<&Rule> {
        let mut seen = BTreeSet::new();
        let grants = self.grants_of(user, namespace);
        let fresh = grants.filter(|grant| seen.insert((&grant.binding, Arc::as_ptr(&grant.rules))));
        fresh.flat_map(|grant| grant.rules.iter()).collect()
    }

    /// Roles that would have been the user's if they were there.
    pub(super) fn lost_roles(&self, user: &User, namespace: &str) -> Vec<&LostRole> {
        let mut lost = Vec::new();
        for role in self.grants_of(user, namespace).filter_map(|grant| grant.lost.as_ref()) {
            if !lost.contains(&role) {
                lost.push(role);
            }
        }
        lost
    }

    /// What the server says of a denial.
    fn excuse(&self, user: &User, attributes: &Attributes<'_>) -> String {
        let lost = self.lost_roles(user, attributes.namespace);
        let texts: Vec<String> = lost.into_iter().map(LostRole::describe).collect();
        match &texts[..] {
            [] => String::new(),
            [text] => format!("RBAC: {text}"),
            texts => format!("RBAC: [{}]", texts.join(", ")),
        }
    }

    fn grant(&self, user: &User, attributes: &Attributes<'_>) -> Option<&Grant> {
        let full = attributes.full_resource();
        let allows = |grant: &&Grant| grant.rules.iter().any(|rule| rule.allows(attributes, &full));
        self.grants_of(user, attributes.namespace).find(allows)
    }

    /// The grants in the cluster, then those in the namespace; each in the order of bindings.
    fn grants_of(&self, user: &User, namespace: &str) -> impl Iterator<Item = &Grant> + use<'_> {
        let own = Some(namespace).filter(|namespace| !namespace.is_empty());
        let places = [Some(""), own].into_iter().flatten();
        let mut found = Vec::new();
        for place in places.filter_map(|place| self.places.get(place)) {
            let users = place.users.get(&user.name).into_iter();
            let groups = user.groups.iter().filter_map(|group| place.groups.get(group));
            let start = found.len();
            found.extend(users.chain(groups).flatten());
            found[start..].sort_by(|one: &&Grant, other| one.binding.cmp(&other.binding));
        }
        found.into_iter()
    }

    fn bind(&mut self, binding: &Value) {
        let place = namespace(binding);
        let reference = &binding["roleRef"];
        let rules = self.role(reference, &place);
        let lost = rules.is_none().then(|| LostRole::of(reference));
        let rules = rules.unwrap_or_default();
        let described: Arc<str> = describe_binding(binding).into();
        for subject in binding["subjects"].as_array().into_iter().flatten() {
            let Some((key, text)) = read_subject(subject, &place) else {
                continue;
            };
            let grant = Grant {
                binding: described.clone(),
                subject: text,
                rules: rules.clone(),
                lost: lost.clone(),
            };
            let place = self.places.entry(place.clone()).or_default();
            match key {
                Subject::User(name) => place.users.entry(name).or_default().push(grant),
                Subject::Group(name) => place.groups.entry(name).or_default().push(grant),
            }
        }
    }
}

impl Grant {
    fn reason(&self) -> String {
        format!("RBAC: allowed by {} to {}", self.binding, self.subject)
    }
}

impl LostRole {
    fn of(reference: &Value) -> Self {
        let kind = if reference["kind"] == "Role" { "role" } else { "clusterrole" };
        Self { kind, name: reference["name"].as_str().unwrap_or("").to_owned() }
    }

    fn describe(&self) -> String {
        format!("{}.rbac.authorization.k8s.io {:?} not found", self.kind, self.name)
    }
}

fn describe_binding(binding: &Value) -> String {
    let (name, role) = (name(binding), &binding["roleRef"]);
    let role_kind = role["kind"].as_str().unwrap_or("");
    let role_name = role["name"].as_str().unwrap_or("");
    match namespace(binding).as_str() {
        "" => format!("ClusterRoleBinding {name:?} of {role_kind} {role_name:?}"),
        namespace => {
            let full = format!("{name}/{namespace}");
            format!("RoleBinding {full:?} of {role_kind} {role_name:?}")
        }
    }
}

/// Whom a binding names, and how reasons name them; `place` is where the binding lives.
fn read_subject(subject: &Value, place: &str) -> Option<(Subject, String)> {
    let name = subject["name"].as_str()?;
    match subject["kind"].as_str()? {
        "User" => Some((Subject::User(name.to_owned()), format!("User {name:?}"))),
        "Group" => Some((Subject::Group(name.to_owned()), format!("Group {name:?}"))),
        "ServiceAccount" => {
            let namespace = subject["namespace"].as_str().filter(|text| !text.is_empty());
            let namespace = namespace.or(Some(place)).filter(|text| !text.is_empty())?;
            let user = User::of_account(&AccountName { namespace, name }, "");
            let full = format!("{name}/{namespace}");
            Some((Subject::User(user.name), format!("ServiceAccount {full:?}")))
        }
        _ => None,
    }
}

/// The rules of a ClusterRole; those of the roles it selects, and of those they select, if it
/// aggregates.
fn aggregated(role: &Value, all: &BTreeMap<&str, &Value>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut seen = BTreeSet::from([name(role)]);
    let mut open = vec![role];
    while let Some(role) = open.pop() {
        let Some(selectors) = role["aggregationRule"]["clusterRoleSelectors"].as_array() else {
            for rule in Rule::of_role(role) {
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
            continue;
        };
        let selectors = selectors.iter().map(LabelSelector::read_or_everything);
        let selectors: Vec<_> = selectors.filter_map(Result::ok).collect();
        let is_selected =
            |candidate: &Value| selectors.iter().any(|selector| selector.matches_object(candidate));
        // The last one pushed is read first, so that roles are read in the order of their names.
        for (name, candidate) in all.iter().rev() {
            if is_selected(candidate) && seen.insert(name) {
                open.push(candidate);
            }
        }
    }
    rules
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or("")
}

fn namespace(object: &Value) -> String {
    object["metadata"]["namespace"].as_str().unwrap_or("").to_owned()
}
