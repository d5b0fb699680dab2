//! Steps, read from JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::fields::{Fields, Why};
use super::{
    Action, Begin, Body, Burst, Call, Collect, Compare, Condition, Finish, Kubectl, Look, Open,
    Request, Retry, Sender, Step,
};
use crate::text::Trim;

/// Reads one step.
pub(super) fn step(value: Value) -> Result<Step, Why> {
    let mut fields = Fields::of(value)?;
    let expect = fields.raw("expect");
    let action = action(&mut fields)?;
    fields.done()?;
    Ok(Step { action, expect })
}

/// Reads one request of `cleanup`.
pub(super) fn cleanup(value: Value) -> Result<Call, Why> {
    let mut fields = Fields::of(value)?;
    let call = call(&mut fields)?;
    fields.done()?;
    Ok(call)
}

fn action(fields: &mut Fields) -> Result<Action, Why> {
    let kind: String = fields.or("do", "request".to_owned())?;
    Ok(match kind.as_str() {
        "request" => Action::Request(Box::new(request(fields)?)),
        "open" => Action::Open(open(fields)?),
        "begin-get" => Action::BeginGet(open(fields)?),
        "collect" => Action::Collect(collect(fields)?),
        "begin" => Action::Begin(begin(fields)?),
        "finish" => Action::Finish(finish(fields)?),
        "burst" => Action::Burst(Burst { call: call(fields)?, count: fields.required("count")? }),
        "sleep" => Action::Sleep(fields.required("seconds")?),
        "kubectl" => Action::Kubectl(kubectl(fields)?),
        other => return Err(format!("do: {other} is no kind of step")),
    })
}

fn request(fields: &mut Fields) -> Result<Request, Why> {
    Ok(Request {
        call: call(fields)?,
        look: look(fields)?,
        retry: retry(fields)?,
        keep: fields.or("keep", false)?,
    })
}

fn call(fields: &mut Fields) -> Result<Call, Why> {
    let method = fields.required("method")?;
    call_with(method, fields)
}

fn call_with(method: String, fields: &mut Fields) -> Result<Call, Why> {
    Ok(Call {
        method,
        path: fields.required("path")?,
        sender: sender(fields)?,
        headers: fields.pairs("headers")?,
        body: body(fields)?,
    })
}

fn sender(fields: &mut Fields) -> Result<Sender, Why> {
    let name: String = fields.or("as", "admin".to_owned())?;
    Ok(if name == "anonymous" { Sender::Anonymous } else { Sender::Named(name) })
}

fn body(fields: &mut Fields) -> Result<Body, Why> {
    if let Some(value) = fields.raw("body") {
        return Ok(Body::Json(value));
    }
    if let Some(text) = fields.optional("text")? {
        return Ok(Body::Text(text));
    }
    match fields.optional::<String>("base64")? {
        None => Ok(Body::None),
        Some(text) => match STANDARD.decode(text) {
            Ok(bytes) => Ok(Body::Bytes(bytes)),
            Err(why) => Err(format!("base64: {why}")),
        },
    }
}

fn look(fields: &mut Fields) -> Result<Look, Why> {
    let compare: String = fields.or("compare", "body".to_owned())?;
    Ok(Look {
        compare: match compare.as_str() {
            "body" => Compare::Body,
            "text" => Compare::Text,
            "headers" => Compare::Headers,
            "status" => Compare::Status,
            other => return Err(format!("compare: {other} is no part of an answer")),
        },
        keep_headers: fields.optional("keepHeaders")?,
        select: fields.optional("select")?,
        capture: fields.pairs("capture")?,
        sort_items: fields.raw("sortItems").is_some(),
        trim: trim(fields)?,
        bytes: fields.or("bytes", false)?,
    })
}

fn trim(fields: &mut Fields) -> Result<Trim, Why> {
    let grep: Option<String> = fields.optional("grep")?;
    let replace: Vec<(String, String)> = fields.or("replace", Vec::new())?;
    Trim::new(grep.as_deref(), &replace, fields.or("sortLines", false)?)
        .map_err(|why| why.to_string())
}

