"""The places where secrets stand: addresses, headers, cookies, command lines, files. One row of a table for each."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A secret found by what stands before it: `anchor`, in lower case, then `tail`, whose group `secret` it is.

    The repeats of a tail are bounded, save for one at its end.
    """

    kind: str
    anchor: str
    tail: str
    random: bool = False
    """Whether the secret must look random, or is hexadecimal: where people also write words."""


_URL_CHARACTER = r"[^\s/\"'<>`\\\x80-\U0010ffff]"
_SHELL_WORD = (
    r"(?:\\{0,7}\"(?P<double>[^\"\n]{4,200}?)\\{0,7}\"|\\{0,7}'(?P<single>[^'\n]{4,200}?)\\{0,7}'"
    r"|(?P<secret>[^\s'\"\\]{4,200}+))"
)
_TOKEN = r"[A-Za-z0-9%+/_\-~=.]"  # noqa: S105, characters
_PIPED = r"(?:secret|--password-stdin|passwd|sudo[ ]-S|vault|chpasswd|--stdin|token|login|kubectl|openssl|base64|gpg)"

# program, and where on its command line the password stands
_COMMANDS = r"""
mysql            -p
mysqldump        -p
mysqladmin       -p
mariadb          -p
sshpass          -p[ ]?
docker login     (?:-p[ =])
podman login     (?:-p[ =])
helm registry    (?:-p[ =])
buildah login    (?:-p[ =])
oc login         (?:-p[ =])
redis-cli        (?:-a|--pass)[ ]
az login         -p[ ]
ldapsearch       -w[ ]?
ldapmodify       -w[ ]?
ldapadd          -w[ ]?
openssl          (?:-k|-K|-pass[a-z]{0,3})[ ](?:pass:)?
curl             (?:-u|--user|--proxy-user|-U)[ =]?['"]?[^\s:'"]{1,80}:
http             (?:-a|--auth)[ =]['"]?[^\s:'"]{1,80}:
skopeo           --(?:src-|dest-)?creds[ =]['"]?[^\s:'"]{1,80}:
lftp             -u[ ]['"]?[^\s,'"]{1,80},
smbclient        -U[ ]?['"]?[^\s%'"]{1,80}%
rpcclient        -U[ ]?['"]?[^\s%'"]{1,80}%
winexe           -U[ ]?['"]?[^\s%'"]{1,80}%
net use          /user:\S{1,80}[ ]
psexec           -p[ ]
plink            -pw[ ]
pscp             -pw[ ]
xfreerdp         /p:
sqlcmd           -P[ ]?
bcp              -P[ ]?
cqlsh            -p[ ]
twine upload     -p[ ]
zip              -P[ ]
unzip            -P[ ]
7z               -p
rar              -h?p
mosquitto_pub    -P[ ]
mosquitto_sub    -P[ ]
mongo            -p[ ]
mongodump        -p[ ]
etcdctl          --user[ =][^\s:]{1,80}:
htpasswd         -\w{0,4}b\w{0,4}[ ]\S{1,100}[ ]\S{1,80}[ ]
sudo -u postgres --password[ =]
expect           send[ ]
useradd          -p[ ]
usermod          -p[ ]
ssh-keygen       -N[ ]
wpa_passphrase   \S{1,40}[ ]
pulumi config    --secret[ ]\S{1,60}[ ]
gh secret set    (?:--body|-b)[ =]
gh auth login    --with-token[ ]<<<[ ]?
wrangler secret  <<<[ ]?
"""


def _commands() -> list[Place]:
    rows = [line.rsplit("  ", 1) for line in _COMMANDS.strip().splitlines()]
    return [
        Place("cli-password", program.strip() + " ", rf"(?:[^\n|&;]{{0,160}}?[\s\"',])?{flag.strip()}{_SHELL_WORD}")
        for program, flag in ((name, flag) for name, flag in ((each[0], each[-1]) for each in rows))
    ]


