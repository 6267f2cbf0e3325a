"""Whether a name is that of a secret, and whether a value may be one."""

from __future__ import annotations

import re
from functools import lru_cache

from anyhook.lazy_pattern import LazyPattern


def words_of(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


_SECRET_WORDS = words_of(
    "apikey apikeys auth authkey authorization bearer cookie cookies cred credential credentials creds jwt "
    "mnemonic otp pass passcode passphrase passwd password passwords passwort pin privatekey psk pw pwd secret "
    "secrets senha signature token tokens totp"
)
_SECRET_ENDINGS = (
    "accesskey", "apikey", "authkey", "authtoken", "passphrase", "passwd", "password", "passwort", "privatekey",
    "rootpw", "bindpw", "secret", "secretkey", "token", "userpass", "dbpass", "rootpass", "adminpass",
)  # fmt: skip
"""What a longer word ends with: PGPASSWORD, MYTOKEN."""
_SECRET_KEYS = words_of(
    "access account admin api app auth client consumer deploy encryption hmac integration license master private "
    "rsa secret server service session shared sign signing ssh storage subscription webhook write"
)
"""Words before "key" that make it a secret."""
_HARMLESS_ENDINGS = words_of(
    "budget c count cpp cs dir directory enabled endpoint env expires expiry field file folder go h header helper "
    "host html id in java js json jsx kind kt length limit manager md method mode name path php policy port "
    "prefix provider py rb regex required rs scheme sh sock sql status store suffix swift toml ts tsx txt type "
    "uri url usage used user username version yaml yml"
)
"""A key that ends so is about a secret, and not one: token_type, password_file, SSH_AUTH_SOCK."""
_COUNTED = words_of("cached context input max min num output reasoning remaining total")
"""Words beside "tokens" with which they are a model's, not a person's."""
_NUMBERS_TOO = words_of("otp pass passcode passphrase passwd password passwort pin pwd secret totp")
"""Words whose value is a secret even when it is a number."""
_FOLDERS = words_of("PWD OLDPWD CWD")
_SERVICES = words_of(
    "adafruit adobe airtable algolia alibaba anthropic artifactory asana atlassian auth0 aws azure bitbucket "
    "bitrise bittrex cloudflare codecov coinbase confluent contentful databricks datadog digitalocean discord "
    "docker droneci dropbox etsy facebook fastly figma firebase flickr gemini github gitlab grafana heroku "
    "hubspot intercom jfrog jira kraken kucoin launchdarkly linear linkedin looker mailchimp mailgun mapbox "
    "mattermost messagebird mistral netlify newrelic notion npm okta openai pagerduty paypal plaid postmark "
    "rapidapi replicate segment sendbird sendgrid sentry shopify slack snyk sonar square stripe sumologic "
    "supabase telegram travis twilio twitch twitter typeform vault vercel yandex zendesk zoom"
)
_HARMLESS_OF_SERVICES = words_of(
    "account app branch bucket build commit digest domain email hash image job org organization owner project ref "
    "region release repo repository revision sha sha256 site space tag team workspace zone"
)

_PARTS = LazyPattern(r"[A-Z]++(?![a-z])|[A-Z]?[a-z]++|[A-Z]+(?=[A-Z][a-z])|[A-Z]|[0-9]++")
MAX_NAME_LENGTH = 64


@lru_cache(1024)
def is_secret_key(key: str, *, holds_number: bool = False) -> bool:
    """Whether a value under this key is a secret, by the words that the key is made of."""
    words = _words(key)
    if not words or words[-1] in _HARMLESS_ENDINGS or key in _FOLDERS:
        return False
    if "tokens" in words and not _COUNTED.isdisjoint(words):
        return False
    if holds_number:
        return not _NUMBERS_TOO.isdisjoint(words) or words[-1].endswith(("password", "passwd"))
    if any(word in {"key", "keys"} and words[i] in _SECRET_KEYS for i, word in enumerate(words[1:])):
        return True
    if words[-1] == "pat" and len(words) > 1 and (key.isupper() or words[-2] in _SERVICES):
        return True
    return not _SECRET_WORDS.isdisjoint(words) or any(word.endswith(_SECRET_ENDINGS) for word in words)


@lru_cache(1024)
def may_hold_secret(key: str) -> bool:
    """Whether a random-looking value under this key is a secret: MAILGUN, OPENAI_KEY."""
    words = _words(key)
    if not words or words[-1] in _HARMLESS_ENDINGS or not _HARMLESS_OF_SERVICES.isdisjoint(words):
        return False
    return not _SERVICES.isdisjoint(words) or (words[-1] == "key" and len(words) > 1 and key.isupper())


def _words(key: str) -> list[str]:
    return [word.lower() for word in _PARTS.findall(key[-MAX_NAME_LENGTH:])]


_MIXED = 2
_RANDOM = LazyPattern(r"[A-Za-z0-9+/=_~.!@#%^*-]{14,512}")
_HASH = LazyPattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
_KNOWN_FORMS = LazyPattern(
    r"(?:sha\d+[-:].*"
    r"|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"  # UUID
    r"|v?\d+\.\d+.*|\d{4}-\d\d.*|.*://.*|[./~].*|[\w.-]+@[\w.-]+)",
    re.DOTALL,
)


def looks_random(text: str, least: int = 20) -> bool:
    """Whether a text mixes letters and digits as few words of people and programs do."""
    return len(text) >= least and any(map(str.isdigit, text)) and any(map(str.isalpha, text)) and "redacted" not in text


def looks_like_key(text: str, least: int = 14) -> bool:
    """Whether a text is a key, rather than an id, a hash with its name, a version, a path or an address."""
    return looks_random(text, least) and _RANDOM.fullmatch(text) is not None and _KNOWN_FORMS.fullmatch(text) is None


def has_known_form(text: str) -> bool:
    """Whether a text is an id, a hash, a version, a date, a path or an address."""
    return _KNOWN_FORMS.fullmatch(text) is not None or _HASH.fullmatch(text) is not None


def is_dense(text: str) -> bool:
    """Whether a text is as random as a key under a name that says nothing about it."""
    kinds = [sum(map(kind, text)) for kind in (str.isdigit, str.isupper, str.islower)]
    return min(kinds) > _MIXED and "." not in text and len(set(text)) > len(text) // 3 and looks_like_key(text, 20)
