"""What the names of secrets are in many languages, and how much a name says about its value."""

from __future__ import annotations

import re
from functools import lru_cache

from .redact_values import Strength, is_random


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PASSWORD_WORDS = (
    *(
        "mot de passe",
        "contraseña",
        "contrasena",
        "senha",
        "parola",
        "parola d'ordine",
        "kennwort",
        "wachtwoord",
        "lösenord",
    ),
    *(
        "salasana",
        "adgangskode",
        "heslo",
        "hasło",
        "şifre",
        "jelszó",
        "lozinka",
        "mật khẩu",
        "kata sandi",
        "clave",
        "mdp",
    ),
    *("парол", "κωδικός", "סיסמה", "كلمة المرور", "كلمة السر", "पासवर्ड", "รหัสผ่าน"),
    *("密码", "密碼", "口令", "パスワード", "暗証番号", "パスフレーズ", "비밀번호", "비번", "패스워드", "암호"),
)
_SECRET_WORDS_ABROAD = (
    *(
        "jeton",
        "jeton d'accès",
        "geheimnis",
        "secreto",
        "segredo",
        "clé secrète",
        "clé api",
        "clé d'api",
        "clave secreta",
        "clave api",
        "clave de api",
        "chave de api",
        "chave da api",
        "chave api",
        "api-schlüssel",
        "api schlüssel",
    ),
    *("токен", "секрет", "ключ api", "ключ доступа"),
    *("密钥", "密鑰", "秘钥", "令牌", "私钥", "私鑰", "凭证", "授权码", "トークン", "秘密鍵", "シークレット"),
    *("apiキー", "アクセスキー", "토큰", "비밀키", "시크릿", "api 키", "액세스 키"),
)
FIELD_ANCHORS = (
    *("pass", "pwd", "pw", "secret", "token", "key", "credential", "authorization", "auth", "seed"),
    *_PASSWORD_WORDS,
    *_SECRET_WORDS_ABROAD,
)
"""In lower case; a field is looked for where one of them stands."""

_PASSWORD_ENDINGS = ("password", "passwd", "passphrase", "passcode", "passwort", "pwd", "storepass", "keypass")
_SECRET_ENDINGS = ("secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "authkey", "accountkey")
_SECRET_WORDS = frozenset({"credential", "credentials", "authorization"})
_RANDOM_WORDS = frozenset({"auth", "seed", "passkey"})
_SECRET_KEYS = _words(
    "api access secret private encryption encrypt signing sign master auth account service shared storage admin app"
    " application client consumer server deploy subscription webhook integration ingestion license hmac aes jwt user"
)
_NO_SECRET_KEYS = _words(
    "public pub primary foreign sort sorting partition hash range cache session routing idempotency idempotent unique"
    " composite surrogate natural group map dict object index row column lookup translation i18n message query hot"
    " short shortcut arrow enter registry dedupe dedup bucket thread conversation host keyboard any each"
)
_NO_SECRET_TOKENS = _words(
    "next previous prev page continuation pagination cursor sync csrf xsrf cancellation cancel stop start end eos bos"
    " pad unk mask special per input output prompt completion last first current design color syntax"
)
_AFTERTHOUGHTS = _words(
    "base value val prod production dev test testing staging stage live main old new b64 base64 env header"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@lru_cache(4096)
def strength_of(word_before: str, name: str) -> Strength | None:
    """What a name says of its value, itself and with the word before it; None: it names no secret."""
    if len(name) >= 20 and is_random(name):
        return None
    lowered = name.lower()
    if lowered.endswith(_PASSWORD_WORDS) and not _is_part_of_word(lowered, _PASSWORD_WORDS):
        return "password"
    if lowered.endswith(_SECRET_WORDS_ABROAD) and not _is_part_of_word(lowered, _SECRET_WORDS_ABROAD):
        return "secret"
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and (words[-1] in _AFTERTHOUGHTS or words[-1].isdigit() or len(words[-1]) == 1):
        words.pop()
    if not words:
        return None
    last, before = words[-1], words[-2] if len(words) > 1 else word_before.lower()
    if last.endswith(_PASSWORD_ENDINGS) or last == "pw" or (last == "pass" and len(words) > 1):
        return "password"
    if last == "pass":
        return "pass"
    if last.endswith(_SECRET_ENDINGS) or last in _SECRET_WORDS:
        return None if last == "token" and before in _NO_SECRET_TOKENS else "secret"
    if last in _RANDOM_WORDS:
        return "key"
    if last != "key" or before in _NO_SECRET_KEYS:
        return None
    in_environment = name.isupper() and len(words) > 1
    return "secret" if before in _SECRET_KEYS or in_environment else "key"


def _is_part_of_word(name: str, words: tuple[str, ...]) -> bool:
    """Whether what a name ends with only ends a longer word, as in "enclave"."""
    before = name[: -max(len(word) for word in words if name.endswith(word))]
    return before[-1:].isascii() and before[-1:].isalpha() and not name.endswith("kennwort")