PLACES: tuple[Place, ...] = (
    Place(
        "url-password",
        "://",
        rf"(?!\[)(?:(?![:@]){_URL_CHARACTER}){{0,80}}+:(?!\d{{1,5}}[,;)\]}}|])(?P<secret>{_URL_CHARACTER}{{4,200}})@(?=[A-Za-z0-9\[])",
    ),
    Place("url-token", "://", r"(?P<secret>[\w\-.]{20,200})(?::[^\s/@\"'<>`\\]{0,80})?@(?=[A-Za-z0-9\[])", True),
    *(
        Place("url-signature", anchor, rf"(?:=|%3[dD])(?P<secret>{_TOKEN}{{24,}})", True)
        for anchor in ("signature", "&sig", "?sig", "x-amz-credential", "se%26sig", "amp;sig", "u0026sig")
    ),
    Place("bearer-token", "bearer", r"[ +:]{1,3}(?P<secret>(?=[A-Za-z._~+/\-]{0,80}\d)[A-Za-z0-9._~+/\-]{16,}=*)"),
    Place(
        "bearer-token",
        "authorization",
        r"[\"']?[:=, ]{1,3}[\"']?(?:Basic|Negotiate|NTLM|AWS4|SSWS|Key|Splunk|Snowflake"
        r"|GoogleLogin"
        r"|basic)[ ](?P<secret>[A-Za-z0-9+/._~\-]{12,}=*)",
    ),
    Place(
        "cli-token",
        "curl ",
        r"(?:[^\n|;]{0,160}?\s)?(?:-u|--user)[ =]?['\"]?(?P<secret>[\w.\-]{20,200}):(?=['\"\s])",
        True,
    ),
    *(
        Place("password", anchor, r"['\"][^'\"\n]{1,80}['\"],[ ]{0,3}['\"](?P<secret>[^'\"\n]{4,200})['\"]")
        for anchor in ("auth=(", "auth = (", "basicauth(", ".login(")
    ),
    *(
        Place("url-password", anchor, r"[^/\s@]{1,60}/(?P<secret>[^\s@]{4,100})@")
        for anchor in ("jdbc:oracle:thin:", "sqlplus ")
    ),
    Place("cli-password", "convertto-securestring ", r"(?:-String[ ])?['\"](?P<secret>[^'\"\n]{4,200})['\"]"),
    Place("piped-secret", "<<< ", _SHELL_WORD, True),
    Place("digest-response", "digest username", r"=[^\n]{0,400}?response=\\{0,7}\"(?P<secret>[0-9a-f]{32,64})"),
    Place(
        "cookie",
        "cookie",
        r"s?(?:\\{0,7}[\"'])?[ ]{0,3}(?:[:=]|[ ]|,)[ ]{0,3}(?:\\{0,7}[\"'`])?"
        r"(?P<secret>[\w.%\-]{1,80}=[^\s;\"'`\\]{4,4000}+"
        r"(?:;[ ]?[\w.%\-]{1,80}=[^\s;\"'`\\]{0,4000}+){0,60}+)",
        True,
    ),
    Place(
        "cookie",
        "curl ",
        r"(?:[^\n|;]{0,160}?\s)?(?:-b|--cookie)[ =]?['\"]?(?P<secret>[\w.%\-]{1,80}=[^\s'\"]{8,4000})",
        True,
    ),
    *(
        Place("session-id", anchor, r"[\"']?[ ]?(?:=|:|%3[dD])[ ]?[\"']?(?P<secret>[A-Za-z0-9%._\-]{20,200})")
        for anchor in ("phpsessid", "jsessionid", "asp.net_sessionid", "connect.sid", "aspxauth", "laravel_session")
    ),
    *_commands(),
    *(
        Place(
            "piped-secret",
            anchor,
            r"(?:-[neE]{1,3}[ ])?(?:['\"]%s(?:\\n)?['\"][ ])?"
            r"(?:\"(?P<double>[^\"\n|]{6,400})\"|'(?P<single>[^'\n|]{6,400})'"
            rf"|(?P<secret>[^\s'\"|$]{{6,400}}))[ ]{{0,3}}\|(?=[^\n]{{0,80}}?\b{_PIPED}|[^\n]{{0,80}}?\s{_PIPED})",
        )
        for anchor in ("echo ", "printf ", "print -n ")
    ),
    Place("cli-password", "--from-literal=", rf"['\"]?[\w.\-]{{1,80}}={_SHELL_WORD}"),
    Place("cli-password", "--from-literal ", rf"['\"]?[\w.\-]{{1,80}}={_SHELL_WORD}"),
    Place("cli-password", "identified by ", r"\\{0,7}['\"](?P<secret>[^'\"\n\\]{4,200})\\{0,7}['\"]"),
    Place("cli-password", "net user ", rf"\S{{1,60}}[ ]{_SHELL_WORD}(?=[ ]/(?:add|domain))"),
    *(
        Place("password", anchor, _SHELL_WORD)
        for anchor in ("requirepass ", "masterauth ", "bindpw ", "rootpw ", "server community ", "enable secret 5 ")
    ),
    *(
        Place(
            "password",
            anchor,
            r"(?P<secret>(?=[^\d\s]{0,40}\d)(?=[^A-Z!@#$%^&*\s]{0,40}[A-Z!@#$%^&*])[^\s,;'\"()/]{6,80})",
        )
        for anchor in ("admin / ", "root / ", "admin/", "root/", "user / ")
    ),
    Place(
        "netrc-password",
        "login",
        r"(?:\s|\\n){1,8}[^\s\\]{1,100}(?:\s|\\n){1,8}password(?:\s|\\n){1,8}(?P<secret>[^\s\\\"']{4,200})",
    ),
    *(
        Place("pgpass-password", anchor, r"[^:\s*]{1,80}:[^:\s]{1,80}:(?P<secret>[^\s:*`'\"]{4,200})")
        for anchor in (":5432:", ":5433:", ":6432:", ":*:")
    ),
    Place(
        "kubernetes-secret",
        "kind: secret",
        r"(?=\s)(?:(?!\n---)[\s\S]){0,600}?\n(?:data|stringData):[ \t]{0,8}\n"
        r"(?P<secret>(?:[ \t]{1,8}[\w.\-]{1,100}:[ \t]{0,8}\S[^\n]{0,20000}+\n?){1,60}+)",
    ),
    Place(
        "kubernetes-secret",
        "\ndata:",
        r"[ \t]{0,8}\n(?P<secret>(?:[ \t]{1,8}[\w.\-]{1,100}:[ \t]{0,8}[A-Za-z0-9+/=]{8,20000}+[ \t]{0,8}\n){1,60}+)"
        r"(?=[\s\S]{0,1500}?kind:[ ]Secret)",
    ),
    Place("kubeadm-token", "--token ", r"(?P<secret>[a-z0-9]{6}\.[a-z0-9]{16})"),
    *(
        Place("password-hash", anchor, tail)
        for anchor, tail in (
            *((f"$2{letter}$", r"(?P<secret>\d\d\$[A-Za-z0-9./]{53})") for letter in "abxy"),
            *(
                (f"${digit}$", r"(?P<secret>(?:rounds=\d{1,9}\$)?[A-Za-z0-9./]{2,16}\$[A-Za-z0-9./]{22,86})")
                for digit in "156"
            ),
            ("$y$", r"(?P<secret>[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{16,30}\$[A-Za-z0-9./]{40,})"),
            ("$apr1$", r"(?P<secret>[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22})"),
            ("$argon2", r"(?P<secret>(?:id|i|d)\$v=\d{1,4}\$[mtp=\d,]{8,40}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{20,})"),
            ("pbkdf2_sha", r"(?P<secret>(?:1|256|512)\$\d{3,9}\$[A-Za-z0-9]{6,90}\$[A-Za-z0-9+/=]{20,})"),
            ("$krb5", r"(?P<secret>(?:tgs|asrep|pa)\$\d\d?\$[^\s'\"]{40,})"),
            ("{ssha", r"(?P<secret>(?:256|512)?\}[A-Za-z0-9+/=]{20,})"),
        )
    ),
    Place("private-key", "private-lines:", r"[ ]?\d{1,3}\s{1,4}(?P<secret>(?:[A-Za-z0-9+/=]{8,80}\s{0,4}){1,200}+)"),
    Place("private-key", "---- begin ssh2 encrypted private key ----", r"\s(?P<secret>[^\-]{40,20000}+)"),
    *(Place("private-key", anchor, r"(?P<secret>[A-Za-z0-9_\-]{40,2000})\"", True) for anchor in ('"d":"', '"d": "')),
    *(
        Place("seed-phrase", anchor, r"(?: is)?[\s:=\"'：是]{1,8}(?P<secret>(?:[a-z]{3,8}[ ,]{1,2}){11,23}+[a-z]{3,8})")
        for anchor in ("seed phrase", "mnemonic", "recovery phrase", "助记词")
    ),
)
