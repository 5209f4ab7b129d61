# Generated from schemas/tables/credentials.json. Do not edit: change that, then
# run `python -m codegen`.

"""Credentials: how they look in texts, and the names of what holds them.

Adapters hide those of raw events; in Python, recordings and errors of clients hide all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["EVENT_MEMBERS", "EVENT_PARAMETERS", "FORMS", "HARMLESS_TOKENS", "HOLDERS", "LONG_QUERY", "MEMBERS", "NAMES", "PASSWORDS", "PLACEHOLDERS", "PLACES", "PREFIXES", "QUERY", "VENDORS"]


PREFIXES: Final[tuple[str, ...]] = (
    "sk-",
    "sk_",
    "pk-",
    "pk_",
    "rk-",
    "rk_",
    "gsk-",
    "gsk_",
    "xai-",
    "xai_",
    "hf-",
    "hf_",
    "csk-",
    "csk_",
    "fw_",
    "pplx-",
    "nvapi-",
    "r8_",
    "tgp_",
    "co_",
    "co-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "xoxa-",
    "xoxb-",
    "xoxd-",
    "xoxe-",
    "xoxe.xox",
    "xoxo-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "xapp-",
    "glpat-",
    "gldt-",
    "glrt-",
    "glft-",
    "glptt-",
    "glcbt-",
    "glsoat-",
    "glagent-",
    "dckr_pat_",
    "whsec_",
    "shpat_",
    "shpca_",
    "shppa_",
    "shpss_",
    "sq0atp-",
    "sq0csp-",
    "lsv2_pt_",
    "lsv2_sk_",
    "tvly-",
    "jina_",
    "vck_",
    "sbp_",
    "sb_secret_",
    "pcsk_",
    "figd_",
    "ntn_",
    "lin_api_",
    "glsa_",
    "glc_",
    "nfp_",
    "pul-",
    "phc_",
    "phx_",
    "sntrys_",
    "sntryu_",
    "esecret_",
    "together_",
    "rubygems_",
    "PMAK-",
    "GOCSPX-",
    "CFPAT-",
    "ATATT3",
    "ATCTT3",
)
"""Beginnings of keys: random characters are behind them, or the asterisks of a masked key."""

FORMS: Final[tuple[tuple[str, str, int], ...]] = (
    ("AIza", "[0-9A-Za-z_\\-]", 20),
    ("AQ.", "[0-9A-Za-z_\\-]", 30),
    ("ya29.", "[0-9A-Za-z_\\-.]", 20),
    ("1//0", "[0-9A-Za-z_\\-]", 40),
    ("AKIA", "[0-9A-Z]", 16),
    ("ASIA", "[0-9A-Z]", 16),
    ("ABSK", "[0-9A-Za-z+/=]", 20),
    ("bedrock-api-key-", "[0-9A-Za-z+/=_\\-]", 20),
    ("npm_", "[0-9A-Za-z]", 36),
    ("SG.", "[0-9A-Za-z_\\-.]", 40),
    ("pypi-AgE", "[0-9A-Za-z_\\-]", 20),
    ("dop_v1_", "[0-9a-f]", 40),
    ("doo_v1_", "[0-9a-f]", 40),
    ("dor_v1_", "[0-9a-f]", 40),
    ("pa-", "[0-9A-Za-z_\\-]", 40),
    ("key-", "[0-9a-f]", 32),
    ("dapi", "[0-9a-f]", 32),
    ("hvs.", "[0-9A-Za-z_\\-]", 24),
    ("hvb.", "[0-9A-Za-z_\\-]", 24),
    ("dp.pt.", "[0-9A-Za-z]", 40),
    ("dp.st.", "[0-9A-Za-z_.]", 40),
    ("ops_eyJ", "[0-9A-Za-z_\\-=]", 20),
    ("secret_", "[0-9A-Za-z]", 40),
    ("ATBB", "[0-9A-Za-z]", 28),
    ("AGE-SECRET-KEY-1", "[0-9A-Z]", 40),
    ("hf_", "[A-Za-z0-9]", 34),
)
"""Beginning of a key, the class of characters behind it, and how many of them there are at least.
"""

NAMES: Final[tuple[str, ...]] = (
    "api[ _-]?(?:key|token)(?:[ _-]?id)?",
    "(?:access|secret|private|subscription)[ _-]?(?:access[ _-]?)?(?:key|token)(?:[ _-]?id)?",
    "(?:session|auth|refresh|security)[ _-]?token",
    "(?<=[a-z0-9_ \\-])secret",
    "(?:account|shared[ _-]?access|signing|encryption|master)[ _-]?key",
    "_auth",
    "(?<![a-z0-9_\\-])token",
    "(?<=[a-z0-9])_token",
)
"""Names that a key is behind, in text, as regular expressions without case."""

PASSWORDS: Final[tuple[str, ...]] = ("password", "passwd", "passphrase", "passcode", "pwd")
"""Names that a password is behind, without case."""

PLACEHOLDERS: Final[tuple[str, ...]] = (
    "none",
    "null",
    "true",
    "false",
    "string",
    "password",
    "passwd",
    "required",
    "secret",
    "token",
    "credential",
    "credentials",
    "authentication",
    "authorization",
    "header",
    "headers",
    "scheme",
    "auth",
    "realm",
    "self",
    "this",
    "user",
    "settings",
    "config",
    "args",
    "options",
    "params",
    "request",
    "process",
    "env",
    "os",
)
"""What is written where a credential would be, without case."""

PLACES: Final[tuple[str, ...]] = (
    "hooks.slack.com/services/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "api.telegram.org/bot",
)
"""Beginnings of URLs whose rest is a credential."""

QUERY: Final[tuple[str, ...]] = (
    "access_token",
    "apikey",
    "api_key",
    "api-key",
    "auth",
    "awsaccesskeyid",
    "client_secret",
    "id_token",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "pwd",
    "refresh_token",
    "secret",
    "sig",
    "signature",
    "token",
    "x-amz-credential",
    "x-amz-security-token",
    "x-amz-signature",
    "x-goog-credential",
    "x-goog-signature",
)
"""Parameters of a URL whose value is a credential, without case."""

LONG_QUERY: Final[tuple[str, ...]] = ("code", "hmac", "key")
"""Parameters whose value is one if it is long and looks random."""

MEMBERS: Final[tuple[str, ...]] = (
    "accesskey",
    "accesskeyid",
    "accesstoken",
    "accountkey",
    "apikey",
    "apitoken",
    "authorization",
    "authtoken",
    "bearertoken",
    "clientsecret",
    "cookie",
    "credential",
    "credentials",
    "idtoken",
    "ocpapimsubscriptionkey",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "proxyauthorization",
    "pwd",
    "refreshtoken",
    "secret",
    "secretaccesskey",
    "secretkey",
    "securitytoken",
    "sessiontoken",
    "setcookie",
    "sharedaccesskey",
    "subscriptionkey",
    "token",
    "xapikey",
    "xauthtoken",
    "xgoogapikey",
    "encryptionkey",
    "functionskey",
    "masterkey",
    "signingkey",
)
"""Members of objects whose value is a credential: in lower case, letters and digits alone."""

HARMLESS_TOKENS: Final[tuple[str, ...]] = (
    "begin",
    "bos",
    "cls",
    "continuation",
    "cursor",
    "end",
    "eos",
    "first",
    "last",
    "mask",
    "multi",
    "next",
    "pad",
    "page",
    "second",
    "sep",
    "single",
    "special",
    "start",
    "stop",
    "sync",
    "text",
    "top",
    "unk",
)
"""Words before "token" in a name whose value is not a token."""

VENDORS: Final[tuple[str, ...]] = (
    "xamz",
    "aws",
    "azure",
    "openai",
    "anthropic",
    "google",
    "gemini",
    "cohere",
)
"""Vendors' marks before a member's name, which are passed over."""

HOLDERS: Final[tuple[str, ...]] = (
    "headers",
    "extraheaders",
    "defaultheaders",
    "httpheaders",
    "extraquery",
    "defaultquery",
    "cookies",
)
"""Members of objects in which anything may be a credential."""

EVENT_MEMBERS: Final[tuple[str, ...]] = (
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
)
"""Members of a raw event whose value is hidden, in lower case; their names are compared without
case.
"""

EVENT_PARAMETERS: Final[tuple[str, ...]] = (
    "key",
    "apikey",
    "api-key",
    "api_key",
    "access_token",
    "sig",
    "token",
)
"""Parameters of a URL in a raw event whose value is hidden, without case."""
