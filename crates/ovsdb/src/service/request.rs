//! Answers the requests of clients, one method each.
//!
//! Invariant: every request gets exactly one answer, now or when its waiting ends.

use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::database::Database;
use super::monitor::{Method, Monitor, read_filters};
use super::{ClientId, Service};
use crate::codec::{is_identifier, parse_uuid};
use crate::engine::RowChange;
use crate::engine::answer::fault_to_json;
use crate::fault::Fault;

/// What a method answers: a result, or an error in its JSON form.
type Answer = Result<Value, Value>;

impl Service {
    pub(super) fn answer(
        &mut self,
        client: ClientId,
        request: &RawValue,
        method: &str,
        params: &RawValue,
        now: Duration,
    ) {
        let Ok(params) = serde_json::from_str::<Vec<Value>>(params.get()) else {
            return self.refuse(client, request, &json!("parameters are not a list"));
        };
        if method == "transact" {
            return match self.transaction(&params) {
                Ok(database) => {
                    let operations = params.into_iter().skip(1).collect();
                    self.start_transaction(client, request, &database, operations, now);
                }
                Err(error) => self.refuse(client, request, &error),
            };
        }
        match self.run(client, method, params) {
            Ok(result) => self.reply(client, request, &result),
            Err(error) => self.refuse(client, request, &error),
        }
    }

    fn run(&mut self, client: ClientId, method: &str, params: Vec<Value>) -> Answer {
        match method {
            "echo" => Ok(Value::Array(params)),
            "list_dbs" => Ok(self.databases.keys().cloned().collect()),
            "get_schema" => {
                let database = self.database(method, &params)?;
                Ok(database.engine.schema().to_json())
            }
            "get_server_id" => Ok(json!(self.id.to_string())),
            "set_db_change_aware" => match params.as_slice() {
                [Value::Bool(_)] => Ok(json!({})),
                _ => Err(syntax("true or false parameter expected")),
            },
            "monitor" => self.monitor(client, Method::Rows, method, params),
            "monitor_cond" => self.monitor(client, Method::Differences, method, params),
            "monitor_cond_since" => self.monitor(client, Method::Since, method, params),
            "monitor_cond_change" => self.change_monitor(client, params),
            "monitor_cancel" => self.cancel_monitor(client, &params),
            "lock" => self.lock(client, &params),
            "steal" => self.steal(client, &params),
            "unlock" => self.unlock(client, &params),
            _ => Err(json!("unknown method")),
        }
    }

    /// The name of the database that a transaction is for.
    fn transaction(&self, params: &[Value]) -> Result<String, Value> {
        let database = self.database("transact", params)?;
        Ok(database.engine.schema().name.clone())
    }

    fn database(&self, method: &str, params: &[Value]) -> Result<&Database, Value> {
        let name = params.first().and_then(Value::as_str);
        let name = name
            .ok_or_else(|| syntax(&format!("{method} request params must begin with <db-name>")))?;
        self.databases.get(name).ok_or_else(|| {
            let problem = format!("{method} request specifies unknown database {name}");
            fault_to_json(&Fault::new(Fault::UNKNOWN_DATABASE, problem))
        })
    }

    fn monitor(
        &mut self,
        client: ClientId,
        method: Method,
        name: &str,
        params: Vec<Value>,
    ) -> Answer {
        let database = self.database(name, &params)?;
        let (id, requests, last) = match (method, params.as_slice()) {
            (Method::Rows | Method::Differences, [_, id, requests]) => (id, requests, None),
            (Method::Since, [_, id, requests]) => (id, requests, Some(&Value::Null)),
            (Method::Since, [_, id, requests, last]) => (id, requests, Some(last)),
            _ => return Err(syntax("invalid parameters")),
        };
        let last = last.map(read_transaction_id).transpose()?;
        let schema = database.engine.schema();
        let monitor = Monitor::read(id.clone(), schema, method, requests)
            .map_err(|fault| fault_to_json(&fault))?;
        let answer = match last {
            None => monitor.initial(&database.engine),
            Some(last) => catch_up(database, &monitor, last),
        };
        self.keep_monitor(client, monitor)?;
        Ok(answer)
    }

    fn keep_monitor(&mut self, client: ClientId, monitor: Monitor) -> Result<(), Value> {
        let limit = self.limits.monitors;
        let monitors = self.monitors(client)?;
        if monitors.iter().any(|known| known.id == monitor.id) {
            return Err(syntax("duplicate monitor ID"));
        }
        if monitors.len() >= limit {
            return Err(json!("too many monitors"));
        }
        monitors.push(monitor);
        Ok(())
    }

