# ruff: noqa: E501, examples read better on one line
"""What looks like a secret and is none: ids, hashes, code, images, prose. What people search for must stay readable."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import uuid
from collections.abc import Callable, Iterator

from redaction_secrets import Labelled, grown

EACH = 40
VERBS = "get set load parse build render fetch update validate create handle resolve merge flush rotate encode".split()
NOUNS = "session token user password key secret cache index chunk cursor header buffer config request handler".split()
MORE = "manager provider factory service context options registry adapter builder store count length hash id".split()
SENTENCES = """
The token bucket refills every second, so the limiter never starves a client.
We hash the password with argon2 and store only the digest.
Press any key to continue, or hold the secondary key for the menu.
The secret to a fast test suite is not to sleep in it.
Rotate your credentials every ninety days and never paste them into a chat.
The primary key is a composite of tenant and sequence number.
Her passport and his password manager were both in the blue bag.
A token is about four characters of English, so 128000 tokens are a long book.
The API key goes into the keychain, not into the environment file.
Authorization happens after authentication; a bearer must present both.
If the password is wrong three times, the account is locked for 15 minutes.
Set the max_tokens parameter to 4096 and the temperature to 0.7.
""".strip().splitlines()
CHINESE = """
密码的规则要写清楚 令牌桶算法每秒补充一次 数据库迁移失败了，请检查密钥的权限 不要把密码写进仓库 口令长度至少八位
用户忘记密码时发送邮件 缓存的键是会话编号 这个函数返回令牌的数量 我们讨论了密钥轮换的流程 登录失败，密码不正确
""".split()
FRENCH = """
Le mot de passe doit contenir au moins huit lettres
La clé primaire est composée
Il a oublié son mot de passe
Le jeton expire au bout d'une heure
On ne partage jamais un secret
""".strip().splitlines()
CODE = """
def {verb}_{noun}(self, {noun}: str, {other}: bytes | None = None) -> {Noun}{More}:
    {noun} = self._{other}_{more}.{verb}({other}, {noun}=None)
