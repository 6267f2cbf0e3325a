"""Secrets that are recognised by their form: tokens of services, and credentials in URLs, headers and commands.

The prefixes, alphabets and lengths are those that gitleaks (config/gitleaks.toml) and the services publish. A token is
taken from half of its length on, because tools cut long texts.

It is long because it is one table; what it says about a kind of secret is in one place.

No pattern makes redaction slow: every repetition is possessive or bounded, so that a start that does not match costs a
bounded number of steps; tests/guards/test_secret_patterns.py computes that number. This module loads nothing but
:mod:`re`: it runs in a process that a client waits for.
"""

from __future__ import annotations

import re

HIDDEN = "<redacted>"


class SecretPattern:
    """One kind of secret in text. It is compiled when one of its hints turns up: most texts hold none."""

    __slots__ = ("_replacement", "hints", "name", "pattern")

    def __init__(self, name: str, hints: tuple[str, ...], pattern: str, replacement: str = HIDDEN) -> None:
        """``hints``: lower-case pieces, one of which is in every text that the pattern matches."""
        self.name = name
        self.hints = hints
        self.pattern = pattern
        self._replacement = replacement

    def hide(self, text: str, lowered: str) -> tuple[str, int]:
        """The text without this kind of secret, and how many there were."""
        if not any(hint in lowered for hint in self.hints):
            return text, 0
        return re.subn(self.pattern, self._replacement, text)


