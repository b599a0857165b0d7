"""Secrets that only the place where they stand gives away: addresses, headers, command lines, files, prose."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Callable, Iterator

from redaction_secrets import Labelled, grown

# What stands for `§` is the secret: a password, or with `§h32` one of that shape. A line end is `\\n`.
PLACES = r"""
url         postgres://app:§@db.internal:5432/app
url         mysql://root:§@127.0.0.1/shop?charset=utf8
url         redis://:§@cache.internal:6379/0
url         mongodb+srv://svc:§@cluster0.acme.test/db?retryWrites=true
url         amqps://guest:§@mq.acme.test/vhost
url         git clone https://deploy:§s24@git.acme.test/team/repo.git
url         https://§w40@git.acme.test/team/repo.git
url         连接串是postgresql://u:§@10.0.0.8/x。
url         DATABASE_URL="postgresql+asyncpg://u:§@h/x"
url         {"dsn":"https://§h32@o12.ingest.sentry.test/4505"}
url         smtp://mailer%40acme.test:§@smtp.acme.test:587
signed      https://b.s3.amazonaws.com/k?X-Amz-Date=20260101T000000Z&X-Amz-Signature=§h64
signed      https://acct.blob.core.windows.net/c/f?sv=2022-11-02&se=2026-01-01&sp=r&sig=§b43%3D
signed      https://storage.googleapis.com/b/o?X-Goog-Expires=900&X-Goog-Signature=§h128
signed      https://d1.cloudfront.net/x?Expires=1700000000&Signature=§b80~~&Key-Pair-Id=APK
signed      https://api.acme.test/cb?code=4&access_token=§s60&state=1
signed      https://api.acme.test/v1/data?api_key=§h32&q=x
signed      wss://gw.acme.test/?token=§w40
signed      SharedAccessSignature sr=x&sig=§b43%3d&se=1700000000
header      Authorization: Bearer §s40
header      curl -H "Authorization: Bearer §w32" https://api.acme.test
header      Authorization: Basic §B
header      "Authorization": "token §w32",
header      headers = {'X-Api-Key': '§w32'}
header      -H 'x-auth-token: §w24'
header      X-Vault-Token: §s26
header      Proxy-Authorization: Basic §B
header      PRIVATE-TOKEN: §s20
header      Authorization: ApiKey §b56==
header      fetch(u, {headers: {authorization: `Bearer §s40`}})
header      Authorization: Digest username="x", response="§h32"
cookie      Cookie: theme=dark; sessionid=§l32; lang=de
cookie      Set-Cookie: connect.sid=s%3A§s32.§b43; Path=/; HttpOnly
cookie      Cookie: PHPSESSID=§l26
cookie      curl -b 'session=§s48' https://acme.test
cookie      Set-Cookie: auth=§s60; Secure
cookie      document.cookie = "JSESSIONID=§H32"
flag        mysql -u root -p§ shop
flag        mysqldump --user=root --password=§ shop > x.sql
flag        psql "host=db user=app password=§ dbname=x"
flag        PGPASSWORD=§ psql -h db
flag        sshpass -p '§' ssh root@10.0.0.4
flag        curl -u admin:§ https://acme.test/api
flag        curl --user 'svc:§' -X POST https://acme.test
flag        docker login -u ci -p § registry.acme.test
flag        redis-cli -h cache -a § ping
flag        wget --http-password=§ https://acme.test/f
flag        openssl enc -aes-256-cbc -k § -in a -out b
flag        openssl rsa -in k.pem -passin pass:§
flag        vault login -method=token token=§s26
flag        az login --service-principal -u x -p § --tenant y
flag        helm upgrade x --set db.password=§,replicas=2
flag        mongosh --username root --password § --host db
flag        ["login","--password","§"]
flag        net use Z: \\\\srv\\share /user:acme §
flag        ldapsearch -D cn=admin -w § -b dc=acme
flag        smbclient //srv/share -U 'bob%§'
stdin       printf '%s' '§s24' | wrangler secret put API
stdin       echo "§s32" | gh secret set DEPLOY
stdin       echo § | docker login -u ci --password-stdin
stdin       printf '§' | vault kv put secret/x value=-
stdin       echo '§' | sudo -S apt-get update
stdin       gh secret set DEPLOY --body "§s32"
stdin       kubectl create secret generic x --from-literal=pw=§
stdin       wrangler secret put API <<< '§s24'
file        machine api.acme.test login ci password §
file        machine api.acme.test\n  login ci\n  password §\n
file        //registry.acme.test/:_authToken=§w36
file        //registry.acme.test/:_password="§B"
file        {"auths":{"registry.acme.test":{"auth":"§B"}}}
file        apiVersion: v1\nkind: Secret\ndata:\n  value: §B\n  other: §B
file        kind: Secret\nstringData:\n  pin: §\n
file        db.internal:5432:app:svc:§
file        [default]\naws_access_key_id = x\naws_secret_access_key = §b40\n
file        <add key="Password" value="§"/>
file        <password>§</password>
file        <connectionString>Server=db;User Id=sa;Password=§;</connectionString>
file        "ConnectionStrings": {"x": "Server=db;Uid=sa;Pwd=§;Encrypt=yes"}
file        DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=§b86==;EndpointSuffix=x
file        Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey=§b43=
file        [Interface]\nPrivateKey = §b43=\nAddress = 10.0.0.2/24
file        requirepass §
file        ansible_become_pass: §
file        kubeadm join 10.0.0.1:6443 --token §l6.§l16
file        System.setProperty("ACME_TOKEN", "§w32");
file        define('DB_PASSWORD', '§');
file        spring.datasource.password=§
file        $password = "§";
file        env.set("API_SECRET", `§w32`)
file        'token' => '§w32',
file        otpauth://totp/acme:ada?secret=§k32&issuer=acme
file        TOTP seed: §k32
file        root:$6$§w16$§w86:19000:0:99999:7:::
file        bob:$apr1$§w8$§w22
file        $2b$12$§w53
file        export DB_PASS='§' # staging
file        password:\n  §\n
file        api_key:\n    "§w32"
prose       the password is § for now
prose       my password: §
prose       use admin / § to log in
prose       username: ada password: §
prose       login: ada@acme.test pw: §
prose       I set the passphrase to "§P" yesterday
prose       the wifi password is "§P"
prose       PIN code/password = §
prose       token: §w24 (expires friday)
prose       here's the secret key §b40 please rotate it
prose       api key 👉 §w32
prose       密码是§，别告诉别人
prose       密码：§
prose       数据库口令为 §
prose       密钥：§w32
prose       访问令牌是 §w36
prose       登录密码改成了§
prose       パスワードは§です
prose       パスワード：§
prose       トークンは §w32 です
prose       秘密鍵：§w40
prose       비밀번호는 § 입니다
prose       비밀번호: §
prose       토큰: §w32
prose       das Passwort ist § und läuft ab
prose       Passwort: §
prose       Kennwort: §
prose       le mot de passe est §
prose       mot de passe : §
prose       jeton : §w32
prose       la contraseña es §
prose       contraseña: §
prose       clave: §
prose       a senha é §
prose       senha: §
prose       la parola d'ordine è §
prose       пароль: §
prose       пароль — §
prose       токен: §w32
prose       hasło: §
prose       wachtwoord: §
prose       şifre: §
prose       mật khẩu: §
prose       lösenord: §
table       | user | password |\n|---|---|\n| ada | § |
table       | password | § |
table       user: ada\\npassword: §\\nrole: x
table       {\\"password\\": \\"§\\", \\"n\\": 1}
table       {\\\\\\"secret\\\\\\": \\\\\\"§w32\\\\\\"}
table       \\u0022token\\u0022:\\u0022§w32\\u0022
table       password%3D§w20%26next%3D1
table       &quot;apiKey&quot;:&quot;§w32&quot;
"""

WORDS = "otter velvet marble copper lantern thistle harbor pepper quartz willow saffron canyon".split()


def value(kind: str, rng: random.Random) -> str:
    if kind == "P":
        return " ".join(rng.sample(WORDS, 5))
    if kind == "B":
        return base64.b64encode(f"svc:{grown('{p}{w8}', rng)}".encode()).decode()
    return grown(f"{{{kind}}}" if kind else "{p}", rng)


def filled(place: str, rng: random.Random) -> tuple[str, list[str]]:
    """The text of a place, and the secrets in it."""
    kinds = "PB"
    first, *rest = place.split("§")
    text, secrets = first, list[str]()
    for piece in rest:
        size = 1 if piece[:1] in kinds else 0
        if not size and piece[:1].isalpha() and piece[1:2].isdigit():
            size = 1 + len(piece[1:]) - len(piece[1:].lstrip("0123456789"))
        secret = value(piece[:size], rng)
        secrets.append(secret)
        text += secret + piece[size:]
    return text, secrets


ARMOUR = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]


def numbered(block: str, form: str) -> str:
    return "\n".join(form.format(n, line) for n, line in enumerate(block.split("\n"), 1))


BLOCKS: dict[str, Callable[[str], str]] = {
    "plain": lambda block: block,
    "cat -n": lambda block: numbered(block, "{:6}\t{}"),
    "grep -n": lambda block: numbered(block, "{}:{}"),
    "arrow": lambda block: numbered(block, "{:5}→{}"),
    "bar": lambda block: numbered(block, "{:4} | {}"),
    "diff": lambda block: "+" + block.replace("\n", "\n+"),
    "quote": lambda block: "> " + block.replace("\n", "\n> "),
    "indented": lambda block: "key: |\n    " + block.replace("\n", "\n    "),
    "CRLF": lambda block: block.replace("\n", "\r\n"),
    "JSON": lambda block: json.dumps({"private_key": block, "n": 1}),
    "JSON in JSON": lambda block: json.dumps({"file": json.dumps({"pem": block})}),
    "literal \\n": lambda block: 'KEY="' + block.replace("\n", "\\n") + '"',
    "one line": lambda block: block.replace("\n", " "),
    "strings": lambda block: '"' + block.replace("\n", '\\n" +\n"') + '"',
    "cut": lambda block: block[: len(block) * 2 // 3],
    "cut JSON": lambda block: json.dumps({"pem": block})[: len(block) // 2],
}


def structural(rng: random.Random) -> Iterator[Labelled]:
    for line in PLACES.strip().splitlines():
        context, _, place = line.partition(" ")
        text, secrets = filled(re.sub(r"\\(n|\\)", lambda each: "\n" if each[1] == "n" else "\\", place.strip()), rng)
        for secret in secrets:
            yield Labelled("structural", context, place.strip(), secret, text)
    for label in ARMOUR:
        for name, wrapped in BLOCKS.items():
            lines = [grown("{b64}", rng) for _ in range(14)] + [grown("{b30}", rng) + "=="]
            block = f"-----BEGIN {label}-----\n" + "\n".join(lines) + f"\n-----END {label}-----"
            text = f"here it is:\n{wrapped(block)}\n"
            secret = "\n".join(line for line in lines if line[:8] in text)
            yield Labelled("structural", "private key", f"{label}, {name}", secret, text)
