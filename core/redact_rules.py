"""The shapes of secrets that say by themselves what they are: one row of a table for each."""

from __future__ import annotations

from dataclasses import dataclass


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
    """What ends where the anchor begins, at most 64 characters."""
    distinct: int = 6
    """Fewer different characters than this after the anchor, and it is a placeholder."""


_WORD = r"[A-Za-z0-9]"
_URLSAFE = r"[A-Za-z0-9_\-]"
_BASE64 = r"[A-Za-z0-9+/=]"
_HEX = r"[a-f0-9]"
_NO_MORE = r"(?![A-Za-z0-9])"
_WITH_DIGIT = r"(?=[A-Za-z_\-]{0,80}+\d)"
_MIXED = r"(?=[a-z0-9_\-]{0,80}+[A-Z])(?=[A-Z0-9_\-]{0,80}+[a-z])(?=[A-Za-z_\-]{0,80}+\d)"
_NO_ZEROS = r"(?!(?:[A-Za-z0-9_\-]{0,40}?AA){3})"
"""Unlike base64 of binary data, where runs of zero bytes show as runs of A."""
_UUID = r"[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"
_URL_CHARACTER = r"[^\s/\"'<>`\\\x80-\U0010ffff]"
_SHELL_WORD = r"['\"]?(?P<secret>[^\s'\"]{4,200}+)"


def _family(kind: str, tail: str, *anchors: str, boundary: bool = True) -> tuple[TokenRule, ...]:
    return tuple(TokenRule(kind, anchor, tail, boundary) for anchor in anchors)