const {noun}{More} = await {verb}{Noun}({other}.{more});
if ({noun}.{more} !== {other}{More}) return {verb}{Other}(ctx, {noun});
export type {Noun}{More} = {{ {noun}: string; {other}?: {Other}{More} }};
    raise ValueError("{noun} must not be empty; see {verb}_{other}_{more}")
{noun} = os.environ["ACME_{OTHER}_{MORE}"]
{NOUN}_{MORE} = get_{other}_{more}()
assert {noun}_{more} == {other}.{verb}_{more}({noun}), "{noun} differs from {other}"
func ({n} *{Noun}{More}) {Verb}{Other}(ctx context.Context, {noun} string) (*{Other}, error) {{
let {noun}: {Noun}<{Other}> = self.{more}.{verb}::<{Other}>(&{other})?;
password: {{ type: String, required: true, select: false, {verb}: {noun}{More} }}
{noun} = "{{{{ {other}.{more} }}}}"
api_key=settings.{OTHER}_{MORE},
"{noun}{More}": "{other}.{more}.{verb}",
--{noun}-{more} {other}_{more}
""".strip().splitlines()
PLACEHOLDERS = (
    """
API_KEY=your-api-key-here|OPENAI_API_KEY=sk-...|password: <your password>|TOKEN=${GITHUB_TOKEN}|token: {{ secrets.TOKEN }}
AWS_SECRET_ACCESS_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx|"apiKey": "<API_KEY>"|Authorization: Bearer $TOKEN|PASSWORD=changeme
postgres://user:password@localhost:5432/db|https://$USER:$PASS@host/x|ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx|secret = "********"
password=[REDACTED]|TOKEN=%TOKEN%|export API_KEY="$(pass show acme/key)"|DB_PASSWORD=|"password": "string"|token=null|key=undefined
AKIA_YOUR_ACCESS_KEY|sk_test_your_key|"secret": process.env.SECRET|password: !vault|api_key: env.API_KEY|curl -u user:pass https://x.test
Authorization: Bearer YOUR_TOKEN_HERE|<password>*****</password>|--password PASSWORD|token: "REPLACE_ME"|secret: (hidden)|key: [none]
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


def words_of(rng: random.Random) -> dict[str, str]:
    verb, noun, other, more = rng.choice(VERBS), rng.choice(NOUNS), rng.choice(NOUNS), rng.choice(MORE)
    small = {"verb": verb, "noun": noun, "other": other, "more": more, "n": noun[0]}
    return {
        **small,
        **{k.capitalize(): v.capitalize() for k, v in small.items()},
        **{k.upper(): v.upper() for k, v in small.items() if k != "n"},
    }


def ident(rng: random.Random) -> str:
    w = words_of(rng)
    return rng.choice(
        ["{verb}{Noun}{Other}{More}", "{verb}_{noun}_{other}_{more}", "{Noun}{Other}{More}", "{NOUN}_{OTHER}_{MORE}"]
    ).format(**w)


def digest(rng: random.Random, name: str) -> bytes:
    return hashlib.new(name, rng.randbytes(16)).digest()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def mangled(rng: random.Random) -> str:
    parts = "".join(f"{len(w)}{w}" for w in (rng.choice(NOUNS + MORE) for _ in range(4)))
    return f"_ZN{parts}17h{rng.randbytes(8).hex()}E"


def minified(rng: random.Random) -> str:
    name = lambda: rng.choice("abcdefghijklmnopqrstuvwxyz") + rng.choice("abcXYZ019")  # noqa: E731
    return "".join(
        f"function {name()}({name()},{name()}){{return {name()}.{rng.choice(NOUNS)}?{name()}:{name()}({rng.randint(1, 99)})}}"
        for _ in range(3)
    )


def image(rng: random.Random) -> str:
    head = rng.choice(
        [
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1",
            b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0",
            b"GIF89a\x10\0\x10\0",
            b"RIFF\x24\0\0\0WEBPVP8 ",
        ]
    )
    return b64(head + rng.randbytes(rng.randint(300, 3000)))


def wrapped(text: str, width: int) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def path(rng: random.Random) -> str:
    return "/".join(["/home/ada/src", *(rng.choice(NOUNS + MORE) for _ in range(3)), f"{ident(rng)}.py"])


Maker = Callable[[random.Random], str]
KINDS: dict[str, Maker] = {
    "UUID": lambda r: r.choice(
        ["session {}", "key: {}", '"sessionId": "{}"', "trace_id={}", "{}", "token_id: {}"]
    ).format(uuid.UUID(int=r.getrandbits(128), version=4)),
    "UUID in upper case": lambda r: f"DEVICE {str(uuid.UUID(int=r.getrandbits(128), version=4)).upper()} connected",
    "SHA of a commit": lambda r: r.choice(
        ["commit {}", "{} Fix the token refresh", "git show {}", "merge-base: {}", "key: {}", '"sha":"{}"']
    ).format(r.randbytes(20).hex()),
    "SHA in short": lambda r: f"{r.randbytes(4).hex()[:7]} (HEAD -> main) rotate the secret handling",
    "git log": lambda r: (
        f"commit {r.randbytes(20).hex()}\nAuthor: Ada <ada@acme.test>\nDate:   Mon May 4 10:00:00 2026 +0200\n\n    {ident(r)}: {r.choice(SENTENCES)}"
    ),
    "git index line": lambda r: f"index {r.randbytes(4).hex()[:7]}..{r.randbytes(4).hex()[:7]} 100644",
    "SHA-256 sum": lambda r: f"{r.randbytes(32).hex()}  {ident(r)}.tar.gz",
    "image digest": lambda r: f"FROM python@sha256:{r.randbytes(32).hex()}",
    "SRI": lambda r: r.choice(
        ['"integrity": "sha512-{}"', 'integrity="sha512-{}" crossorigin', "integrity sha512-{}"]
    ).format(b64(digest(r, "sha512"))),
    "SRI of 384": lambda r: f'<script src="x.js" integrity="sha384-{b64(digest(r, "sha384"))}"></script>',
    "go.sum": lambda r: f"github.com/acme/{r.choice(NOUNS)} v1.{r.randint(0, 40)}.0 h1:{b64(digest(r, 'sha256'))}",
    "Cargo.lock": lambda r: (
        f'[[package]]\nname = "{r.choice(NOUNS)}"\nversion = "0.{r.randint(1, 20)}.1"\nchecksum = "{r.randbytes(32).hex()}"'
    ),
    "pip hash": lambda r: f"{r.choice(NOUNS)}==1.2.3 --hash=sha256:{r.randbytes(32).hex()}",
    "RECORD": lambda r: (
        f"acme/{r.choice(NOUNS)}.py,sha256={base64.urlsafe_b64encode(digest(r, 'sha256')).decode()[:43]},{r.randint(100, 9000)}"
    ),
    "ETag": lambda r: f'ETag: W/"{r.randbytes(16).hex()}"',
    "agent ids": lambda r: r.choice(
        [
            "toolu_01{}",
            "msg_01{}",
            "call_{}",
            "chatcmpl-{}",
            "req_011C{}",
            "resp_{}",
            "fc_{}",
            "rs_{}",
            "ws_{}",
            "run_{}",
        ],
    ).format(grown(r.choice(["{w22}", "{w24}", "{h48}"]), r)),
    "agent ids in JSON": lambda r: json.dumps(
        {
            "type": "tool_use",
            "id": "toolu_" + grown("{w24}", r),
            "tool_use_id": "toolu_" + grown("{w24}", r),
            "requestId": "req_" + grown("{w24}", r),
        }
    ),
    "session keys": lambda r: json.dumps(
        {
            "sessionKey": f"agent:main:{uuid.UUID(int=r.getrandbits(128), version=4)}",
            "idempotencyKey": str(uuid.UUID(int=r.getrandbits(128), version=4)),
        }
    ),
    "signature of thinking": lambda r: json.dumps(
        {"type": "thinking", "thinking": "Let me see.", "signature": "Eq" + b64(r.randbytes(300))}
    ),
    "identifiers": ident,
    "identifiers in a row": lambda r: ", ".join(ident(r) for _ in range(8)),
    "assignments of identifiers": lambda r: f"{r.choice(NOUNS)} = {ident(r)}",
    "long camel case": lambda r: "".join(w.capitalize() for w in r.choices(NOUNS + MORE + VERBS, k=7)),
    "Java names": lambda r: (
        "com.acme."
        + ".".join(r.choices(NOUNS, k=3))
        + "."
        + "".join(w.capitalize() for w in r.choices(NOUNS + MORE, k=3))
        + "Test"
    ),
    "base64 image": lambda r: image(r),
    "base64 image in JSON": lambda r: json.dumps(
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": image(r)}}
    ),
    "base64 image wrapped": lambda r: wrapped(image(r), 76),
    "data address": lambda r: f"![x](data:image/png;base64,{image(r)})",
    "mangled symbols": mangled,
    "minified code": minified,
    "source map": lambda r: (
        '{"version":3,"mappings":"' + ";".join(grown("{m4}", r) + "," + grown("{m5}", r) for _ in range(20)) + '"}'
    ),
    "certificate": lambda r: (
        "-----BEGIN CERTIFICATE-----\nMII" + wrapped(b64(r.randbytes(700)), 64) + "\n-----END CERTIFICATE-----"
    ),
    "public key": lambda r: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{grown('{b44}', r)} ada@acme",
    "code about secrets": lambda r: r.choice(CODE).format(**words_of(r)),
    "placeholders": lambda r: r.choice(PLACEHOLDERS),
    "English": lambda r: " ".join(r.sample(SENTENCES, 2)),
    "Chinese": lambda r: "，".join(r.sample(CHINESE, 2)) + "。",
    "French": lambda r: ". ".join(r.sample(FRENCH, 2)) + ".",
    "paths": lambda r: r.choice(
        ["see {}:12", 'File "{}", line 3', "key_file = {}", "--token-file {}", "PWD={}"]
    ).format(path(r)),
    "addresses": lambda r: (
        f"https://github.com/acme/{r.choice(NOUNS)}/blob/{r.randbytes(20).hex()}/src/{ident(r)}.ts#L{r.randint(1, 400)}"
    ),
    "storage paths": lambda r: f"/nix/store/{grown('{l32}', r)}-{r.choice(NOUNS)}-1.2.3/bin/{r.choice(VERBS)}",
    "counts of tokens": lambda r: json.dumps(
        {
            "input_tokens": r.randint(1, 99999),
            "cache_read_input_tokens": r.randint(1, 10**7),
            "total_tokens": r.randint(1, 10**6),
            "max_tokens": 4096,
        }
    ),
    "paging": lambda r: json.dumps(
        {"nextPageToken": str(r.randint(1, 900)), "cursor": f"page-{r.randint(1, 90)}", "pageKey": ident(r)}
    ),
    "times and versions": lambda r: (
        f"2026-0{r.randint(1, 9)}-1{r.randint(0, 9)}T10:00:00.{r.randint(100, 999)}Z v1.{r.randint(0, 40)}.0-rc.{r.randint(1, 9)}+build.{r.randint(1000, 9999)}"
    ),
    "models": lambda r: r.choice(
        ["claude-opus-4-{}-20250{}14", "gpt-4o-mini-2024-0{}-1{}", "model: gemini-2.{}-pro-preview-0{}-06"]
    ).format(r.randint(1, 9), r.randint(1, 9)),
    "colours and styles": lambda r: (
        f".sk-fade-{r.choice(NOUNS)}-{r.choice(MORE)} {{ color: #{r.randbytes(3).hex()}; --token-{r.choice(NOUNS)}: var(--key-{r.choice(MORE)}) }}"
    ),
    "shell about secrets": lambda r: r.choice(
        [
            "pass insert acme/{0}-{1}",
            "gh secret list --repo acme/{0}",
            "kubectl get secret {0}-{1} -o yaml",
            "export {2}_TOKEN",
            "unset {2}_PASSWORD",
            "grep -rn 'password' src/{0}",
        ],
    ).format(r.choice(NOUNS), r.choice(MORE), r.choice(NOUNS).upper()),
    "key caps": lambda r: (
        f"keys: ctrl+shift+{r.choice('abcxyz')}, keybinding: cmd-k cmd-{r.choice('abc')}, hotkey={r.choice(NOUNS)}"
    ),
    "logs": lambda r: (
        f"[2026-05-0{r.randint(1, 9)} 10:00:00,{r.randint(100, 999)}] INFO acme.auth: token refreshed for user id={r.randint(1, 10**6)} in {r.randint(1, 90)}ms request={r.randbytes(8).hex()}"
    ),
    "bech and names": lambda r: (
        f"pod/{r.choice(NOUNS)}-{r.choice(MORE)}-{grown('{l10}', r)}-{grown('{l5}', r)} 1/1 Running"
    ),
}


def harmless(rng: random.Random) -> Iterator[Labelled]:
    for kind, make in KINDS.items():
        for _ in range(EACH):
            yield Labelled("harmless", kind, kind, "", make(rng))
