"""Planted secrets do not survive `redact`, wherever they stand; what people search for does.

Every secret is made while the test runs, from the shape of its kind, so that none stands in this file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import re._parser as parser  # type: ignore[import-not-found]
import string
import subprocess
import sys
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from harkback.core.redact import Redacted, redact
from harkback.core.redact_names import FIELD_ANCHORS
from harkback.core.redact_places import PLACES, Place
from harkback.core.redact_prefixes import CLASSES, PREFIXES
from harkback.core.redact_rules import TOKEN_RULES, TokenRule
from hypothesis import given, settings
from hypothesis import strategies as st

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
WORD, HEX, BASE64 = UPPER + LOWER + DIGITS, DIGITS + "abcdef", UPPER + LOWER + DIGITS + "+/"
URLSAFE, SMALL, BIG = WORD + "_-", LOWER + DIGITS, UPPER + DIGITS
BASE32 = UPPER + "234567"

Part = str | tuple[str, int]
UUID_PARTS: tuple[Part, ...] = ((HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12))


def family(parts: Sequence[Part], *prefixes: str) -> list[tuple[Part, ...]]:
    return [(prefix, *parts) for prefix in prefixes]


SHAPES: dict[str, list[tuple[Part, ...]]] = {
    "anthropic-key": [("sk-ant-", "api03-", (URLSAFE, 93), "AA"), ("sk-ant-", "admin01-", (URLSAFE, 90))],
    "openai-key": [("sk-proj-", (URLSAFE, 100)), ("sk-svcacct-", (URLSAFE, 60)), ("sk-admin-", (URLSAFE, 60))],
    "sk-key": [("sk-", (WORD, 20), "T3BlbkFJ", (WORD, 20)), ("sk-", (HEX, 32)), ("sk-", (WORD, 48)),
        ("sk-", (URLSAFE, 40))],
    "openrouter-key": [("sk-or-v1-", (HEX, 64))],
    "langfuse-key": [("sk-lf-", *UUID_PARTS)],
    "cerebras-key": [("csk-", (SMALL, 48))],
    "elevenlabs-key": [("sk_", (HEX, 48))],
    "groq-key": [("gsk_", (WORD, 52))],
    "perplexity-key": [("pplx-", (WORD, 48))],
    "xai-key": [("xai-", (WORD, 80))],
    "nvidia-key": [("nvapi-", (URLSAFE, 64))],
    "hugging-face-token": [("hf_", (UPPER + LOWER, 34)), ("api_org_", (UPPER + LOWER, 34))],
    "replicate-token": [("r8_", (WORD, 37))],
    "fireworks-key": [("fw_", (WORD, 24))],
    "tavily-key": [("tvly-", "dev-", (WORD, 32))],
    "voyage-key": [("pa-", (URLSAFE, 43))],
    "jina-key": [("jina_", (WORD, 60))],
    "langsmith-key": [("lsv2_", "pt_", (HEX, 32), "_", (HEX, 10))],
    "pinecone-key": [("pcsk_", (WORD, 6), "_", (WORD, 64))],
    "firecrawl-key": [("fc-", (HEX, 32))],
    "cursor-key": [("key_", (HEX, 64))],
    "warp-key": [("wk-1.", (HEX, 64))],
    "copilot-token": [("8kp=1:", (HEX, 64))],
    "github-token": [*family([(WORD, 36)], "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        ("github_pat_", (WORD, 22), "_", (WORD, 59))],
    "gitlab-token": [*family([(URLSAFE, 20)], "glpat-", "glrt-", "gldt-", "glptt-", "glcbt-", "glft-", "glimt-"),
                     *family([(URLSAFE, 20)], "glagent-", "glsoat-", "gloas-", "glffct-", "glrtr-")],
    "atlassian-token": family([(URLSAFE, 180), "=", (HEX, 8)], "ATATT3", "ATCTT3"),
    "bitbucket-token": [("ATBB", (WORD, 32))],
    "npm-token": [("npm_", (WORD, 36))],
    "pypi-token": [("pypi-", "AgEIcHlwaS5vcmc", (URLSAFE, 150))],
    "gem-token": [("rubygems_", (HEX, 48))],
    "crates-token": [("cio", (WORD, 32))],
    "nuget-key": [("oy2", (SMALL, 43))],
    "docker-token": [("dckr_", "pat_", (URLSAFE, 27)), ("dckr_", "oat_", (URLSAFE, 32))],
    "clojars-token": [("CLOJARS_", (HEX, 60))],
    "artifactory-key": [("AKCp", (WORD, 69))],
    "artifactory-token": [("cmVmd", (WORD, 59))],
    "circleci-token": family([(WORD, 22), "_", (HEX, 40)], "CCIPAT_", "CCIPRJ_"),
    "buildkite-token": [("bkua_", (HEX, 40))],
    "sonar-token": family([(HEX, 40)], "squ_", "sqp_", "sqa_"),
    "aws-access-key": family([(BASE32, 16)], "AKIA", "ASIA", "ABIA", "ACCA"),
    "aws-session-token": [("IQoJb3JpZ2lu", (BASE64, 200), "==")],
    "aws-bedrock-key": [("ABSKQmVkcm9ja", (BASE64, 110), "=")],
    "google-api-key": [("AIza", (URLSAFE, 35))],
    "google-oauth-secret": [("GOCSPX-", (URLSAFE, 28))],
    "google-oauth-token": [("ya29.", (URLSAFE, 120)), ("1//0", (URLSAFE, 60))],
    "azure-client-secret": [((WORD, 3), "8Q~", (WORD + "_~.-", 34)), ((WORD, 3), "7Q~", (WORD + "_~.-", 31))],
    "digitalocean-token": family([(HEX, 64)], "dop_v1_", "doo_v1_", "dor_v1_"),
    "heroku-key": [("HRKU-", "AA", (URLSAFE, 58))],
    "netlify-token": [("nfp_", (WORD, 36))],
    "vercel-token": family([(WORD, 56)], "vcp_", "vci_", "vca_", "vcr_", "vck_"),
    "fly-token": [("fm2_", (BASE64, 120)), ("fm1r_", (BASE64, 120))],
    "render-key": [("rnd_", (WORD, 28))],
    "cloudflare-key": [("v1.0-", (HEX, 24), "-", (HEX, 146))],
    "supabase-key": [("sbp_", (HEX, 40)), ("sb_secret_", (URLSAFE, 31))],
    "planetscale-token": [("pscale_", "tkn_", (URLSAFE, 43)), ("pscale_", "pw_", (URLSAFE, 43))],
    "neon-key": [("napi_", (SMALL, 64))],
    "vault-token": family([(URLSAFE, 92)], "hvs.", "hvb.", "hvr."),
    "terraform-token": [((WORD, 14), ".atlasv1.", (URLSAFE, 67))],
    "pulumi-token": [("pul-", (HEX, 40))],
    "doppler-token": [("dp.", "pt.", (WORD, 43)), ("dp.", "st.prd.", (WORD, 43))],
    "infisical-token": [("st.", (HEX, 24), ".", (HEX, 32), ".", (HEX, 32))],
    "1password-token": [("ops_eyJ", (BASE64, 250))],
    "1password-key": [("A3-", (BIG, 6), "-", (BIG, 6), "-", (BIG, 5), "-", (BIG, 5), "-", (BIG, 5), "-", (BIG, 5))],
    "tailscale-key": [("tskey-", "auth-", (WORD, 17), "-", (WORD, 32))],
    "databricks-token": [("dapi", (HEX, 32)), ("dose", (HEX, 32))],
    "alibaba-key": [("LTAI", (WORD, 20))],
    "tencent-key": [("AKID", (WORD, 32))],
    "volcengine-key": [("AKLT", (WORD, 44))],
    "baidu-key": [("bce-v3/", "ALTAK-", (WORD, 21), "/", (HEX, 40))],
    "yandex-key": [("AQVN", (URLSAFE, 36))],
    "yandex-token": [("t1.", (URLSAFE, 60), ".", (URLSAFE, 86))],
    "clickhouse-key": [("4b1d", (WORD, 38))],
    "slack-token": [("xoxb-", (DIGITS, 12), "-", (DIGITS, 12), "-", (WORD, 24)),
        ("xoxp-", (DIGITS, 12), "-", (HEX, 32)),
                    ("xoxe.xoxp-", "1-", (WORD, 80)), ("xapp-", "1-", (BIG, 11), "-", (DIGITS, 13), "-", (HEX, 64))],
    "slack-webhook": [("hooks.slack.com/services/", (BIG, 11), "/", (BIG, 11), "/", (WORD, 24))],
    "discord-webhook": family([(DIGITS, 18), "/", (URLSAFE, 68)], "discord.com/api/webhooks/",
        "discordapp.com/api/webhooks/"),
    "teams-webhook": [("x.webhook.office.com/webhookb2/", *UUID_PARTS, "@", *UUID_PARTS, "/IncomingWebhook/",
        (HEX, 32), "/",
                       *UUID_PARTS)],
    "stripe-key": family([(WORD, 40)], "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"),
    "stripe-webhook-secret": [("whsec_", (WORD, 32))],
    "sendgrid-key": [("SG.", (URLSAFE, 22), ".", (URLSAFE, 43))],
    "mailgun-key": family([(HEX, 32)], "key-", "pubkey-"),
    "mailchimp-key": [((HEX, 32), "-us", (DIGITS, 2))],
    "twilio-key": [("SK", (HEX, 32))],
    "resend-key": [("re_", (WORD, 8), "_", (WORD, 24))],
    "brevo-key": family([(HEX, 64), "-", (WORD, 16)], "xkeysib-", "xsmtpsib-"),
    "grafana-token": [("glc_", (BASE64, 80)), ("eyJrIjoi", (BASE64, 80)), ("glsa_", (WORD, 32), "_", (HEX, 8))],
    "new-relic-key": [*family([(WORD, 27)], "NRAK-", "NRII-", "NRJS-", "NRIQ-", "NRRA-"), ((HEX, 36), "NRAL")],
    "sentry-token": [("sntryu_", (HEX, 64)), ("sntrys_", (BASE64, 120), "_", (BASE64, 43))],
    "honeycomb-key": family([(SMALL, 58)], "hcaik_", "hcalk_", "hcamk_", "hcxik_"),
    "posthog-key": [("phx_", (WORD, 43))],
    "segment-token": [("sgp_", (WORD, 64))],
    "dynatrace-token": [("dt0", "c01.", (BASE32, 24), ".", (BASE32, 64))],
    "shopify-token": family([(HEX, 32)], "shpat_", "shpca_", "shppa_", "shpss_"),
    "square-token": [("EAAA", (URLSAFE, 60)), ("sq0", "csp-", (URLSAFE, 43))],
    "meta-token": [("EAA", (WORD, 150))],
    "braintree-token": [("access_token$", "production$", (SMALL, 16), "$", (HEX, 32))],
    "plaid-token": family(UUID_PARTS, "access-production-", "access-development-", "access-sandbox-"),
    "notion-token": [("ntn_", (WORD, 46)), ("secret_", (WORD, 43))],
    "linear-token": family([(WORD, 40)], "lin_api_", "lin_oauth_"),
    "asana-token": [("1/", (DIGITS, 16), ":", (HEX, 32)), ("2/", (DIGITS, 16), "/", (DIGITS, 16), ":", (HEX, 32))],
    "airtable-token": [("pat", (WORD, 14), ".", (HEX, 64))],
    "figma-token": family([(URLSAFE, 40)], "figd_", "figo_"),
    "postman-key": [("PMAK-", (HEX, 24), "-", (HEX, 34))],
    "launchdarkly-key": family(UUID_PARTS, "sdk-", "api-", "mob-"),
    "mapbox-token": [("sk.eyJ", (WORD, 80), ".", (URLSAFE, 22))],
    "dropbox-token": [("sl.", (URLSAFE, 140)), ("sl.", "u.", (URLSAFE, 140))],
    "adobe-secret": [("p8e-", (SMALL, 32))],
    "easypost-key": family([(WORD, 54)], "EZAK", "EZTK"),
    "duffel-token": [("duffel_", "live_", (URLSAFE, 43))],
    "readme-key": [("rdme_", (SMALL, 70))],
    "prefect-key": family([(WORD, 36)], "pnu_", "pnb_"),
    "shippo-token": [("shippo_", "live_", (HEX, 40))],
    "typeform-token": [("tfp_", (URLSAFE, 50))],
    "scalingo-token": [("tk-us-", (URLSAFE, 48))],
    "frameio-token": [("fio-u-", (URLSAFE, 64))],
    "settlemint-token": [("sm_", "aat_", (WORD, 16))],
    "telegram-token": [((DIGITS[1:], 10), ":", "AA", (URLSAFE, 33)), ((DIGITS[1:], 9), ":", (URLSAFE, 35))],
    "discord-token": family([(WORD, 23), ".", (URLSAFE, 6), ".", (URLSAFE, 38)], "MT", "Nz", "OD"),
    "azure-key": [((BASE64, 40), mark, (WORD, 8)) for mark in ("+ASt", "+ACDb", "AzSe", "AzFu", "AzCa", "+ACR", "+AIoT",
        "+AEh", "+ARm")],
    "azure-devops-token": [((WORD, 64), "AZDO", (WORD, 4))],
    "aws-mws-key": [("amzn.mws.", *UUID_PARTS)],
    "bitwarden-token": [("0.", *UUID_PARTS, ".", (WORD, 30), ":", (BASE64, 22), "==")],
    "harness-token": family([(URLSAFE, 22), ".", (HEX, 24), ".", (WORD, 20)], "pat.", "sat."),
    "hubspot-token": [("pat-na1-", *UUID_PARTS)],
    "intra42-secret": family([(HEX, 64)], "s-s4t2ud-", "s-s4t2af-"),
    "maxmind-key": [((WORD, 6), "_", (WORD, 29), "_mmk")],
    "authress-key": [("sc_", (SMALL, 12), ".", (SMALL, 5), ".acc-", (SMALL, 16), ".", (BASE64, 60))],
    "salesforce-token": [("00D", (WORD, 12), "!", (WORD, 90))],
    "mercadopago-token": [("APP_USR-", (DIGITS, 16), "-", (DIGITS, 6), "-", (HEX, 32))],
    "telnyx-key": [("KEY0", (BIG, 31), "_", (WORD, 22))],
    "woocommerce-key": family([(HEX, 40)], "cs_", "ck_"),
    "dingtalk-secret": [("SEC", (HEX, 64))],
    "age-key": [("AGE-SECRET-KEY-1", (BIG, 58))],
    "jwt": [("eyJ", (URLSAFE, 33), ".eyJ", (URLSAFE, 120), ".", (URLSAFE, 43)),
            ("eyJ", (URLSAFE, 80), ".", (URLSAFE, 100), ".", (URLSAFE, 16), ".", (URLSAFE, 200), ".", (URLSAFE, 22))],
}  # fmt: skip

CONTEXTS: dict[str, Callable[[str], str]] = {
    "bare": lambda secret: secret,
    "environment": lambda secret: f"export SOME_TOKEN={secret}\nNEXT=1",
    "JSON": lambda secret: json.dumps({"name": "x", "value": secret, "n": 1}),
    "JSON in JSON": lambda secret: json.dumps({"arguments": json.dumps({"value": secret})}),
    "YAML": lambda secret: f"env:\n  - name: X\n    value: {secret}\n  - name: Y\n",
    "English": lambda secret: f"Please use {secret}, not the old one.",
    "Chinese": lambda secret: f"新的是{secret}，请不要外传。",
    "Chinese glued": lambda secret: f"用{secret}登录",
    "Markdown": lambda secret: f"- use `{secret}` or **{secret}**",
    "escaped newline": lambda secret: rf"first line\n{secret}\nlast line",
    "percent escape": lambda secret: f"https://host.test/cb?state=x%3D{secret}%26y",
    "URL": lambda secret: f"GET https://api.host.test/v1/items?id={secret}&page=2",
    "colour left by a terminal": lambda secret: f"[1;32m{secret}[0m",
}

SEEDS = st.integers(0, 2**32)


def grow(parts: Sequence[Part], rng: random.Random) -> str:
    """A token of the shape; each random part holds a capital, a small letter and a digit where it may."""
    grown = ""
    for part in parts:
        if isinstance(part, str):
            grown += part
            continue
        alphabet, length = part
        drawn = [rng.choice(alphabet) for _ in range(length)]
        if length >= 16:
            for place in (0, -1):
                drawn[place] = rng.choice([letter for letter in alphabet if letter.isalnum()])
            for place, needed in zip(rng.sample(range(1, length - 1), 3), (UPPER, LOWER, DIGITS), strict=True):
                drawn[place] = rng.choice([letter for letter in alphabet if letter in needed] or alphabet)
        grown += "".join(drawn)
    return grown


def leaks(secret: str, text: str) -> list[str]:
    """The windows of eight characters of `secret` that `text` still holds."""
    return [secret[at : at + 8] for at in range(len(secret) - 7) if secret[at : at + 8] in text]


ALL_SHAPES = [(kind, parts) for kind, shapes in SHAPES.items() for parts in shapes]


@pytest.mark.parametrize("context", CONTEXTS)
@given(seed=SEEDS)
@settings(max_examples=3)
def test_no_eight_characters_of_a_planted_token_survive(context: str, seed: int) -> None:
    rng = random.Random(seed)
    for kind, parts in ALL_SHAPES:
        secret = grow(parts, rng)
        text = CONTEXTS[context](secret)
        redacted = redact(text)
        assert not leaks(secret, redacted.text), (kind, text, redacted.text)
        assert redact(redacted.text).text == redacted.text


@pytest.mark.parametrize(("kind", "parts"), ALL_SHAPES)
def test_a_token_is_marked_and_counted_by_its_kind(kind: str, parts: tuple[Part, ...]) -> None:
    redacted = redact(f"see {grow(parts, random.Random(7))} here")
    assert redacted.counts == {kind: 1}
    assert re.fullmatch(rf"see (?:x\.)?\[redacted:{kind}\] here", redacted.text)


def rows_of_the_table() -> list[tuple[str, str, int, str]]:
    """(kind, beginning, length of the rest, its alphabet)"""
    found: list[tuple[str, str, int, str]] = []
    for line in PREFIXES.strip().splitlines():
        kind, letter, least, *beginnings = line.split()
        alphabet = "".join(each for each in map(chr, range(33, 127)) if re.fullmatch(CLASSES[letter], each))
        found += [(kind, each.rstrip("*"), int(least.rstrip("!")), alphabet) for each in beginnings]
    return found


@pytest.mark.parametrize(("kind", "beginning", "length", "alphabet"), rows_of_the_table())
def test_every_row_of_the_table_masks_the_shortest_token_that_it_means(
    kind: str, beginning: str, length: int, alphabet: str
) -> None:
    token = grow([beginning, (alphabet, length)], random.Random(9))
    redacted = redact(f"see `{token}` here")
    assert not leaks(token[len(beginning) :], redacted.text)
    assert list(redacted.counts) == [kind]


def test_every_other_rule_is_tried_by_a_shape() -> None:
    in_table = {beginning for _, beginning, _, _ in rows_of_the_table()}
    missed = {
        (rule.kind, rule.anchor)
        for rule in TOKEN_RULES
        if rule.kind != "api-key"
        and rule.anchor not in in_table
        and not any(rule.anchor in grow(parts, random.Random(1)) for parts in SHAPES.get(rule.kind, []))
    }
    assert not missed


@pytest.mark.parametrize("rule", [rule for rule in TOKEN_RULES if rule.kind == "api-key"], ids=lambda rule: rule.anchor)
def test_a_key_of_a_maker_that_nobody_knows_is_masked(rule: TokenRule) -> None:
    before = "" if rule.boundary else "acme"
    for seed in range(20):
        token = before + rule.anchor + grow([(WORD, 32)], random.Random(seed))
        redacted = redact(f"我的是{token}。")
        assert not leaks(token, redacted.text), (token, redacted.text)


# ---- Secrets known by where they stand ----


def password(rng: random.Random) -> str:
    return grow([(LOWER, 5), (DIGITS, 3), (UPPER, 4)], rng)


def random_value(rng: random.Random) -> str:
    return grow([(WORD, 32)], rng)


FIELDS = [
    'PASSWORD={}', 'export DB_PASSWORD="{}"', "SMTP_PASS='{}'", '"password": "{}"', "password: {}\nuser: me",
    "password = '{}'",
    "my password is {}.", "**Password**: `{}`", "密码是{}，请保密", "密码：{}", "le mot de passe est {}",
    "el password es {}",
    "| password | {} |", "<password>{}</password>", "mysql --password {} db", "--db-password={}",
    '["--password", "{}"]',
    r'{{\"password\": \"{}\"}}', r'{{\\\"password\\\": \\\"{}\\\"}}', r"A=1\nDB_PASSWORD={}\nB=2",
    "password: str = '{}'",
    "settings.password = \"{}\"", "$config['password'] = '{}';", ":password => '{}'", "passphrase: {}",
    "LOGIN_PASSWORD_PROD={}",
    "url?user=me&password={}&x=1",
    "machine h.test login me password {}", "password:\n  {}\n", "my password (staging): {}",
    "password for the db is {}",
    "mot de passe : {}", "Passwort: {}", "пароль: {}", "パスワード：{}", "비밀번호는 {} 입니다", "hasło: {}",
    "密码改成了{}。",
    "<add key='Password' value='{}'/>", "define('DB_PASSWORD', '{}');", "Server=h;Uid=sa;Pwd={};Encrypt=yes",
    "password%3D{}%26x",
    "&quot;password&quot;:&quot;{}&quot;", "| user | password |\n|---|---|\n| me | {} |",
    "printf '{}' | docker login --password-stdin",
    "kubectl create secret generic x --from-literal=pw={}", "net use Z: /user:me {}",
    "ldapsearch -w {} -b x", "db.test:5432:app:me:{}", "requirepass {}",
]  # fmt: skip
STRONG_FIELDS = [
    "API_KEY={}", "STRIPE_SECRET={}", "GH_TOKEN={}", "SECRET_KEY_BASE={}", '"apiKey": "{}"', '"token": "{}"',
    '"secret": "{}"',
    '"accessToken":"{}"', '"refreshToken": "{}"', '"clientSecret" : "{}"', "api_key: {}", "x-api-key: {}",
    "--api-key {}",
    "--token={}", "--secret '{}'", "Authorization: Bearer {}", '-H "Authorization: Bearer {}"',
    '"Authorization": "Bearer {}"',
    "Authorization: Basic {}", "authorization: token {}", "curl -H 'bearer {}'", "the API key is {}", "API key: {}",
    "密钥是{}。",
    "令牌：{}", "aws_secret_access_key = {}", "OPENAI_KEY={}", "otpauth://totp/me?secret={}&issuer=x",
    "?access_token={}",
    r"\nAPI_TOKEN={}\n", "encryption-key: {}", "key={}", '"key": "{}"',
    "the secret key {} please", 'System.setProperty("ACME_TOKEN", "{}");', "name: ACME_TOKEN\n  value: {}",
    "api key 👉 {}",
    "https://h.test/k?X-Amz-Signature={}", "https://h.test/k?sv=1&sig={}",
    "https://{}@h.test/a.git", "wrangler secret put X <<< '{}'", "Here is the token:\n\n```\n{}\n```\n",
    "トークン：{}", "토큰: {}", "токен: {}", "clé API : {}", "| ACME_TOKEN | `{}` |",
]  # fmt: skip
ADDRESSES = [
    "postgres://user:{}@db.test:5432/x", "redis://:{}@cache.test/0", "https://me:{}@git.test/a.git",
    "见mongodb+srv://u:{}@h.test。",
    "sshpass -p '{}' ssh me@host", "mysqldump -u root -p{} db", "curl -s -u me:{} https://x.test",
    "docker login -u me -p {} reg",
    "redis-cli -h h -a {}",
]  # fmt: skip


@pytest.mark.parametrize("template", FIELDS + ADDRESSES)
@given(seed=SEEDS)
@settings(max_examples=15)
def test_a_password_is_masked_where_it_stands(template: str, seed: int) -> None:
    secret = password(random.Random(seed))
    text = template.format(secret)
    redacted = redact(text)
    assert not leaks(secret, redacted.text), redacted.text
    assert re.sub(r"\[redacted:[a-z-]+\]", secret, redacted.text) == text
    assert redact(redacted.text).text == redacted.text


@pytest.mark.parametrize("template", STRONG_FIELDS)
@given(seed=SEEDS)
@settings(max_examples=15)
def test_a_random_value_is_masked_where_it_stands(template: str, seed: int) -> None:
    secret = random_value(random.Random(seed))
    text = template.format(secret)
    redacted = redact(text)
    assert not leaks(secret, redacted.text), redacted.text
    assert re.sub(r"\[redacted:[a-z-]+\]", secret, redacted.text) == text
    assert redact(redacted.text).text == redacted.text


@pytest.mark.parametrize("template", ['the passphrase is "{}"', "password: '{}'", 'PASSWORD="{}"', "密码：“{}”"])
def test_a_passphrase_of_words_is_masked_and_a_sentence_is_not(template: str) -> None:
    assert "marble" not in redact(template.format("velvet marble otter copper")).text
    kept = template.format("must be at least eight characters")
    assert redact(kept).text is kept


@pytest.mark.parametrize("length", [199, 200, 201, 5000])
def test_a_long_value_is_masked_to_its_end(length: int) -> None:
    secret = grow([(WORD, length)], random.Random(3))
    for template in ("API_SECRET={}\nNEXT=1", '"secret": "{}", "n": 1'):
        assert redact(template.format(secret)).text == template.format("[redacted:secret]")


# ---- Private keys ----


def key_block(rng: random.Random, label: str = "RSA PRIVATE KEY") -> tuple[str, str]:
    """An armoured key, and the middle of it."""
    lines = [grow([(BASE64, 64)], rng) for _ in range(12)] + [grow([(BASE64, 30)], rng) + "=="]
    return f"-----BEGIN {label}-----\n" + "\n".join(lines) + f"\n-----END {label}-----", "".join(lines)


KEY_LABELS = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]
KEY_CONTEXTS: dict[str, Callable[[str], str]] = {
    "plain": lambda block: block,
    "JSON": lambda block: json.dumps({"private_key": block, "n": 1}),
    "JSON in JSON": lambda block: json.dumps({"file": json.dumps({"private_key": block})}),
    "line numbers": lambda block: "\n".join(f"{n:6}\t{line}" for n, line in enumerate(block.split("\n"), 1)),
    "arrow numbers": lambda block: "\n".join(f"{n:5}→{line}" for n, line in enumerate(block.split("\n"), 1)),
    "diff": lambda block: "+" + block.replace("\n", "\n+"),
    "quote": lambda block: "> " + block.replace("\n", "\n> "),
    "environment": lambda block: "KEY='" + block.replace("\n", "\\n") + "'",
}


@pytest.mark.parametrize("context", KEY_CONTEXTS)
@pytest.mark.parametrize("label", [*KEY_LABELS, "PGP PRIVATE KEY BLOCK"])
def test_a_private_key_is_masked_whole(context: str, label: str) -> None:
    block, middle = key_block(random.Random(label), label)
    redacted = redact("before\n" + KEY_CONTEXTS[context](block) + "\nafter the key")
    assert redacted.counts == {"private-key": 1}
    assert not leaks(middle, redacted.text)
    assert redacted.text.startswith("before")
    assert redacted.text.endswith("after the key")
    assert "PRIVATE" not in redacted.text


@pytest.mark.parametrize("context", KEY_CONTEXTS)
@given(cut=st.integers(90, 850))
@settings(max_examples=30)
def test_a_private_key_that_breaks_off_is_masked_to_where_it_does(context: str, cut: int) -> None:
    block, middle = key_block(random.Random(cut))
    redacted = redact("before\n" + KEY_CONTEXTS[context](block[:cut]))
    assert not leaks(middle, redacted.text), redacted.text


def test_text_after_a_key_that_breaks_off_is_kept() -> None:
    block, middle = key_block(random.Random(5))
    redacted = redact(block[:400] + "\n[output cut]\nAnd then we went on.")
    assert redacted.text.endswith("\nAnd then we went on.")
    assert not leaks(middle, redacted.text)


# ---- What stays ----


def ordinary(rng: random.Random) -> list[str]:
    digest = hashlib.sha512(rng.randbytes(8))
    sha = hashlib.sha1(rng.randbytes(8)).hexdigest()  # noqa: S324 - what a commit is named by
    identity = uuid.UUID(int=rng.getrandbits(128), version=4)
    integrity = base64.b64encode(digest.digest()).decode()
    image = base64.b64encode(rng.randbytes(600)).decode()
    return [
        f"commit {sha}", f"git show {sha[:7]}", f"session {identity}", f"claude --resume {identity}",
        f'"sessionId": "{identity}"',
        f'"integrity": "sha512-{integrity}"', f"sha256:{hashlib.sha256(image.encode()).hexdigest()}",
        f"h1:{integrity[:43]}=",
        f"harkback/core/x.py,sha256={base64.urlsafe_b64encode(digest.digest()[:32]).decode()[:43]},120",
        f"data:image/png;base64,{image}", f'"data": "{image}"', "\n".join(image[n : n + 76] for n in range(0, 800, 76)),
        f'"sessionKey": "agent:main:{identity}"', f'"id": "toolu_{grow([(WORD, 24)], rng)}"',
        f'"id": "msg_{grow([(WORD, 24)], rng)}"',
        f'"parentUuid": "{identity}"', f"rollout-2026-05-01T10-20-30-{identity}.jsonl", f"cache key: {sha}",
        f"key: {identity}",
        f"/home/me/.cache/{sha}/file.py", f"https://github.com/a/b/commit/{sha}", f"next_page_token: {identity}",
    ]  # fmt: skip


@given(seed=SEEDS)
@settings(max_examples=3)
def test_ids_hashes_and_images_stay_as_they_are(seed: int) -> None:
    for text in ordinary(random.Random(seed)):
        assert redact(text) == Redacted(text, {}), text


KEPT = [
    "def test_token_refresh(token: str, secret: bytes | None = None) -> Token:", "password = get_password(user)",
    "token = self.token",
    "max_tokens: 4096, input_tokens=12345, total_tokens: 99", "password: string;", "type Password = string;",
    '"password": "required"',
    "const apiKey = process.env.OPENAI_API_KEY", 'api_key=os.environ["OPENAI_API_KEY"]', "PASSWORD=${DB_PASSWORD}",
    "TOKEN=$(get-token)",
    "Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "export API_KEY=your-api-key-here",
    "API_KEY=xxxxxxxxxxxxxxxx",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "AKIAIOSFODNN7" + "EXAMPLE",
    "password: ********",
    "postgres://user:password@localhost/db", "https://user:${PASS}@host.test", "http://localhost:3000/a@b",
    "mailto:a@b.test",
    "the token is expired", "the password is incorrect", "the key is to test 100 times",
    "task-notification task-management",
    ".sk-circle-fade-dot .sk-folding-cube2 { color: red }", "pip install scikit-learn sk-learn-contrib",
    "keyboard: us, monkey: 12345678",
    "key: ctrl+shift+p", "primary_key=True, foreign_key='users.id'", "private_key: Ed25519PrivateKey",
    "secretName: my-app-tls-2024",
    "-----BEGIN RSA PRIVATE KEY-----",
    "starts with '-----BEGIN PRIVATE KEY-----' and ends with '-----END PRIVATE KEY-----'",
    "PWD=/home/me/project1", "token_count: 1234567890", "eyJ is how a JWT begins", "model: claude-3-5-sonnet-20241022",
    "我们讨论了 token 的数量和密码的规则", "1234567890:123 at 12:30:45", "password_hash_algorithm = 'sha256'",
    "see /etc/passwd:12",
    "AKIA and ASIA are prefixes", "xoxb- and xoxp- are prefixes", '"key": "value", "token": "..."',
    "<password></password>",
]  # fmt: skip


@pytest.mark.parametrize("text", KEPT)
def test_code_prose_and_placeholders_stay_as_they_are(text: str) -> None:
    assert redact(text) == Redacted(text, {})


@given(st.text(max_size=200))
def test_text_without_secrets_is_the_same_object(text: str) -> None:
    redacted = redact(text)
    assert redacted.counts or redacted.text is text


def test_a_certificate_stays_as_it_is() -> None:
    block, _ = key_block(random.Random(2), "CERTIFICATE")
    assert redact(block).text is block


# ---- Marks, and texts made to do harm ----

FRAGMENTS = [
    *{rule.anchor for rule in TOKEN_RULES if not rule.anchor[0].isdigit()}, *FIELD_ANCHORS, "[redacted:github-token]",
    "[redacted:",
    "]", "=", ": ", " is ", "://", "a:", "@h", '"', "'", "\\", '\\"', "\n", " ", ",", "--", "-", "_", ".", "/", "是",
    "İ", "\u0301",
    "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "<", ">", " | ", "Bearer ", "%3D", "\\n",
    "[1m", "xxxx",
]  # fmt: skip


def fragments(draw: st.DrawFn) -> str:
    rng = random.Random(draw(SEEDS))
    grown = [grow(parts, rng) for _, parts in rng.sample(ALL_SHAPES, 6)] + [password(rng), grow([(BASE64, 64)], rng)]
    return "".join(draw(st.lists(st.sampled_from(FRAGMENTS + grown), max_size=14)))


@given(st.composite(fragments)())
@settings(max_examples=300)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == Redacted(once.text, {})
    marks = [f"[redacted:{kind}]" for kind in once.counts]
    assert all(mark in once.text for mark in marks)


def test_a_mark_is_never_redacted() -> None:
    for text in (
        "password=[redacted:password]", '"token": "[redacted:secret]"', "[redacted:github-token]: abc12345xyz",
        "https://me:[redacted:url-password]@h.test", "Authorization: Bearer [redacted:bearer-token]",
    ):  # fmt: skip
        assert redact(text).text is text


def test_only_those_who_redact_pay_for_the_rules() -> None:
    """Searching imports this module's name alone: neither the rules nor what looks for them."""
    look = "import sys, harkback.core.search; print(*(m for m in sys.modules if 'ahocorasick' in m or 'redact_' in m))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_two_rules_that_find_one_secret_make_one_mark_of_the_telling_kind() -> None:
    token = grow(SHAPES["github-token"][0], random.Random(4))
    assert redact(f'GITHUB_TOKEN="{token}"') == Redacted('GITHUB_TOKEN="[redacted:github-token]"', {"github-token": 1})