_MODELS = (
    TokenRule("anthropic-key", "sk-ant-", _URLSAFE + "{16,}", boundary=False),
    *_family("openai-key", _URLSAFE + "{16,}", "sk-proj-", "sk-svcacct-", "sk-service-", "sk-admin-", "sk-None-"),
    TokenRule("openrouter-key", "sk-or-v1-", _HEX + "{32,}", boundary=False),
    TokenRule("langfuse-key", "sk-lf-", r"[a-f0-9\-]{30,}"),
    TokenRule("sk-key", "sk-", rf"(?:{_MIXED}|(?=[A-Za-z]{{0,80}}+\d)(?={_WORD}{{20}})){_URLSAFE}{{20,}}"),
    TokenRule("cerebras-key", "csk-", "[a-z0-9]{40,}"),
    TokenRule("elevenlabs-key", "sk_", _HEX + "{40,}"),
    TokenRule("groq-key", "gsk_", _WORD + "{32,}", boundary=False),
    TokenRule("perplexity-key", "pplx-", _WORD + "{32,}", boundary=False),
    TokenRule("xai-key", "xai-", _WORD + "{60,}"),
    TokenRule("nvidia-key", "nvapi-", _URLSAFE + "{40,}", boundary=False),
    *_family("hugging-face-token", "[A-Za-z0-9]{30,}", "hf_", "api_org_"),
    TokenRule("replicate-token", "r8_", _WORD + "{30,}"),
    TokenRule("fireworks-key", "fw_", _WITH_DIGIT + _WORD + "{22,}"),
    TokenRule("tavily-key", "tvly-", r"[A-Za-z0-9\-]{20,}"),
    TokenRule("voyage-key", "pa-", _MIXED + _URLSAFE + "{40,}"),
    TokenRule("jina-key", "jina_", _WORD + "{40,}"),
    TokenRule("langsmith-key", "lsv2_", r"(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    TokenRule("pinecone-key", "pcsk_", "[A-Za-z0-9_]{40,}"),
    TokenRule("firecrawl-key", "fc-", _HEX + "{32}" + _NO_MORE),
    TokenRule("cursor-key", "key_", _HEX + "{64}" + _NO_MORE),
    TokenRule("warp-key", "wk-1.", _HEX + "{64}"),
    TokenRule("copilot-token", "8kp=1:", _HEX + "{64}"),
)

_CODE_HOSTS = (
    *_family("github-token", _WORD + "{30,}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", boundary=False),
    TokenRule("github-token", "github_pat_", "[A-Za-z0-9_]{36,}", boundary=False),
    *_family(
        "gitlab-token", r"[A-Za-z0-9_\-.=]{18,}", "glpat-", "glrt-", "gldt-", "glptt-", "glcbt-", "glft-", "glimt-"
    ),
    *_family("gitlab-token", r"[A-Za-z0-9_\-.=]{18,}", "glagent-", "glsoat-", "gloas-", "glffct-", "glrtr-"),
    *_family("atlassian-token", r"[A-Za-z0-9_\-=]{60,}", "ATATT3", "ATCTT3"),
    TokenRule("bitbucket-token", "ATBB", _WORD + "{32}" + _NO_MORE),
    TokenRule("npm-token", "npm_", _WORD + "{36,}", boundary=False),
    TokenRule("pypi-token", "pypi-AgE", _URLSAFE + "{50,}", boundary=False),
    TokenRule("gem-token", "rubygems_", _HEX + "{48}", boundary=False),
    TokenRule("crates-token", "cio", _WORD + "{32}" + _NO_MORE),
    TokenRule("nuget-key", "oy2", "[a-z0-9]{43}" + _NO_MORE),
    TokenRule("docker-token", "dckr_", r"(?:pat|oat)_[A-Za-z0-9_\-]{24,}", boundary=False),
    TokenRule("clojars-token", "CLOJARS_", _HEX + "{60}", boundary=False),
    TokenRule("artifactory-key", "AKCp", _WORD + "{60,}"),
    TokenRule("artifactory-token", "cmVmd", _WORD + "{59}" + _NO_MORE),
    TokenRule("circleci-token", "CCIPAT_", _WORD + "{20,40}_" + _HEX + "{40}"),
    TokenRule("circleci-token", "CCIPRJ_", _WORD + "{20,40}_" + _HEX + "{40}"),
    TokenRule("buildkite-token", "bkua_", _HEX + "{40}"),
    *_family("sonar-token", _HEX + "{40}", "squ_", "sqp_", "sqa_"),
)

_CLOUDS = (
    *_family("aws-access-key", "[A-Z0-9]{16}(?![A-Z0-9])", "AKIA", "ASIA", "ABIA", "ACCA"),
    TokenRule("aws-session-token", "IQoJb3JpZ2lu", _BASE64 + "{80,}"),
    TokenRule("aws-bedrock-key", "ABSKQmVkcm9ja", _BASE64 + "{60,}"),
    TokenRule("google-api-key", "AIza", _URLSAFE + "{35,}"),
    TokenRule("google-oauth-secret", "GOCSPX-", _URLSAFE + "{20,}", boundary=False),
    TokenRule("google-oauth-token", "ya29.", _URLSAFE + "{30,}"),
    TokenRule("google-oauth-token", "1//0", _URLSAFE + "{30,}"),
    TokenRule("azure-client-secret", "8Q~", r"[A-Za-z0-9_~.\-]{31,34}", False, head=r"[A-Za-z0-9_~.\-]{3}"),
    TokenRule("azure-client-secret", "7Q~", r"[A-Za-z0-9_~.\-]{31,34}", False, head=r"[A-Za-z0-9_~.\-]{3}"),
    *_family("digitalocean-token", _HEX + "{64}", "dop_v1_", "doo_v1_", "dor_v1_", boundary=False),
    TokenRule("heroku-key", "HRKU-", _URLSAFE + "{36,}"),
    TokenRule("netlify-token", "nfp_", _WORD + "{36,}"),
    *_family("vercel-token", _WORD + "{24,}", "vcp_", "vci_", "vca_", "vcr_", "vck_"),
    *_family("fly-token", "[A-Za-z0-9+/=,_]{80,}", "fm2_", "fm1r_"),
    TokenRule("render-key", "rnd_", _WORD + "{24,}"),
    TokenRule("cloudflare-key", "v1.0-", "[a-f0-9]{24}-[a-f0-9]{146}"),
    TokenRule("supabase-key", "sbp_", r"[a-z0-9_\-]{20,}"),
    TokenRule("supabase-key", "sb_secret_", _URLSAFE + "{20,}"),
    TokenRule("planetscale-token", "pscale_", r"(?:tkn|pw|oauth)_[A-Za-z0-9_\-.=]{30,}", boundary=False),
    TokenRule("neon-key", "napi_", "[a-z0-9]{40,}"),
    *_family("vault-token", r"[A-Za-z0-9_\-.]{24,}", "hvs.", "hvb.", "hvr."),
    TokenRule("terraform-token", ".atlasv1.", r"[A-Za-z0-9_\-=]{60,}", boundary=False, head=r"[A-Za-z0-9]{14}"),
    TokenRule("pulumi-token", "pul-", _HEX + "{40}"),
    TokenRule("doppler-token", "dp.", r"(?:pt|ct|sa|scim|audit|st(?:\.[a-z0-9_\-]{2,35})?)\.[A-Za-z0-9]{40,44}"),
    TokenRule("infisical-token", "st.", r"[a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}"),
    TokenRule("1password-token", "ops_eyJ", _BASE64 + "{100,}"),
    TokenRule("1password-key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    TokenRule("tailscale-key", "tskey-", r"[a-z]{2,12}-[A-Za-z0-9\-]{20,}", boundary=False),
    TokenRule("databricks-token", "dapi", r"[a-f0-9]{32}(?:-\d)?"),
    TokenRule("databricks-token", "dose", _HEX + "{32}"),
    TokenRule("alibaba-key", "LTAI", _WORD + "{12,26}" + _NO_MORE),
    TokenRule("tencent-key", "AKID", _WORD + "{32}" + _NO_MORE),
    TokenRule("volcengine-key", "AKLT", _URLSAFE + "{40,}=*"),
    TokenRule("baidu-key", "bce-v3/", r"ALTAK-[A-Za-z0-9]{21}/[a-f0-9]{40}"),
    TokenRule("yandex-key", "AQVN", _URLSAFE + r"{35,38}(?![A-Za-z0-9_\-])"),
    TokenRule("yandex-token", "t1.", r"[A-Za-z0-9_\-]{1,200}={0,2}\.[A-Za-z0-9_\-]{86}={0,2}"),
    TokenRule("clickhouse-key", "4b1d", _WORD + "{38}" + _NO_MORE),
)

_SERVICES = (
    TokenRule("slack-token", "xox", r"[abeoprs](?:\.xox[bp])?-[A-Za-z0-9\-]{10,}"),
    TokenRule("slack-token", "xapp-", r"\d-[A-Za-z0-9\-]{20,}", boundary=False),
    TokenRule("slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,}", False),
    *_family(
        "discord-webhook", r"\d{15,25}/[A-Za-z0-9_\-]{40,}", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"
    ),
    TokenRule("teams-webhook", "webhook.office.com/", r"webhookb2/[A-Za-z0-9@\-]{36,120}/[A-Za-z0-9/\-]{60,}", False),
    *_family("stripe-key", _WORD + "{10,}", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"),
    TokenRule("stripe-webhook-secret", "whsec_", _BASE64 + "{24,}", boundary=False),
    TokenRule("sendgrid-key", "SG.", r"[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{32,}"),
    *_family("mailgun-key", _HEX + "{32}" + _NO_MORE, "key-", "pubkey-"),
    TokenRule("mailchimp-key", "-us", r"\d{1,2}" + _NO_MORE, boundary=False, head="[a-f0-9]{32}", distinct=0),
    TokenRule("twilio-key", "SK", _HEX + "{32}" + _NO_MORE),
    TokenRule("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    TokenRule("brevo-key", "xkeysib-", r"[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    *_family("grafana-token", _BASE64 + "{32,}", "glc_", boundary=False),
    TokenRule("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[a-fA-F0-9]{8}", boundary=False),
    *_family("new-relic-key", _WORD + "{20,}", "NRAK-", "NRII-", "NRJS-", "NRIQ-", "NRRA-"),
    TokenRule("new-relic-key", "NRAL", _NO_MORE, boundary=False, head="[a-f0-9]{36}", distinct=0),
    TokenRule("sentry-token", "sntryu_", _HEX + "{64}", boundary=False),
    TokenRule("sentry-token", "sntrys_", r"[A-Za-z0-9+/=_\-]{60,}", boundary=False),
    *_family("honeycomb-key", _WORD + "{50,}", "hcaik_", "hcalk_", "hcamk_", "hcxik_"),
    TokenRule("posthog-key", "phx_", _WORD + "{40,}"),
    TokenRule("segment-token", "sgp_", "[A-Za-z0-9_]{40,}"),
    TokenRule("dynatrace-token", "dt0", r"[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    *_family("shopify-token", "[a-fA-F0-9]{32}", "shpat_", "shpca_", "shppa_", "shpss_", boundary=False),
    TokenRule("square-token", "EAAA", _NO_ZEROS + _MIXED + _URLSAFE + "{56,}"),
    TokenRule("square-token", "sq0", r"[a-z]{3}-[A-Za-z0-9_\-]{22,}"),
    TokenRule("meta-token", "EAA", _NO_ZEROS + _WITH_DIGIT + _WORD + "{80,}"),
    TokenRule("braintree-token", "access_token$", r"(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}", False),
    *_family("plaid-token", _UUID, "access-production-", "access-development-", "access-sandbox-"),
    TokenRule("notion-token", "ntn_", _WORD + "{40,}"),
    TokenRule("notion-token", "secret_", _WITH_DIGIT + _WORD + "{43}(?![A-Za-z0-9_])"),
    *_family("linear-token", _WORD + "{32,}", "lin_api_", "lin_oauth_", boundary=False),
    TokenRule("asana-token", "1/", r"\d{13,18}:[a-f0-9]{32}"),
    TokenRule("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    *_family("figma-token", _URLSAFE + "{38,}", "figd_", "figo_"),
    TokenRule("postman-key", "PMAK-", "[a-f0-9]{24}-[a-f0-9]{34}", boundary=False),
    *_family("launchdarkly-key", _UUID, "sdk-", "api-"),
    TokenRule("mapbox-token", "sk.eyJ", r"[A-Za-z0-9_\-]{40,400}\.[A-Za-z0-9_\-]{20,}"),
    TokenRule("dropbox-token", "sl.", r"(?:u\.)?[A-Za-z0-9_\-]{120,}"),
    TokenRule("adobe-secret", "p8e-", "[a-z0-9]{32}"),
    *_family("easypost-key", _WORD + "{54}", "EZAK", "EZTK"),
    TokenRule("duffel-token", "duffel_", r"(?:test|live)_[A-Za-z0-9_\-=]{43}", boundary=False),
    TokenRule("readme-key", "rdme_", "[a-z0-9]{70}"),
    *_family("prefect-key", _WORD + "{36}", "pnu_", "pnb_"),
    TokenRule("shippo-token", "shippo_", r"(?:live|test)_[a-f0-9]{40}", boundary=False),
    TokenRule("typeform-token", "tfp_", r"[A-Za-z0-9_\-.=]{40,}"),
    TokenRule("scalingo-token", "tk-us-", _URLSAFE + "{48}"),
    TokenRule("frameio-token", "fio-u-", r"[A-Za-z0-9_\-=]{64}"),
    TokenRule("settlemint-token", "sm_", r"(?:aat|pat|sat)_[A-Za-z0-9]{16}"),
    TokenRule("telegram-token", ":AA", _URLSAFE + r"{32,34}(?![A-Za-z0-9_\-])", False, head=r"(?<!\d)\d{6,12}"),
    *(
        TokenRule(
            "telegram-token", f"{digit}:", _MIXED + _URLSAFE + r"{34,36}(?![A-Za-z0-9_\-])", False, r"(?<!\d)\d{5,11}"
        )
        for digit in range(10)
    ),
    TokenRule("age-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,}", boundary=False),
    TokenRule(
        "jwt",
        "eyJ",
        r"[A-Za-z0-9_\-]{10,1000}+\."
        r"(?:(?:[A-Za-z0-9_\-]{0,4000}+\.){3}[A-Za-z0-9_\-]{16,}|ey[A-Za-z0-9_\-]{10,8000}+\.[A-Za-z0-9_\-]{10,})",
    ),
)

_WHERE_SECRETS_STAND = (
    TokenRule(
        "url-password",
        "://",
        rf"(?:(?![:@]){_URL_CHARACTER}){{0,80}}+:(?!\d{{1,5}}[,;)\]}}|])(?P<secret>{_URL_CHARACTER}{{3,200}})@(?=[A-Za-z0-9\[])",
        boundary=False,
        distinct=3,
    ),
    TokenRule(
        "bearer-token", "earer", r"[ +]{1,3}(?P<secret>(?=[A-Za-z._~+/\-]{0,80}\d)[A-Za-z0-9._~+/\-]{16,}=*)", False
    ),
    TokenRule("cli-password", "sshpass -p", r"\s{0,2}" + _SHELL_WORD, distinct=3),
    TokenRule("cli-password", "mysql", r"(?:dump|admin)?\s[^\n|&;]{0,80}?(?<=\s)-p" + _SHELL_WORD, distinct=3),
    TokenRule("cli-password", "docker login", r"\s[^\n|&;]{0,80}?(?<=\s)-p[ =]" + _SHELL_WORD, distinct=3),
    TokenRule("cli-password", "redis-cli", r"\s[^\n|&;]{0,80}?(?<=\s)-a " + _SHELL_WORD, distinct=3),
    TokenRule(
        "cli-password",
        "curl ",
        r"[^\n|;]{0,160}?(?<=\s)(?:-u|--user)[ =]?['\"]?[^\s:'\"]{1,80}:" + _SHELL_WORD,
        distinct=3,
    ),
)

TOKEN_RULES: tuple[TokenRule, ...] = (*_MODELS, *_CODE_HOSTS, *_CLOUDS, *_SERVICES, *_WHERE_SECRETS_STAND)