START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
"""No letter before it, except that of an escaped line end."""
_NO_NAME = r"(?=[a-z_-]{0,64}+[A-Z0-9])"
"""A token has a digit or a capital; ``re_render_all_templates`` and ``sk-loading-container`` are names in code."""
_HEX, _UPPER, _LETTERS, _WORD, _URL, _BASE64 = "a-fA-F0-9", "A-Z0-9", "A-Za-z0-9", r"\w", r"\w-", "A-Za-z0-9+/=_-"
_TOKENS = (
    # service, prefixes, alphabet, at least so many characters after the prefix
    ("openai-or-anthropic", ("sk-",), _URL, 16),
    (
        "stripe",
        ("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "pk_live_", "pk_test_"),
        _LETTERS,
        10,
    ),
    ("stripe-webhook", ("whsec_",), _BASE64, 16),
    ("groq", ("gsk_",), _LETTERS, 20),
    ("xai", ("xai-",), _LETTERS, 20),
    ("perplexity", ("pplx-",), _LETTERS, 20),
    ("replicate", ("r8_",), _LETTERS, 20),
    ("fireworks", ("fw_",), _LETTERS, 22),
    ("tavily", ("tvly-",), _URL, 20),
    ("langsmith", ("lsv2_pt_", "lsv2_sk_"), _WORD, 20),
    ("langfuse", ("pk-lf-",), _URL, 16),
    ("huggingface", ("hf_", "api_org_"), _LETTERS, 20),
    ("wandb", ("wandb_v1_",), _WORD, 20),
    ("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _LETTERS, 16),
    ("github-fine-grained", ("github_pat_",), _WORD, 16),
    (
        "gitlab",
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glft-",
            "glcbt-",
            "glptt-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "glffct-",
            "GR1348941",
        ),
        "." + _URL,
        16,
    ),
    ("bitbucket", ("ATBB", "ATCTT3"), "=" + _URL, 20),
    ("atlassian", ("ATATT",), "=" + _URL, 20),
    (
        "slack",
        (
            "xoxa-",
            "xoxb-",
            "xoxc-",
            "xoxd-",
            "xoxe-",
            "xoxo-",
            "xoxp-",
            "xoxr-",
            "xoxs-",
            "xapp-",
            "xwfp-",
            "xoxe.xoxb-",
            "xoxe.xoxp-",
        ),
        r"\w%/+-",
        8,
    ),
    ("google-api", ("AIza",), _URL, 30),
    ("google-oauth", ("ya29.", "GOCSPX-", "1//0"), _URL, 16),
    ("npm", ("npm_",), _LETTERS, 30),
    ("pypi", ("pypi-",), _URL, 30),
    ("rubygems", ("rubygems_",), _HEX, 24),
    ("clojars", ("CLOJARS_",), _LETTERS, 30),
    ("cratesio", ("cio",), _LETTERS, 32),
    ("docker", ("dckr_pat_", "dckr_oat_"), _URL, 16),
    ("digitalocean", ("dop_v1_", "doo_v1_", "dor_v1_"), _HEX, 32),
    ("databricks", ("dapi",), _HEX, 30),
    ("vault", ("hvs.", "hvb.", "hvr."), _URL, 20),
    ("doppler", ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."), _LETTERS + "._-", 20),
    ("supabase", ("sbp_", "sb_secret_"), _WORD, 20),
    ("planetscale", ("pscale_tkn_", "pscale_oauth_", "pscale_pw_"), r"\w=.-", 16),
    ("neon", ("napi_",), _LETTERS, 30),
    ("fly", ("fo1_", "fm1r_", "fm1a_", "fm2_"), _BASE64, 30),
    ("heroku", ("HRKU-",), _URL, 20),
    ("netlify", ("nfp_", "nfc_", "nfo_", "nfu_"), _LETTERS, 20),
    ("vercel", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), _LETTERS, 20),
    ("cloudflare-origin", ("v1.0-",), "a-f0-9-", 60),
    ("new-relic", ("NRAK-", "NRII-", "NRJS-", "NRRA-"), _URL, 16),
    ("grafana", ("glsa_", "glc_", "eyJrIjoi"), _BASE64, 20),
    ("sentry", ("sntrys_", "sntryu_", "sntryi_"), _BASE64, 20),
    ("dynatrace", ("dt0c01.", "dt0s01.", "dt0s02.", "dt0s16."), _LETTERS + ".", 30),
    ("honeycomb", ("hcaik_", "hcaic_", "hcxik_", "hcxlk_"), _LETTERS, 20),
    ("posthog", ("phx_", "phc_"), _LETTERS, 30),
    ("sonarqube", ("squ_", "sqp_", "sqa_"), _HEX, 20),
    ("codacy-or-sourcegraph", ("sgp_", "slk_", "sgd_"), _HEX + "_local", 20),
    ("snyk", ("snyk_uat.", "snyk_sat."), "." + _URL, 20),
    ("linear", ("lin_api_", "lin_oauth_"), _LETTERS, 20),
    ("notion", ("ntn_", "secret_"), _LETTERS, 30),
    ("figma", ("figd_", "figo_", "figu_", "figr_"), _URL, 20),
    ("postman", ("PMAK-",), _HEX + "-", 24),
    ("pulumi", ("pul-",), _HEX, 30),
    ("infracost", ("ico-",), _LETTERS, 30),
    ("prefect", ("pnu_", "pnb_"), _LETTERS, 30),
    ("readme", ("rdme_",), _LETTERS, 30),
    ("shopify", ("shpat_", "shpss_", "shpca_", "shppa_", "shptka_"), _HEX, 16),
    ("shippo", ("shippo_live_", "shippo_test_"), _HEX, 20),
    ("square", ("sq0atp-", "sq0csp-", "sq0idp-", "EAAAE", "EAAAl"), _URL, 22),
    ("facebook", ("EAAM", "EAAC", "EAAG", "EAAB"), _LETTERS, 60),
    ("duffel", ("duffel_test_", "duffel_live_"), "=" + _URL, 20),
    ("easypost", ("EZAK", "EZTK"), _LETTERS, 50),
    ("flutterwave", ("FLWSECK_TEST-", "FLWPUBK_TEST-", "FLWSECK-", "FLWPUBK-"), _LETTERS + "-", 12),
    ("frameio", ("fio-u-",), "=" + _URL, 30),
    ("adobe", ("p8e-",), _LETTERS, 30),
    ("alibaba", ("LTAI",), _LETTERS, 16),
    ("tencent", ("AKID",), _LETTERS, 32),
    ("artifactory", ("AKCp", "cmVmd"), _LETTERS, 40),
    ("aws-bedrock", ("ABSK", "bedrock-api-key-"), _BASE64, 40),
    ("1password", ("ops_eyJ",), _BASE64, 40),
    ("age", ("AGE-SECRET-KEY-1",), _UPPER, 20),
    ("sendinblue", ("xkeysib-", "xsmtpsib-"), _HEX + "-", 30),
    ("typeform", ("tfp_",), r"\w=.-", 30),
    ("telnyx", ("KEY01",), _WORD, 40),
    ("plaid", ("access-sandbox-", "access-development-", "access-production-"), "a-f0-9-", 30),
    ("paypal-braintree", ("access_token$production$", "access_token$sandbox$"), _LETTERS + "$", 20),
    ("razorpay", ("rzp_live_", "rzp_test_"), _LETTERS, 12),
    ("clerk-or-resend", ("re_",), _WORD, 24),
    ("buildkite", ("bkua_", "bkct_", "bkat_"), _LETTERS, 30),
    ("circleci", ("CCIPAT_", "CCIPRJ_"), _WORD, 20),
    ("scalingo", ("tk-us-",), _URL, 30),
    ("octopus", ("API-",), _UPPER, 25),
    ("openshift", ("sha256~",), _URL, 30),
    ("settlemint", ("sm_aat_", "sm_pat_", "sm_sat_"), _LETTERS, 16),
    ("intra42", ("s-s4t2ud-", "s-s4t2af-"), _HEX, 40),
    ("contentful", ("CFPAT-",), _URL, 30),
    ("ionic", ("ion_",), _LETTERS, 40),
    ("mapbox", ("sk.eyJ",), _LETTERS + "._-", 30),
    ("okta", ("SSWS ",), _URL, 20),
    ("yandex", ("AQVN", "YCAJE", "y0_"), _URL, 30),
    ("zapier-or-n8n", ("n8n_api_",), _LETTERS, 30),
    ("pinecone", ("pcsk_",), _WORD, 30),
    ("anyscale", ("esecret_", "aph0_"), _LETTERS, 20),
    ("cohere-or-voyage", ("pa-",), _URL, 40),
    ("nvidia", ("nvapi-",), _URL, 30),
    ("elevenlabs", ("sk_",), "a-f0-9", 40),
    ("e2b-or-browserbase", ("e2b_", "bb_live_"), _WORD, 30),
    ("tailscale", ("tskey-",), _URL, 16),
    ("ngrok", ("ngrok_",), _WORD, 30),
    ("sops-or-pulumi-esc", ("pulumi_esc_",), _LETTERS, 30),
)


def _token(name: str, prefixes: tuple[str, ...], alphabet: str, least: int) -> SecretPattern:
    either = "|".join(map(re.escape, prefixes))
    hints = tuple(prefix.lower() for prefix in prefixes)
    return SecretPattern(name, hints, rf"{START}(?:{either}){_NO_NAME}[{alphabet}]{{{least},}}+")


_BEHIND = rf"\1{HIDDEN}"
_PROGRAM = r"(?<![\w.-])(?<!(?<!bin)/)"
"""What is before the name of a program: ``/usr/bin/mysql``, but not ``/var/lib/mysql``."""
_WORDS_OF_COMMAND = r"[^\r\n|;&<>]{0,200}?"
_OPTION_VALUE = r"(?:\"(?!<)[^\"\r\n]++|'(?!<)[^'\r\n]++|[^\s\"'<>|;&$-][^\s\"'<>|;&]*+)"
_NOT_PORTS = r"(?!(?:[\d.]{7,15}+:)?+\d{1,5}+:\d{1,5}+(?![^\s/]))"
_MYSQL = r"(?:mysql|mysqldump|mysqladmin|mysqlimport|mysqlshow|mysqlsh|mariadb|mycli)"
_LOGIN = (
    r"(?:docker|podman|buildah|skopeo|helm|crane|oras|nerdctl|az|oc|cf|ibmcloud)[ \t](?:(?:registry|auth)[ \t])?+login"
)
_MONGO = r"mongo[a-z]{0,8}+"

CONTEXTS = (
    SecretPattern(
        "private-key",
        ("private",),
        r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END ).)*+"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?+",
    ),
    SecretPattern(
        "private-key-without-lines-around-it",  # PKCS#8 and PKCS#1: what follows the length is the version
        ("mii", "mig", "mih", "mc4c", "mhcc"),
        START + r"(?:MII[A-Za-z0-9+/]{2}[AQgw]IBA[AD][AK]|MI[GH][A-Za-z0-9+/]AgEAM|MC4CAQAwBQYDK2V|MHcCAQEEI)"
        r"[A-Za-z0-9+/=]{16,8192}+(?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{40,128}+){0,100}+",
    ),
    SecretPattern(
        "putty-key",
        ("private-lines",),
        r"(?s)(Private-Lines: \d{1,4}\r?\n)(?!<redacted>).*+",
        _BEHIND,
    ),
    SecretPattern(
        "openssh-key-body",
        ("b3blbnnzac1rzxktdje",),
        r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]*+(?:(?:\\n|\s){1,8}+[A-Za-z0-9+/=]{32,512}+)*+",
    ),
)
TOKENS = (
    *(_token(*row) for row in _TOKENS),
    SecretPattern(
        "aws",
        ("akia", "asia", "agpa", "aida", "aroa", "abia", "acca"),
        START + r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    SecretPattern(
        "azure-client",
        ("q~",),
        START + r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,}+",
    ),
    SecretPattern(
        "sendgrid",
        ("sg.",),
        START + r"SG\.[\w-]{16,64}+\.[\w-]{16,}+",
    ),
    SecretPattern(
        "jwt",
        ("eyj",),
        START + r"eyJ[\w-]{8,512}+\.[\w-]{8,}+(?:\.[\w-]*+)?+",
    ),
    SecretPattern("telegram", (":aa",), START + r"\d{8,10}:AA[\w-]{30,}+"),
    SecretPattern("twilio", ("sk",), START + r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    SecretPattern(
        "airtable-personal",
        ("pat",),
        START + r"pat[A-Za-z0-9]{14}\.[a-f0-9]{32,}+",
    ),
    SecretPattern("mailchimp", ("-us",), START + r"[0-9a-f]{32}-us\d{1,2}(?![\w-])"),
    SecretPattern("terraform", ("atlasv1.",), START + r"(?:[A-Za-z0-9]{14}\.)?atlasv1\.[\w=+/-]{30,}+"),
    SecretPattern("mailgun", ("key-",), r"(?<![\w-])key-[a-f0-9]{32}(?![\w-])"),
    SecretPattern(
        "discord",
        (".",),
        START + r"[MNO][A-Za-z\d]{23,27}+\.[\w-]{6}\.[\w-]{27,}+",
    ),
    SecretPattern(
        "maxmind",
        ("_mmk",),
        START + r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",
    ),
    SecretPattern(
        "1password-secret-key",
        ("a3-",),
        START + r"A3(?:-[A-Z0-9]{5,11}){5,6}+",
    ),
    SecretPattern(
        "harness",
        ("pat.", "sat."),
        START + r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}",
    ),
)
PLACES = (
    SecretPattern(
        "webhook",
        ("hooks.slack.com", "discord", "webhook.office.com"),
        r"(hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/"
        r"|webhook\.office\.com/webhookb2/)[A-Za-z0-9/_@-]{12,}+",
        _BEHIND,
    ),
    SecretPattern(
        "url",
        ("://",),
        r"(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}+://)"
        r"(?:[^\s/:@\"'<>]{0,256}+:(?!\d{1,5}[?#])[^\s/\"'<>]{1,1024}|[a-z0-9_-]{16,256}+)@",
        rf"\1{HIDDEN}@",
    ),
    SecretPattern(
        "url-password-with-slash",
        ("://",),
        r"(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}+://[^\s/:@\"'<>\[]{0,256}+:)(?!\d{1,5}[/?#])[^\s\"'<>@]{1,256}+(?=@[\w.-])",
        _BEHIND,
    ),
    SecretPattern(
        "header",
        ("authorization", "cookie", "x-api-key", "-token"),
        r"(?i)((?:authorization|cookie|x-api-key|x-auth-token|x-access-token)[ \t]{0,8}+:[ \t]{0,8}+)"
        r"(?!\s|<redacted>)[^\r\n\"'\\]++",
        _BEHIND,
    ),
    SecretPattern(
        "bearer",
        ("bearer", "basic"),
        r"(?i)\b((?:bearer|basic)[ \t]{1,8}+)"
        r"(?=[^\s\"']{0,64}[0-9=]|[a-z]{24})[a-z0-9._~+/-]{8,}+=*+",
        _BEHIND,
    ),
    SecretPattern(
        "user-option",
        ("-u",),
        r"((?<![A-Za-z0-9_-])(?:-u|--user|-U|--proxy-user)[ =]?+[\"']?+(?!\d{1,9}:\d{1,9}\b)[^\s:%\"'<>]{1,256}+[:%])(?!<redacted>|/)[^\s\"']++",  # noqa: E501
        _BEHIND,
    ),
    SecretPattern(
        "query",
        ("sig=", "key=", "code=", "x-amz-", "x-goog-", "pass=", "pwd=", "auth="),
        r"(?i)([?&](?:sig|key|code|pass|pwd|auth|x-amz-[a-z-]{1,40}+|x-goog-[a-z-]{1,40}+)=)[^\s&\"'#<>]{4,}+",
        _BEHIND,
    ),
    SecretPattern(
        "mysql-password",
        ("mysql", "mariadb", "mycli"),
        rf"({_PROGRAM}{_MYSQL}\b{_WORDS_OF_COMMAND}[ \t]-p=?+){_NOT_PORTS}{_OPTION_VALUE}",
        _BEHIND,
    ),
    SecretPattern(
        "sshpass",
        ("sshpass",),
        rf"(\bsshpass[ \t]{{1,8}}+(?:-[a-oq-zA-Z][^\s]{{0,20}}+[ \t]{{1,8}}+){{0,3}}+-p[ \t=]{{0,8}}+){_OPTION_VALUE}",
        _BEHIND,
    ),
    SecretPattern(
        "login-password",
        ("-p",),
        rf"({_PROGRAM}(?:{_LOGIN}|{_MONGO})\b{_WORDS_OF_COMMAND}[ \t]-p[ \t=]{{1,8}}+){_NOT_PORTS}{_OPTION_VALUE}",
        _BEHIND,
    ),
    SecretPattern(
        "password-option-of-a-tool",
        ("redis-cli", "ldap", "sqlcmd", "zip", "7z", "openssl", "xfreerdp", "bcp", "keytool"),
        _PROGRAM + r"((?:redis-cli" + _WORDS_OF_COMMAND + r"[ \t]-a[ \t=]"
        r"|ldap(?:search|modify|add|delete|whoami|passwd)" + _WORDS_OF_COMMAND + r"[ \t]-w[ \t]"
        r"|(?:sqlcmd|bcp|zip|unzip)" + _WORDS_OF_COMMAND + r"[ \t]-P[ \t]?"
        r"|7z" + _WORDS_OF_COMMAND + r"[ \t]-p"
        r"|xfreerdp" + _WORDS_OF_COMMAND + r"[ \t]/p:"
        r"|keytool" + _WORDS_OF_COMMAND + r"[ \t]-(?:store|key)pass[ \t]"
        r"|openssl" + _WORDS_OF_COMMAND + r"[ \t](?:-pass(?:in|out)?[ \t]pass:|-k[ \t])"
        r"))" + _OPTION_VALUE,
        _BEHIND,
    ),
    SecretPattern(
        "password-from-echo",
        ("-stdin", "sudo"),
        r"(\b(?:echo|printf)[ \t]{1,4}+(?:-[ne]{1,2}[ \t]{1,4}+|[\"']?%s(?:\\{1,2}n)?[\"']?[ \t]{1,4}+)?+)(?:\"(?!<)[^\"\r\n$]{1,256}+|'(?!<)[^'\r\n]{1,256}+|[^\s\"'<>|;&$-]{1,256}+)"  # noqa: E501
        r"(?=[\"']?+[ \t]{0,4}+\|[^\r\n]{0,120}?(?:--password-stdin|sudo -S))",
        _BEHIND,
    ),
    SecretPattern(
        "htpasswd",
        ("htpasswd",),
        rf"(\bhtpasswd[ \t]{{1,8}}+-[a-zA-Z]{{0,6}}b[a-zA-Z]{{0,6}}[ \t]{{1,8}}+[^\s]{{1,200}}+[ \t]{{1,8}}+[^\s]{{1,64}}+[ \t]{{1,8}}+){_OPTION_VALUE}",  # noqa: E501
        _BEHIND,
    ),
    SecretPattern(
        "kubernetes-literal",
        ("--from-literal",),
        rf"(--from-literal[= \t]{{1,4}}+[\"']?+[\w.-]{{1,128}}+=){_OPTION_VALUE}",
        _BEHIND,
    ),
    SecretPattern(
        "chpasswd",
        ("chpasswd",),
        r"(\bchpasswd[^\r\n|;&<>]{0,64}+<<<[ \t]{0,4}+[\"']?+[\w.-]{1,64}+:)[^\s\"'<>|;&$]++",
        _BEHIND,
    ),
    SecretPattern(
        "chpasswd-from-echo",
        ("chpasswd",),
        r"(\b(?:echo|printf)[ \t]{1,4}+(?:-[ne]{1,2}[ \t]{1,4}+)?+[\"']?+[\w.-]{1,64}+:)[^\s\"'<>|;&$]{1,256}+"
        r"(?=[\"']?+[ \t]{0,4}+\|[ \t]{0,4}+(?:sudo[ \t]{1,4}+)?+(?:/usr)?(?:/sbin/)?chpasswd)",
        _BEHIND,
    ),
    SecretPattern(
        "wireless",
        ("nmcli", "wpa_passphrase"),
        _PROGRAM + r"(nmcli" + _WORDS_OF_COMMAND + r"[ \t](?:password|[\w.-]{0,40}psk)[ \t]{1,4}+"
        r"|wpa_passphrase[ \t]{1,4}+(?:\"[^\"\r\n]{1,64}+\"|'[^'\r\n]{1,64}+'|[^\s\"']{1,64}+)[ \t]{1,4}+)"
        + _OPTION_VALUE,
        _BEHIND,
    ),
    SecretPattern(
        "net-use",
        ("net",),
        r"(?i)(\bnet(?:\.exe)?[ \t]{1,4}+use[ \t]{1,4}+(?:(?:[a-z]:|\*|lpt\d:?)[ \t]{1,4}+"
        r"(?:\\{2,4}+\S{1,200}+[ \t]{1,4}+)?+"
        r"|\\{2,4}+\S{1,200}+[ \t]{1,4}+))(?![/*\\])" + _OPTION_VALUE,
        _BEHIND,
    ),
    SecretPattern(
        "rabbitmq",
        ("rabbitmqctl",),
        rf"(\brabbitmqctl[ \t]{{1,8}}+(?:add_user|change_password)[ \t]{{1,8}}+[^\s]{{1,64}}+[ \t]{{1,8}}+){_OPTION_VALUE}",  # noqa: E501
        _BEHIND,
    ),
    SecretPattern(
        "sql",
        ("identified",),
        r"(?i)(\bidentified[ \t]{1,8}+(?:with[ \t]{1,8}+\S{1,40}+[ \t]{1,8}+)?+(?:by|as)[ \t]{1,8}+\\?[\"'])(?!<redacted>)[^\"'\\\r\n]++",  # noqa: E501
        _BEHIND,
    ),
    SecretPattern(
        "pgpass",
        (":5432:", ":5433:", ":6432:", ":*:"),
        r"(?m)^([\w.*-]{1,200}+:(?:5432|5433|6432|\*):[\w*-]{1,64}+:[\w*-]{1,64}+:)(?!<redacted>)\S++",
        _BEHIND,
    ),
    SecretPattern(
        "docker-auth",
        ("auth",),
        r"((?<![A-Za-z0-9])_?auth\\?[\"']?[ \t]{0,8}+[:=][ \t]{0,8}+\\?[\"']?)(?=[A-Za-z0-9+/=]{0,200}[A-Z0-9=])"
        r"(?![A-Z][a-z]{1,40}+\b(?!=))[A-Za-z0-9+/]{8,4096}+={0,2}+(?![\w.(\[-])",
        _BEHIND,
    ),
)
"""Where a secret is by its place, not by its form: what is before it stays."""