    fn change_monitor(&mut self, client: ClientId, params: Vec<Value>) -> Answer {
        let [old, new, requests] = params.as_slice() else {
            return Err(syntax("invalid parameters"));
        };
        let monitors = self.monitors(client)?;
        let taken = old != new && monitors.iter().any(|monitor| monitor.id == *new);
        let at = monitors.iter().position(|monitor| monitor.id == *old);
        let at = at.ok_or_else(|| syntax("unknown monitor session"))?;
        if taken {
            return Err(syntax("duplicate monitor ID"));
        }
        let Self { databases, clients, .. } = self;
        let known = clients.get_mut(&client).and_then(|client| client.monitors.get_mut(at));
        let monitor = known.ok_or_else(|| syntax("unknown monitor session"))?;
        let database = databases.get(&monitor.database);
        let database = database.ok_or_else(|| syntax("unknown monitor session"))?;
        let filters = read_filters(database.engine.schema(), requests)
            .map_err(|fault| fault_to_json(&fault))?;
        monitor.id = new.clone();
        // compat: ovsdb-server(7) §4.1.14: the rows that come and go are told before the answer.
        if let Some(updates) = monitor.change_filters(filters, &database.engine) {
            let (method, params) = monitor.notification(updates, database.history.current());
            self.notify(client, method, &params);
        }
        Ok(json!({}))
    }

    fn cancel_monitor(&mut self, client: ClientId, params: &[Value]) -> Answer {
        let [id] = params else { return Err(json!("invalid parameters")) };
        let monitors = self.monitors(client)?;
        let at = monitors.iter().position(|monitor| monitor.id == *id);
        monitors.remove(at.ok_or_else(|| json!("unknown monitor"))?);
        Ok(json!({}))
    }

    fn monitors(&mut self, client: ClientId) -> Result<&mut Vec<Monitor>, Value> {
        let client = self.clients.get_mut(&client);
        Ok(&mut client.ok_or_else(|| json!("disconnected"))?.monitors)
    }

    /// Tells everyone who wants to know what changed in a database.
    pub(super) fn publish(&mut self, name: &str, changes: &[RowChange]) {
        let Some(database) = self.databases.get(name) else { return };
        let current = database.history.current();
        let mut notices = Vec::new();
        for (id, client) in &self.clients {
            for monitor in client.monitors.iter().filter(|monitor| monitor.database == name) {
                if let Some(updates) = monitor.updates(changes) {
                    notices.push((*id, monitor.notification(updates, current)));
                }
            }
        }
        for (id, (method, params)) in notices {
            self.notify(id, method, &params);
        }
    }

    fn lock(&mut self, client: ClientId, params: &[Value]) -> Answer {
        let lock = self.new_lock(client, params, "lock")?;
        Ok(json!({ "locked": self.locks.join(client, lock) }))
    }

    fn steal(&mut self, client: ClientId, params: &[Value]) -> Answer {
        let lock = self.new_lock(client, params, "steal")?;
        if let Some(victim) = self.locks.steal(client, lock) {
            self.notify(victim, "stolen", &[lock]);
        }
        Ok(json!({ "locked": true }))
    }

    fn unlock(&mut self, client: ClientId, params: &[Value]) -> Answer {
        let lock = lock_name(params)?;
        if !self.locks.is_queued(client, lock) {
            return Err(syntax("\"unlock\" without \"lock\" or \"steal\""));
        }
        if let Some(heir) = self.locks.leave(client, lock) {
            self.notify(heir, "locked", &[lock]);
        }
        Ok(json!({}))
    }

    fn new_lock<'p>(
        &self,
        client: ClientId,
        params: &'p [Value],
        method: &str,
    ) -> Result<&'p str, Value> {
        let lock = lock_name(params)?;
        if self.locks.is_queued(client, lock) {
            return Err(syntax(&format!("must issue \"unlock\" before new \"{method}\"")));
        }
        if self.locks.count(client) >= self.limits.locks {
            return Err(json!("too many locks"));
        }
        Ok(lock)
    }
}

/// The answer to `monitor_cond_since`: whether the client's state is known, the id of the present
/// one, and what leads there.
fn catch_up(database: &Database, monitor: &Monitor, last: crate::value::Uuid) -> Value {
    let current = database.history.current().to_string();
    match database.history.since(last) {
        Some(changes) => {
            json!([true, current, monitor.updates(&changes).unwrap_or_else(|| json!({}))])
        }
        None => json!([false, current, monitor.initial(&database.engine)]),
    }
}

fn read_transaction_id(json: &Value) -> Result<crate::value::Uuid, Value> {
    let parsed = json.as_str().and_then(parse_uuid);
    parsed.ok_or_else(|| syntax("last-txn-id must be UUID format"))
}

fn lock_name(params: &[Value]) -> Result<&str, Value> {
    match params {
        [Value::String(name)] if is_identifier(name) => Ok(name),
        _ => Err(syntax("lock request params must be <id>")),
    }
}

fn syntax(details: &str) -> Value {
    fault_to_json(&Fault::syntax(details))
}
