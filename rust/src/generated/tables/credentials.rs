// Generated from schemas/tables/credentials.json. Do not edit: change that, then
// run `python -m codegen`.

//! Credentials: how they look in texts, and the names of what holds them.
//!
//! Adapters hide those of raw events; in Python, recordings and errors of clients hide all of them.

/// Members of a raw event whose value is hidden, in lower case; their names are compared without
/// case.
pub const EVENT_MEMBERS: &[&str] = &[
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "api_key",
    "apikey",
    "access_token",
    "client_secret",
];

/// Parameters of a URL in a raw event whose value is hidden, without case.
pub const EVENT_PARAMETERS: &[&str] = &[
    "key",
    "apikey",
    "api-key",
    "api_key",
    "access_token",
    "sig",
    "token",
];
