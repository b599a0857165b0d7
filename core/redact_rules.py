"""The shapes of secrets that say by themselves what they are."""

from __future__ import annotations

from dataclasses import dataclass

from .redact_prefixes import NO_MORE, rows


@dataclass(frozen=True, slots=True)
class TokenRule:
    """A secret found by a literal in it: `head`, then `anchor`, then `tail` (regular expressions without flags).

    All that matches is the secret, or the group `secret` where the tail has one. A tail must not be able to read far
    and then fail: its repeats are bounded, save for one at its end.
    """

    kind: str
    anchor: str
    tail: str
    boundary: bool = True
    """Whether the anchor must not follow a letter, a digit or an underscore. Only telling anchors can do without."""
    head: str = ""
    """What ends where the anchor begins, at most 80 characters."""
    distinct: int = 6
    """Fewer different characters than this after the anchor, and it is a placeholder."""
    random: bool = False
    """Whether what was found, at most 64 characters, must look random too; then it goes on for as long as it does."""


_WORD = r"[A-Za-z0-9]"
_URLSAFE = r"[A-Za-z0-9_\-]"
_BASE64 = r"[A-Za-z0-9+/=]"
_HEX = r"[a-f0-9]"
_WITH_DIGIT = r"(?=[A-Za-z_\-]{0,80}+\d)"
_MIXED = r"(?=[a-z0-9_\-]{0,80}+[A-Z])(?=[A-Z0-9_\-]{0,80}+[a-z])(?=[A-Za-z_\-]{0,80}+\d)"
_BOTH_CASES = r"(?=[a-z0-9_\-]{0,80}+[A-Z])(?=[A-Z0-9_\-]{0,80}+[a-z])"
_NO_ZEROS = r"(?!(?:[A-Za-z0-9_\-]{0,40}?AA){3})"
"""Unlike base64 of binary data, where runs of zero bytes show as runs of A."""
_UUID = r"[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"
_AZURE_END = r"[A-Za-z0-9+/]{4,8}={0,2}(?![A-Za-z0-9+/])"
_FIVES = r"(?:-[A-Z0-9]{5}){3}"


def _family(kind: str, tail: str, *anchors: str, boundary: bool = True, head: str = "") -> tuple[TokenRule, ...]:
    return tuple(TokenRule(kind, anchor, tail, boundary, head) for anchor in anchors)


