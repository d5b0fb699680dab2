//! OpenAPI v2 and v3 (spec: apimachinery 1.5, 1.6). Documents are large and seldom asked for: each
//! is made when it is first wanted, on a thread where that holds nobody up.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::status::Status;
use axum::body::Body;
use bytes::Bytes;
use http::Response;
use http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH, LOCATION, VARY};
use openapi::digest::sha512_hex;
use openapi::resource::{Group, GroupVersion, Version};
use openapi::{v2, v3};
use tokio::sync::OnceCell;

use super::documents::{insert, raw};
use crate::codec::json;
use crate::reply::{Failure, Reply};
use crate::request::{Authorized, accept_header};

/// The protobuf form of OpenAPI v2, which is not that of objects.
const V2_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// The reference spells it differently in answers.
const V2_PROTOBUF_ANSWERED: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// A document and its hash.
#[derive(Debug, Clone)]
struct Made {
    bytes: Bytes,
    hash: String,
}

impl Made {
    fn new(bytes: Vec<u8>) -> Self {
        Self { hash: sha512_hex(&bytes), bytes: bytes.into() }
    }

    /// The document, or word that the client has it already.
    fn answer(&self, request: &Authorized, content_type: &'static str) -> Response<Body> {
        let etag = format!("\"{}\"", self.hash);
        let unchanged = request.header(&IF_NONE_MATCH) == etag;
        let (code, body) = if unchanged { (304, Bytes::new()) } else { (200, self.bytes.clone()) };
        let mut response = crate::reply::compressed(&request.record, code, content_type, body);
        let headers = response.headers_mut();
        insert(headers, ETAG, &etag);
        insert(headers, VARY, "Accept");
        response
    }
}

/// A document of OpenAPI v3. The index of all needs no more of it than its hash.
#[derive(Debug)]
struct Document {
    key: v3::Key,
    hash: OnceCell<String>,
    made: OnceCell<Made>,
}

/// All documents about the groups that are served.
#[derive(Debug)]
pub(super) struct OpenApi {
    groups: Arc<Vec<Group>>,
    v2: OnceCell<Made>,
    v2_protobuf: OnceCell<Made>,
    v3: Vec<Arc<Document>>,
}

impl OpenApi {
    /// The documents about what is served. Those of versions that are served as they were `before`
    /// are taken over: most take long to make, and few change with a custom resource.
    pub(super) fn new(groups: &Arc<Vec<Group>>, before: Option<&Self>) -> Self {
        let made = before.map(|before| before.unchanged(groups)).unwrap_or_default();
        let document = |key: v3::Key| match made.get(&key) {
            Some(made) => Arc::clone(made),
            None => Arc::new(Document { key, hash: OnceCell::new(), made: OnceCell::new() }),
        };
        Self {
            groups: Arc::clone(groups),
            v2: OnceCell::new(),
            v2_protobuf: OnceCell::new(),
            v3: v3::keys(groups).into_iter().map(document).collect(),
        }
    }

    /// The documents that would be the same about these groups.
    fn unchanged(&self, groups: &[Group]) -> BTreeMap<&v3::Key, &Arc<Document>> {
        let same = |document: &&Arc<Document>| match &document.key {
            v3::Key::GroupVersion(key) => {
                let versions = version(&self.groups, key).zip(version(groups, key));
                versions.is_some_and(|(was, is)| was.is_same_as(is))
            }
            _ => true,
        };
        self.v3.iter().filter(same).map(|document| (&document.key, document)).collect()
    }

    /// `/openapi/v2`
    pub(super) async fn v2(&self, request: &Authorized) -> Result<Reply, Failure> {
        let accept = accept_header(&request.parts.headers);
        let takes_protobuf = accept.split(',').any(|clause| clause.trim() == V2_PROTOBUF);
        if takes_protobuf {
            let write = |groups: &[Group]| v2::encode(&v2::document(groups));
            let made = self.v2_protobuf.get_or_try_init(|| self.make(write)).await?;
            return Ok(Reply::Raw(Box::new(made.answer(request, V2_PROTOBUF_ANSWERED))));
        }
        let takes_json = accept.trim().is_empty()
            || accept.split(',').any(|clause| {
                let name = clause.split(';').next().unwrap_or_default().trim();
                matches!(name, "application/json" | "*/*" | "application/*")
            });
        if !takes_json {
            return Ok(Reply::Raw(Box::new(raw(406, "text/plain; charset=utf-8", Bytes::new()))));
        }
        let write = |groups: &[Group]| json::to_vec(&v2::document(groups));
        let made = self.v2.get_or_try_init(|| self.make(write)).await?;
        Ok(Reply::Raw(Box::new(made.answer(request, "application/json"))))
    }

    /// `/openapi/v3`: which documents there are, with their hashes.
    pub(super) async fn v3_index(&self) -> Result<Reply, Failure> {
        let mut hashes = Vec::new();
        for document in &self.v3 {
            hashes.push((&document.key, self.hash(document).await?));
        }
        let index = v3::index(hashes);
        Ok(Reply::Raw(Box::new(raw(200, "application/json", json::to_vec(&index).into()))))
    }

    /// `/openapi/v3/…`
    pub(super) async fn v3(&self, request: &Authorized, key: &str) -> Result<Reply, Failure> {
        let found = self.v3.iter().find(|document| document.key.to_string() == key);
        let Some(document) = found else { return Ok(Reply::not_found()) };
        let asked = request.query.first("hash");
        if let Some(asked) = asked {
            let hash = self.hash(document).await?;
            if asked != hash {
                let mut response = raw(301, "text/plain; charset=utf-8", Bytes::new());
                insert(response.headers_mut(), LOCATION, &format!("/openapi/v3/{key}?hash={hash}"));
                return Ok(Reply::Raw(Box::new(response)));
            }
        }
        let made = document.made.get_or_try_init(|| self.make_v3(&document.key)).await?;
        let mut response = made.answer(request, "application/json");
        if asked.is_some() {
            insert(response.headers_mut(), CACHE_CONTROL, "public, immutable");
        }
        Ok(Reply::Raw(Box::new(response)))
    }

    async fn hash<'a>(&'a self, document: &'a Document) -> Result<&'a str, Status> {
        let hash = || async { Ok(self.make_v3(&document.key).await?.hash) };
        document.hash.get_or_try_init(hash).await.map(String::as_str)
    }

    async fn make_v3(&self, key: &v3::Key) -> Result<Made, Status> {
        let key = key.clone();
        self.make(move |groups| json::to_vec(&v3::document(groups, &key).unwrap_or_default())).await
    }

    async fn make(
        &self,
        write: impl FnOnce(&[Group]) -> Vec<u8> + Send + 'static,
    ) -> Result<Made, Status> {
        let groups = Arc::clone(&self.groups);
        let made = tokio::task::spawn_blocking(move || Made::new(write(&groups)));
        made.await.map_err(|error| Status::internal_error(&error.to_string()))
    }
}

fn version<'g>(groups: &'g [Group], key: &GroupVersion) -> Option<&'g Version> {
    let group = groups.iter().find(|group| group.name == key.group)?;
    group.versions.iter().find(|version| version.name == key.version)
}
