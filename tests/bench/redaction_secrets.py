"""Secrets made up from the shapes that their makers document, and the places where people leave them.

In a shape `{w36}` stands for 36 characters of the class `w`; what follows a `|` is the secret itself, if not all is.
Written without a look at the redactor's rules, so that it measures them.
"""

from __future__ import annotations

import json
import random
import re
import string
import uuid
from collections.abc import Callable, Iterator
from typing import NamedTuple

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
CLASSES = {
    "w": UPPER + LOWER + DIGITS,
    "s": UPPER + LOWER + DIGITS + "_-",
    "b": UPPER + LOWER + DIGITS + "+/",
    "h": DIGITS + "abcdef",
    "H": DIGITS + "ABCDEF",
    "u": UPPER + DIGITS,
    "l": LOWER + DIGITS,
    "m": UPPER + LOWER,
    "k": UPPER + "234567",
    "d": DIGITS,
    "t": UPPER + LOWER + DIGITS + "_~.-",
}


class Labelled(NamedTuple):
    """A text, what must not be left of it, and what it is counted under."""

    tier: str
    context: str
    label: str
    secret: str
    text: str


# Anyone who finds one of these knows what it opens.
SELF_IDENTIFYING = """
anthropic      sk-ant-api03-{s93}AA; sk-ant-admin01-{s93}AA; sk-ant-oat01-{s93}AA; sk-ant-ort01-{s93}AA
anthropic      sk-ant-sid01-{s93}AA
openai         sk-{w20}T3BlbkFJ{w20}; sk-proj-{s74}T3BlbkFJ{s74}; sk-svcacct-{s58}T3BlbkFJ{s58}
openai         sk-admin-{s58}T3BlbkFJ{s58}
models         sk-or-v1-{h64}; sk-{h32}; gsk_{w52}; pplx-{w48}; xai-{w80}; nvapi-{s64}; r8_{w37}; hf_{m34}
models         csk-{l48}
models         sk-lf-{uuid}; tvly-dev-{w32}; tvly-prod-{w32}; jina_{w60}; lsv2_pt_{h32}_{h10}; pcsk_{w5}_{w63}
models         fc-{h32}; pa-{s43}
models         sk_{h48}; fw_{w24}; tgp_v1_{s43}; api_org_{m34}; ABSKQmVkcm9ja{b118}; bce-v3/ALTAK-{w21}/{h40}
github         ghp_{w36}; gho_{w36}; ghu_{w36}; ghs_{w36}; ghr_{w76}; github_pat_{w22}_{w59}
gitlab         glpat-{s20}; glptt-{h40}; gldt-{s20}; glrt-{s20}; glcbt-{w5}_{s20}; glft-{s20}; glimt-{s25}
gitlab         glagent-{s50}; glsoat-{s20}
gitlab         glffct-{s20}; gloas-{h64}; glpat-{s27}.{l2}.{l9}; GR1348941{s20}
atlassian      ATATT3xFfGF0{s171}={H8}; ATCTT3xFfGN0{s171}={H8}; ATBB{w32}
packages       npm_{w36}; pypi-AgEIcHlwaS5vcmc{s160}; rubygems_{h48}; cio{w32}; oy2{l43}; dckr_pat_{s27}
packages       dckr_oat_{s32}; CLOJARS_{h60}
packages       AKCp{w69}; cmVmd{w59}; pul-{h40}; CCIPAT_{w22}_{h40}; bkua_{h40}; sqp_{h40}; squ_{h40}; dt_{w40}
aws            AKIA{k16}; ASIA{k16}; IQoJb3JpZ2lu{b300}
google         AIza{s35}; GOCSPX-{s28}; ya29.a0{s180}; 1//0{s60}
azure          {w3}8Q~{t34}; {w3}7Q~{t31}
clouds         dop_v1_{h64}; doo_v1_{h64}; dor_v1_{h64}; HRKU-AA{s58}; nfp_{w36}; fm2_lJPE{b160}; fo1_{s43}
clouds         rnd_{w28}; vcp_{w56}; vck_{w56}
clouds         v1.0-{h24}-{h146}; sbp_{h40}; sb_secret_{s22}_{s8}; pscale_tkn_{s43}; pscale_pw_{s43}
clouds         pscale_oauth_{s43}; napi_{l64}
clouds         LTAI5t{w18}; AKID{w32}; tskey-auth-{w17}-{w32}; tskey-api-{w17}-{w32}; scw_{h36}; exo_{h32}{l10}
vaults         hvs.CAES{s90}; hvb.AAAAAQ{s140}; {w14}.atlasv1.{s67}; dp.pt.{w43}; dp.st.prd.{w43}
vaults         st.{h24}.{h32}.{h32}; ops_eyJ{b300}
vaults         A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}; AGE-SECRET-KEY-1{u58}; infra_{w64}; dapi{h32}; dapi{h32}-2
yandex         AQVN{s36}; t1.9euelZ{s60}.{s86}; y0_{s55}
chat           xoxb-{d12}-{d12}-{w24}; xoxp-{d12}-{d12}-{d12}-{h32}; xoxe.xoxp-1-{w146}
chat           xapp-1-A{u10}-{d13}-{h64}; xoxe-1-{w146}
chat           hooks.slack.com/services/|T{u10}/B{u10}/{w24}; discord.com/api/webhooks/{d18}/|{s68}
chat           MT{w24}.{w6}.{s38}; NzE{w23}.G{w5}.{s38}
chat           {d10}:AA{s33}; x.webhook.office.com/webhookb2/|{uuid}@{uuid}/IncomingWebhook/{h32}/{uuid}
money          sk_live_{w24}; sk_test_{w24}; rk_live_{w24}; sk_live_51{w97}; whsec_{w32}
money          access_token$production${l16}${h32}
money          sq0atp-{s22}; sq0csp-{s43}; EAAA{s60}; access-production-{uuid}; shippo_live_{h40}; lin_api_{w40}
money          FLWSECK_TEST-{h32}-X
mail           SG.{s22}.{s43}; key-{h32}; {h32}-us14; xkeysib-{h64}-{w16}; re_{w8}_{w24}; mlsn.{h64}
watching       glc_eyJ{b120}; glsa_{w32}_{h8}; NRAK-{u27}; sntrys_eyJ{b140}_{b43}; sntryu_{h64}
watching       dt0c01.{k24}.{k64}; phx_{w43}; phc_{w43}
watching       hcaik_01{l58}; sgp_{h40}; sgp_local_{h40}; NRII-{s32}
shops          shpat_{h32}; shpca_{h32}; shpss_{h32}; shppa_{h32}
apps           ntn_{d11}{w35}; secret_{w43}; pat{w14}.{h64}; figd_{s43}; PMAK-{h24}-{h34}; sdk-{uuid}
apps           api-{uuid}; sl.u.{s140}; p8e-{l32}
apps           duffel_live_{s43}; rdme_{l70}; pnu_{w36}; EZAK{w54}; tfp_{w44}_{w14}; fio-u-{s64}
apps           sk.eyJ1{w70}.{s22}; lin_oauth_{h64}
apps           1/{d16}:{h32}; ico-{w32}; dop_v1_{h64}; SK{h32}; EAACEdEose0cBA{w120}; IGQVJ{w120}
apps           airtable_pat_{w40}; zpka_{l32}_{h8}
apps           cal_live_{h32}; clerk_sk_live_{w40}; trigger_prod_{w24}; ak_live_{w32}
apps           pdl_live_apikey_{l26}_{w22}_{w3}; svix_sk_{s40}
tokens         eyJhbGciOi{s24}.eyJzdWIi{s120}.{s43}; eyJhbGciOi{s60}.{s90}.{s16}.{s200}.{s22}
"""