fn retry(fields: &mut Fields) -> Result<Option<Retry>, Why> {
    let Some(value) = fields.optional("retryUntil")? else { return Ok(None) };
    let mut fields = Fields::of(value)?;
    let mut until = Vec::new();
    if let Some(status) = fields.optional("status")? {
        until.push(Condition::Status(status));
    }
    if let Some(pointer) = fields.optional("pointer")? {
        let equals = fields.raw("equals").ok_or("equals is missing")?;
        until.push(Condition::Equals(pointer, equals));
    }
    if let Some(text) = fields.optional("contains")? {
        until.push(Condition::Contains(text));
    }
    if let Some(name) = fields.optional("flowSchema")? {
        until.push(Condition::FlowSchema(name));
    }
    let seconds = fields.or("seconds", 0.0)?;
    fields.done()?;
    Ok(Some(Retry { seconds, until }))
}

fn open(fields: &mut Fields) -> Result<Open, Why> {
    Ok(Open {
        id: fields.required("id")?,
        call: call_with("GET".to_owned(), fields)?,
        settle_seconds: fields.optional("settle")?,
    })
}

fn collect(fields: &mut Fields) -> Result<Collect, Why> {
    Ok(Collect {
        id: fields.required("id")?,
        events: fields.optional("events")?,
        seconds: fields.or("seconds", 5.0)?,
        select: fields.optional("select")?,
        sort: fields.or("sortEvents", false)?,
        ended: fields.or("ended", false)?,
    })
}

fn begin(fields: &mut Fields) -> Result<Begin, Why> {
    let begin = Begin {
        id: fields.required("id")?,
        call: call(fields)?,
        count: fields.or("count", 1)?,
        settle_seconds: fields.or("settle", 0.3)?,
    };
    match begin.call.body {
        Body::Json(_) => Ok(begin),
        _ => Err("begin needs a JSON body to hold back a byte of".to_owned()),
    }
}

fn finish(fields: &mut Fields) -> Result<Finish, Why> {
    let ids = match fields.optional("ids")? {
        Some(ids) => ids,
        None => vec![fields.required("id")?],
    };
    Ok(Finish { ids, look: look(fields)? })
}

fn kubectl(fields: &mut Fields) -> Result<Kubectl, Why> {
    let exit_code_only = match fields.optional::<String>("compare")?.as_deref() {
        None | Some("body" | "text") => false,
        Some("rc") => true,
        Some(other) => return Err(format!("compare: {other} is no part of what a command does")),
    };
    Ok(Kubectl {
        sender: sender(fields)?,
        args: fields.required("args")?,
        stdin: fields.or("stdin", String::new())?,
        files: fields.pairs("files")?,
        editor: fields.or("editor", "true".to_owned())?,
        seconds: fields.or("seconds", 60.0)?,
        exit_code_only,
        squeeze: fields.or("squeeze", true)?,
        trim: trim(fields)?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_step_without_a_kind_is_a_request_of_the_administrator() {
        let step = step(json!({"method": "GET", "path": "/x", "expect": {"status": 200}})).unwrap();
        let Action::Request(request) = step.action else { panic!("{step:?}") };
        assert_eq!(request.call.sender, Sender::Named("admin".to_owned()));
        assert_eq!(request.call.body, Body::None);
        assert_eq!(step.expect, Some(json!({"status": 200})));
    }

    #[test]
    fn a_body_of_null_is_a_body() {
        let step = step(json!({"method": "POST", "path": "/x", "body": null})).unwrap();
        let Action::Request(request) = step.action else { panic!("{step:?}") };
        assert_eq!(request.call.body, Body::Json(Value::Null));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for wrong in [
            json!({"method": "GET", "path": "/x", "bogus": 1}),
            json!({"do": "dance"}),
            json!({"method": "GET"}),
            json!({"method": "GET", "path": "/x", "compare": "nothing"}),
            json!({"do": "begin", "id": "a", "method": "POST", "path": "/x"}),
            json!({"method": "GET", "path": "/x", "grep": "("}),
            json!({"method": "GET", "path": "/x", "retryUntil": {"pointer": "/a"}}),
        ] {
            assert!(step(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
