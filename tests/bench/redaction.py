"""How many planted secrets the redactor finds, what it masks by mistake, and how fast it reads: a few tables.

    python tests/bench/redaction.py [--show N] [--seed N]

The sets are made up at run time from shapes. A secret counts as found when no eight characters in a row of it are left.
Ends with 1 when a figure misses its bar.
"""

from __future__ import annotations

import argparse
import random
import sys
import sysconfig
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from harkback.core.clean import clean
from harkback.core.redact import redact
from redaction_harmless import CHINESE, CODE, SENTENCES, harmless, ident, words_of
from redaction_places import structural
from redaction_secrets import Labelled, keyword, leaks, self_identifying

BARS = {"self-identifying": 0.98, "keyword": 0.95, "structural": 0.95}
MOST_FALSE = 0.005
NEVER = ("UUID", "SHA", "SRI", "agent id", "identifier", "base64 image")
FAST, SLOWEST = 15.0, 0.5
WORST = [
    "eyJ",
    "-eyJaaaaaaaaaa",
    ".eyJaaaaaaaaaa.",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN ",
    "password=",
    'password="',
    "token: ",
    "key:",
    "sk-",
    "-sk-a1B",
    "ghp_",
    "xoxb-",
    "://",
    "://a:b",
    "curl -u a:b",
    "[redacted:token] = ",
    "密码是",
    'password\\"',
    "1:",
    "a",
    "Aa1",
    "=Aa1",
    '"key": "Aa1b',
    "secret ",
    "Cookie: a=",
    "&sig=",
    "-p ",
    "auth",
    "\\u0022token",
    "printf '",
    "echo x | ",
    "AKIA",
    "pass pass",
    "passwort ist ",
    "token is ",
    "x=y ",
    '{"k":"v"}',
    "EAAA",
    "/+",
    "aA0_-",
    "pw=",
    "clave de api",
    "mot de passe",
    "signkey-prod-a1B",
    "key for a ",
    "kind: secret\n",
]


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--show", type=int, default=0, help="so many misses of each tier")
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    rng = random.Random(given.seed)
    good = recall(self_identifying(rng), given.show)
    good &= recall(keyword(rng), given.show)
    good &= recall(structural(rng), given.show)
    good &= false_alarms(harmless(rng), given.show)
    good &= speed(rng)
    return 0 if good else 1


def masked(text: str) -> str:
    return redact(clean(text)).text


def recall(cases: Iterable[Labelled], show: int) -> bool:
    by_context: dict[str, list[bool]] = defaultdict(list)
    missed: list[Labelled] = []
    labels: set[str] = set()
    for case in cases:
        found = not leaks(case.secret, masked(case.text))
        by_context[case.context].append(found)
        labels.add(case.label)
        if not found:
            missed.append(case)
    tier = next(iter(missed), case).tier
    count = sum(map(len, by_context.values()))
    share = sum(map(sum, by_context.values())) / count
    print(f"{tier}: {count} of {len(labels)} shapes, {share:.3f} found, bar {BARS[tier]}")
    for context, found in by_context.items():
        print(f"    {context:16} {sum(found) / len(found):.3f}  {len(found)}")
    for case in missed[:show]:
        print(f"    missed: {case.context} | {case.label} | {masked(case.text)[:220]!r}")
    worst = min(sum(found) / len(found) for found in by_context.values())
    return (worst if tier == "self-identifying" else share) >= BARS[tier]


def false_alarms(cases: Iterable[Labelled], show: int) -> bool:
    altered: dict[str, list[bool]] = defaultdict(list)
    shown: list[str] = []
    for case in cases:
        cleaned = clean(case.text)
        after = redact(cleaned).text
        altered[case.context].append(after != cleaned)
        if after != cleaned:
            shown.append(f"    altered: {case.context} | {cleaned[:120]!r} -> {after[:120]!r}")
    count, wrong = sum(map(len, altered.values())), sum(map(sum, altered.values()))
    print(f"harmless: {count} in {len(altered)} kinds, {wrong} altered ({wrong / count:.4f}), bar {MOST_FALSE}")
    for kind, each in altered.items():
        if any(each):
            print(f"    {kind:28} {sum(each)} of {len(each)}")
    for line in shown[:show]:
        print(line)
    strict = sum(sum(each) for kind, each in altered.items() if any(name in kind for name in NEVER))
    return wrong / count <= MOST_FALSE and not strict


def speed(rng: random.Random) -> bool:
    messages = chat(rng, 4_000_000)
    size = sum(len(message.encode()) for message in messages) / 1e6
    for message in messages[:50]:
        redact(message)
    fast = max(size / seconds(lambda: [redact(message) for message in messages]) for _ in range(3))
    marks = sum(sum(redact(message).counts.values()) for message in messages)
    print(f"chat text: {size:.1f} MB, {fast:.1f} MB/s, bar {FAST}; {marks / size:.2f} marks a MB")
    speeds: list[tuple[float, str]] = []
    for piece in WORST:
        text = piece * (300_000 // len(piece))
        speeds.append((len(text.encode()) / 1e6 / seconds(lambda text=text: redact(text)), piece))
    speeds.sort()
    print("slowest: " + ", ".join(f"{speed:.2f} MB/s {piece!r}" for speed, piece in speeds[:5]) + f"; bar {SLOWEST}")
    return fast >= FAST and speeds[0][0] >= SLOWEST


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def chat(rng: random.Random, size: int) -> list[str]:
    """Messages of prose, Markdown, code and tool output; the code is what this Python has brought along."""
    folder = Path(sysconfig.get_path("stdlib"))
    files = [path for name in ("asyncio", "email", "json", "http", "logging") for path in (folder / name).glob("*.py")]
    lines = [line for path in sorted(files) for line in path.read_text("utf-8").splitlines()]
    messages: list[str] = []
    total = 0
    while total < size:
        at = rng.randrange(len(lines) - 60)
        parts = [
            " ".join(rng.choices([*SENTENCES, f"I looked into {ident(rng)} and it seems fine to me."], k=6)),
            "```python\n" + "\n".join(lines[at : at + rng.randint(5, 60)]) + "\n```",
            "- " + rng.choice(CODE).format(**words_of(rng)),
            rng.choice(CHINESE) + "。我看了一下日志，问题出在缓存层。",
            "Now the tests pass, and the build is green again; next I will look at the flaky one.",
        ]
        messages.append("\n\n".join(rng.sample(parts, rng.randint(1, 5))))
        total += len(messages[-1])
    return messages


if __name__ == "__main__":
    sys.exit(main())