KEYWORD_ONLY = """
aws_secret_access_key {b40}; datadog_api_key {h32}; datadog_app_key {h40}; twilio_auth_token {h32}
heroku_api_key {uuid}; cloudflare_api_token {s40}; algolia_admin_api_key {h32}
azure_storage_account_key {b86}==; mistral_api_key {w32}; cohere_api_key {w40}; openweather_api_key {h32}
pagerduty_api_key {s20}; okta_api_token 00{s40}; zendesk_token {w40}; fastly_api_token {s32}; travis_token {w22}
codecov_token {uuid}; snyk_token {uuid}; confluent_secret {b64}; jwt_secret {s44}; linode_token {h64}
vultr_api_key {u36}; stripe_signing_secret {l32}; session_secret {h64}; discord_client_secret {s32}
spotify_client_secret {h32}; twitter_access_token_secret {w45}; lastfm_api_key {h32}; encryption_key {b43}=
django_secret_key {l50}; mailjet_secret_key {h32}; webhook_secret {w32}; db_password {p}; smtp_password {p}
admin_passwd {p}; redis_password {p}
"""


def password(rng: random.Random) -> str:
    """What a person would choose: some of letters, digits and a sign, 9 to 14 characters."""
    word = "".join(rng.choice(LOWER) for _ in range(rng.randint(5, 8)))
    return (
        word.capitalize() + str(rng.randint(10, 9999)) + rng.choice("!_-.@#%") + rng.choice(LOWER) + rng.choice(UPPER)
    )