@pytest.mark.parametrize("piece", ["pw=", "key:", "密码是"])
def test_a_text_of_nothing_but_names_is_left_out_and_counted(piece: str) -> None:
    assert redact(piece * 10_000) == Redacted("[redacted:message]", {"message": 1})
    assert redact("pass,fail," * 10_000).counts == {}


def test_text_that_keeps_revealing_secrets_is_dropped_whole() -> None:
    rng = random.Random(1)
    chain = "".join(grow([(DIGITS[1:], 10), ":", "AA", (UPPER + LOWER, 33)], rng) for _ in range(12))
    assert redact(chain) == Redacted("[redacted:message]", {"message": 1})


def calls_made(function: Callable[[], object]) -> int:
    """How many Python and C functions run within `function`: work that is counted, not timed."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    previous = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(previous)
    return calls


@pytest.mark.parametrize("piece", [
    "eyJ", "-eyJaaaaaaaaaa", ".eyJaaaaaaaaaa.", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN ", "password=",
    'password="', "token: ",
    "key:", "sk-", "-sk-a1B", "ghp_", "xoxb-", "://", "://a:b", "curl -u a:b", "[redacted:token] = ", "密码是",
    'password\\"', "1:", "a", "signkey-prod-a1B", "pw=", "pass,", "key for ", "mysql -p", "cookie: a=b;",
    "kind: secret\n",
    "| password |\n|---|\n", "curl -u a:b ", "token (", '"d":"', "auth=('a'", "echo a | ",
])  # fmt: skip
def test_work_grows_no_faster_than_the_text(piece: str) -> None:
    redact(piece)
    small, large = (calls_made(lambda n=n: redact(piece * n)) for n in (300, 3000))
    assert large <= 11 * small + 200


def test_a_long_placeholder_is_read_once() -> None:
    assert calls_made(lambda: redact("xoxb-" * 20_000)) < 1000


def unbounded_before_the_end(sequence: Any, *, at_end: bool) -> bool:
    """Whether a repeat without bounds stands where what follows it could still fail."""
    for place, (operation, argument) in enumerate(sequence):
        rest_is_optional = at_end and all(
            op in (parser.MAX_REPEAT, parser.POSSESSIVE_REPEAT) and arg[0] == 0 for op, arg in sequence[place + 1 :]
        )
        if operation in (parser.MAX_REPEAT, parser.MIN_REPEAT, parser.POSSESSIVE_REPEAT):
            unbounded = argument[1] == parser.MAXREPEAT and not rest_is_optional
            if unbounded or unbounded_before_the_end(argument[2], at_end=rest_is_optional and argument[1] == 1):
                return True
        elif operation is parser.SUBPATTERN and unbounded_before_the_end(argument[3], at_end=rest_is_optional):
            return True
        elif operation is parser.BRANCH:
            if any(unbounded_before_the_end(branch, at_end=rest_is_optional) for branch in argument[1]):
                return True
        elif operation in (parser.ASSERT, parser.ASSERT_NOT) and unbounded_before_the_end(argument[1], at_end=False):
            return True
    return False


@pytest.mark.parametrize("rule", TOKEN_RULES, ids=lambda rule: rule.anchor)
def test_a_rule_reads_without_bounds_only_at_its_end(rule: TokenRule) -> None:
    assert not unbounded_before_the_end(list(parser.parse(rule.tail)), at_end=True)
    assert not unbounded_before_the_end(list(parser.parse(rule.head)), at_end=False)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.anchor)
def test_a_place_is_read_without_bounds_only_at_its_end(place: Place) -> None:
    assert not unbounded_before_the_end(list(parser.parse(place.tail)), at_end=True)


def test_a_repeat_that_could_read_far_and_fail_is_noticed() -> None:
    for pattern in ("[a-z]{3,}x", "(?:a+b)", "(?=[a-z]*1)", "a+(?!b)", "(?:a|b+)c"):
        assert unbounded_before_the_end(list(parser.parse(pattern)), at_end=True), pattern
    for pattern in ("[a-z]{3,}", "[a-z]{3,9}x", "(?:a|b+)", "a{3,}=*"):
        assert not unbounded_before_the_end(list(parser.parse(pattern)), at_end=True), pattern