_COMPOSED = (
    TokenRule("sk-key", "sk-", rf"(?:{_MIXED}|(?=[A-Za-z]{{0,80}}+\d)(?={_WORD}{{20}})){_URLSAFE}{{20,}}"),
    TokenRule("fireworks-key", "fw_", _WITH_DIGIT + _WORD + "{22,}"),
    TokenRule("voyage-key", "pa-", _MIXED + _URLSAFE + "{40,}"),
    TokenRule("langsmith-key", "lsv2_", r"(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    TokenRule("docker-token", "dckr_", r"(?:pat|oat)_[A-Za-z0-9_\-]{24,}", boundary=False),
    *_family("circleci-token", _WORD + "{20,40}_" + _HEX + "{40}", "CCIPAT_", "CCIPRJ_"),
    *_family("aws-access-key", "[A-Z0-9]{16}(?![A-Z0-9])", "AKIA", "ASIA", "ABIA", "ACCA"),
    TokenRule("aws-mws-key", "amzn.mws.", _UUID, False),
    *_family("azure-client-secret", r"[A-Za-z0-9_~.\-]{31,34}", "8Q~", "7Q~", boundary=False,
             head=r"[A-Za-z0-9_~.\-]{3}"),
    *(
        TokenRule("azure-key", anchor, _AZURE_END, False, head=r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{30,80}", distinct=0)
        for anchor in ("+ASt", "+ACDb", "AzSe", "AzFu", "AzCa", "+ACR", "+AIoT", "+AEh", "+ARm")
    ),
    TokenRule("azure-devops-token", "AZDO", r"[A-Za-z0-9]{4}" + NO_MORE, False, head=_WORD + "{64,80}", distinct=0),
    TokenRule("cloudflare-key", "v1.0-", "[a-f0-9]{24}-[a-f0-9]{146}"),
    TokenRule("planetscale-token", "pscale_", r"(?:tkn|pw|oauth)_[A-Za-z0-9_\-.=]{30,}", boundary=False),
    TokenRule("terraform-token", ".atlasv1.", r"[A-Za-z0-9_\-=]{60,}", boundary=False, head=r"[A-Za-z0-9]{14}"),
    TokenRule("doppler-token", "dp.", r"(?:pt|ct|sa|scim|audit|st(?:\.[a-z0-9_\-]{2,35})?)\.[A-Za-z0-9]{40,44}"),
    TokenRule("infisical-token", "st.", r"[a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}"),
    TokenRule("1password-token", "ops_eyJ", _BASE64 + "{100,}"),
    TokenRule("1password-key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})" + _FIVES),
    TokenRule("bitwarden-token", "0.", _UUID + r"\.[A-Za-z0-9]{30}:[A-Za-z0-9+/=]{20,}"),
    TokenRule("tailscale-key", "tskey-", r"[a-z]{2,12}-[A-Za-z0-9\-]{20,}", boundary=False),
    TokenRule("baidu-key", "bce-v3/", r"ALTAK-[A-Za-z0-9]{21}/[a-f0-9]{40}"),
    TokenRule("yandex-key", "AQVN", _URLSAFE + r"{35,38}(?![A-Za-z0-9_\-])"),
    TokenRule("yandex-token", "t1.", r"[A-Za-z0-9_\-]{1,200}={0,2}\.[A-Za-z0-9_\-]{86}={0,2}"),
    TokenRule("clickhouse-key", "4b1d", _WORD + "{38}" + NO_MORE),
    TokenRule("slack-token", "xox", r"[abeoprs](?:\.xox[bp])?-[A-Za-z0-9\-]{10,}"),
    TokenRule("slack-token", "xapp-", r"\d-[A-Za-z0-9\-]{20,}", boundary=False),
    TokenRule("slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,}", False),
    *_family("discord-webhook", r"\d{15,25}/[A-Za-z0-9_\-]{40,}", "discord.com/api/webhooks/",
             "discordapp.com/api/webhooks/"),
    *_family("discord-token", r"[A-Za-z0-9_\-]{22,27}\.[A-Za-z0-9_\-]{5,7}\.[A-Za-z0-9_\-]{27,40}(?![A-Za-z0-9_\-])",
             "M", "N", "O"),
    TokenRule("teams-webhook", "webhook.office.com/", r"webhookb2/[A-Za-z0-9@\-]{36,120}/[A-Za-z0-9/\-]{60,}", False),
    TokenRule("sendgrid-key", "SG.", r"[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{32,}"),
    TokenRule("mailchimp-key", "-us", r"\d{1,2}" + NO_MORE, boundary=False, head="[a-f0-9]{32}", distinct=0),
    TokenRule("twilio-key", "SK", _HEX + "{32}" + NO_MORE),
    TokenRule("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    *_family("brevo-key", r"[a-f0-9]{64}-[A-Za-z0-9]{16}", "xkeysib-", "xsmtpsib-"),
    TokenRule("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[a-fA-F0-9]{8}", boundary=False),
    TokenRule("grafana-token", "eyJrIjoi", _BASE64 + "{60,}"),
    TokenRule("new-relic-key", "NRAL", NO_MORE, boundary=False, head="[a-f0-9]{36}", distinct=0),
    TokenRule("dynatrace-token", "dt0", r"[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    TokenRule("harness-token", "pat.", r"[A-Za-z0-9_\-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}"),
    TokenRule("harness-token", "sat.", r"[A-Za-z0-9_\-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}"),
    TokenRule("hubspot-token", "pat-", r"(?:na|eu|ap)\d-[a-f0-9\-]{30,}"),
    TokenRule("intra42-secret", "s-s4t2", r"(?:ud|af)-[a-f0-9]{64}"),
    TokenRule("maxmind-key", "_mmk", NO_MORE, boundary=False, head=r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}", distinct=0),
    TokenRule("authress-key", ".acc", r"[_\-][a-z0-9\-]{10,32}\.[A-Za-z0-9+/_=\-]{30,}", False,
              head=r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}"),
    TokenRule("salesforce-token", "00D", r"[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{60,}"),
    TokenRule("mercadopago-token", "APP_USR-", r"[0-9a-f\-]{36,80}"),
    TokenRule("telnyx-key", "KEY0", r"[A-Z0-9]{28,36}_[A-Za-z0-9]{20,}"),
    TokenRule("square-token", "EAAA", _NO_ZEROS + _MIXED + _URLSAFE + "{56,}"),
    TokenRule("square-token", "sq0", r"[a-z]{3}-[A-Za-z0-9_\-]{22,}"),
    TokenRule("meta-token", "EAA", _NO_ZEROS + _WITH_DIGIT + _WORD + "{80,}"),
    TokenRule("braintree-token", "access_token$", r"(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}", False),
    *_family("plaid-token", _UUID, "access-production-", "access-development-", "access-sandbox-"),
    TokenRule("notion-token", "secret_", _WITH_DIGIT + _WORD + "{43}(?![A-Za-z0-9_])"),
    *_family("asana-token", r"\d{13,18}(?:/\d{13,18})?:[a-f0-9]{32}", "1/", "2/"),
    TokenRule("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    TokenRule("postman-key", "PMAK-", "[a-f0-9]{24}-[a-f0-9]{34}", boundary=False),
    *_family("launchdarkly-key", _UUID, "sdk-", "api-", "mob-"),
    TokenRule("mapbox-token", "sk.eyJ", r"[A-Za-z0-9_\-]{40,400}\.[A-Za-z0-9_\-]{20,}"),
    TokenRule("dropbox-token", "sl.", r"(?:u\.)?[A-Za-z0-9_\-]{120,}"),
    TokenRule("duffel-token", "duffel_", r"(?:test|live)_[A-Za-z0-9_\-=]{43}", boundary=False),
    TokenRule("shippo-token", "shippo_", r"(?:live|test)_[a-f0-9]{40}", boundary=False),
    TokenRule("settlemint-token", "sm_", r"(?:aat|pat|sat)_[A-Za-z0-9]{16}"),
    TokenRule("woocommerce-key", "cs_", _HEX + "{40}" + NO_MORE),
    TokenRule("woocommerce-key", "ck_", _HEX + "{40}" + NO_MORE),
    TokenRule("dingtalk-secret", "SEC", _HEX + "{64}" + NO_MORE),
    TokenRule("telegram-token", ":AA", _URLSAFE + r"{32,34}(?![A-Za-z0-9_\-])", False, head=r"(?<!\d)\d{6,12}"),
    TokenRule(
        "jwt",
        "eyJ",
        r"[A-Za-z0-9_\-]{10,1000}+\."
        r"(?:(?:[A-Za-z0-9_\-]{0,4000}+\.){3}[A-Za-z0-9_\-]{16,}|ey[A-Za-z0-9_\-]{10,8000}+\.[A-Za-z0-9_\-]{10,})",
    ),
)  # fmt: skip

# What makers that have no row of their own do likewise: words that say "this is a key", then a random string.
_BEGUN = r"(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,14}[_\-]){0,2}[A-Za-z0-9]{0,14}"
_RANDOM_TAIL = rf"{_MIXED}{_URLSAFE}{{20,64}}+"
_RANDOM_SMALL = rf"(?=(?:[a-z]{{0,40}}\d){{4}})[a-z0-9]{{24,120}}{NO_MORE}"
_ALIKE = (
    *(
        TokenRule(
            "api-key", anchor, f"(?:{_BOTH_CASES}{_URLSAFE}{{20,64}}+|{_RANDOM_SMALL})", False, _BEGUN, random=True
        )
        for anchor in (
            *("_live_", "_prod_", "_sk_", "_pat_", "_secret_", "-live-", "-prod-", "_apikey_", "_oat_", "_rt_"),
            *("-secret-", "_dev_sk_", "_privkey_"),
        )
    ),
    *(
        TokenRule("api-key", anchor, _RANDOM_TAIL, False, _BEGUN, random=True)
        for anchor in ("_test_", "_key_", "_token_", "_api_", "_v1_", "_at_", "_auth_", "-key-", "-token-", "-api-")
    ),
    *(
        TokenRule("api-key", anchor, f"(?:{_RANDOM_TAIL}|{_RANDOM_SMALL})", random=True)
        for anchor in ("sk_", "pat_", "apikey_", "secret-", "tok_", "rk_")
    ),
    *(
        TokenRule("api-key", anchor, _RANDOM_TAIL, random=True)
        for anchor in ("key_", "token_", "api_", "auth_", "key-")
    ),
)

TOKEN_RULES: tuple[TokenRule, ...] = (*(TokenRule(*row) for row in rows()), *_COMPOSED, *_ALIKE)