def grown(shape: str, rng: random.Random) -> str:
    """A string of the shape."""

    def part(match: re.Match[str]) -> str:
        if match[0] == "{uuid}":
            return str(uuid.UUID(int=rng.getrandbits(128), version=4))
        if match[0] == "{p}":
            return password(rng)
        drawn = [rng.choice(CLASSES[match[1]]) for _ in range(int(match[2]))]
        drawn[-1] = rng.choice([each for each in CLASSES[match[1]] if each.isalnum()])
        return "".join(drawn)

    return re.sub(r"\{([a-zA-Z])(\d+)\}|\{uuid\}|\{p\}", part, shape)


def shapes(table: str) -> list[tuple[str, str]]:
    """(maker, shape)"""
    pairs = [line.split(maxsplit=1) for line in table.strip().splitlines()]
    return [(maker, shape.strip()) for maker, all_of_it in pairs for shape in all_of_it.split(";")]


def names_and_shapes(table: str) -> list[tuple[str, str]]:
    entries = [entry.split() for line in table.strip().splitlines() for entry in line.split(";")]
    return [(name, shape) for name, shape in entries]


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def in_json(name: str, value: str) -> str:
    return json.dumps({"id": 7, name: value, "next": "page"})


CONTEXTS: dict[str, Callable[[str], str]] = {
    "env": lambda secret: f"DEPLOY_TARGET=eu-west-1\nexport ACME_X={secret}\nDEBUG=1\n",
    "JSON": lambda secret: in_json("value", secret),
    "JSON in JSON": lambda secret: json.dumps({"type": "tool", "output": in_json("value", secret)}),
    "YAML": lambda secret: f"service:\n  acme:\n    value: {secret}\n    region: eu\n",
    "English": lambda secret: f"I rotated it, the new one is {secret}. Don't commit it please.",
    "Chinese": lambda secret: f"新的是{secret}，不要提交到仓库里。",
    "Markdown": lambda secret: f"- staging: `{secret}`\n- **prod**: same\n",
    "ANSI": lambda secret: f"\x1b[1;32mok\x1b[0m got \x1b[33m{secret}\x1b[0m from the vault",
    "escaped newline": lambda secret: f'"text": "first line\\n{secret}\\nlast line"',
    "URL": lambda secret: f"curl 'https://api.acme.test/v2/items?x={secret}&page=2'",
}

KEYWORD_CONTEXTS: dict[str, Callable[[str, str], str]] = {
    "env": lambda name, value: f"LOG=1\n{name.upper()}={value}\n",
    "JSON": lambda name, value: in_json(camel(name), value),
    "JSON in JSON": lambda name, value: json.dumps({"output": in_json(name, value)}),
    "YAML": lambda name, value: f"env:\n  {name}: {value}\n  region: eu\n",
    "English": lambda name, value: f"for the record, my {name.replace('_', ' ')} is {value} and it works",
    "Chinese": lambda name, value: f"{name.replace('_', ' ')}是{value}，请保密",
    "code": lambda name, value: f"const {camel(name)} = '{value}';",
    "flag": lambda name, value: f"acme login --{name.replace('_', '-')} {value} --verbose",
}


def leaks(secret: str, text: str) -> bool:
    """Whether eight characters in a row of the secret are still there."""
    return any(secret[at : at + 8] in text for at in range(len(secret) - 7)) or (len(secret) < 8 and secret in text)


def self_identifying(rng: random.Random) -> Iterator[Labelled]:
    for maker, shape in shapes(SELF_IDENTIFYING):
        for context, place in CONTEXTS.items():
            before, _, secret = grown(shape, rng).rpartition("|")
            yield Labelled("self-identifying", context, f"{maker} {shape}", secret, place(before + secret))


def keyword(rng: random.Random) -> Iterator[Labelled]:
    for name, shape in names_and_shapes(KEYWORD_ONLY):
        for context, place in KEYWORD_CONTEXTS.items():
            secret = grown(shape, rng)
            yield Labelled("keyword", context, f"{name} {shape}", secret, place(name, secret))
