"""Text that would do something to a terminal, an interface or a shell, if it were let through."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

from test_clean import unsafe

SHARED = Path(__file__).parents[1].parent / "shared" / "reference" / "terminal_vectors.json"
ESC, BEL, ST = "\x1b", "\x07", "\x1b\\"
_BASE64 = base64.b64encode(b"echo planted").decode()
OWN = (
    # what writes the clipboard, the title, links, notices, files; what asks for something back
    f"{ESC}]52;c;{_BASE64}{BEL}", f"{ESC}]52;p;{_BASE64}{ST}", f"{ESC}]0;another title{BEL}", f"{ESC}]2;title{ST}",
    f"{ESC}]8;;file:///bin/sh{ST}here{ESC}]8;;{ST}", f"{ESC}]9;log in again{BEL}", f"{ESC}]777;notify;a;b{BEL}",
    f"{ESC}]99;i=2;hello{ST}", f"{ESC}]1337;File=name=YQ==:YQ=={BEL}", f"{ESC}]4;7;?{BEL}", f"{ESC}]11;#000{BEL}",
    f"{ESC}]133;A{BEL}", f"{ESC}]50;?{BEL}", f"{ESC}]0;never ended", f"{ESC}]52;c;{_BASE64}",
    # what moves, erases, hides, repeats, switches
    f"{ESC}[2J{ESC}[3J{ESC}[H", f"{ESC}[9A\rnothing to see{ESC}[K", f"{ESC}[?1049l", f"{ESC}[?1002h{ESC}[?1005h",
    f"{ESC}[?2004l", f"{ESC}[21t", f"{ESC}[3;9;9t", f"{ESC}[>27u", f"{ESC}[8mconcealed{ESC}[28m", f"{ESC}[5;7r",
    f"B{ESC}[888888888b", f"{ESC}[{';'.join('4' * 900)}m", f"{ESC}{ESC}[0m[2J", f"{ESC}[31", f"{ESC}[6n", f"{ESC}[c",
    f"{ESC}P$q q{ST}", f"{ESC}Ptmux;{ESC}{ESC}]52;c;{_BASE64}{BEL}{ST}", f"{ESC}_Gi=1;AAAA{ST}", f"{ESC}_open",
    f"{ESC}^private{ST}", f"{ESC}Xstart{ST}", f"{ESC}c", f"{ESC}#8", f"{ESC}(0qqq", f"{ESC}7{ESC}8", f"end {ESC}",
    f"{ESC}[201~rm -r x\n", "\x9b3J", "\x9d0;c1 title\x9c", "\x90q\x9c", "\x9fc1\x9c", "\x85", "\x0e\x0f", "\x00",
    "a\x08\x08b", "visible\rhidden", "\x07" * 30, "a\x0b\x0cb", "\x1a\x18", "\x7f",
    # what reorders, hides or stacks letters
    "if admin\u202e \u2066// no\u2069", "\u2067\u2067open", "\u200e\u200f\u061c", "pass\u200bword\ufeff\u00ad",
    "".join(chr(0xE0000 + ord(each)) for each in "obey"), "a" + "".join(map(chr, range(0xFE00, 0xFE10))),
    "e" + "\u0301" * 400, "\ud800", "\uffff\ufdd0", "\u2028\u2029", "\u3164\u2800\u115f",
    # what an interface takes for markup
    "[/]", "[/bold]", "[red]", "[etc]", "[link=http://x.test]y[/link]", "[@click=app.quit]z[/]", "[", "]", "\\[x]\\",
    "[@click=\"app.bell\"]", "$ansi{red}", "{0}{x!r}", "%s%n", "![i](http://x.test/i.png)", "<script>x</script>",
    "```\n# not a heading\n```", "=HYPERLINK(\"http://x.test\")",
    # what a shell takes for commands
    "$(touch planted)", "`touch planted`", "; touch planted #", "' || touch planted '", "-rf", "--help", "../../x",
    "a\ntouch planted",
)  # fmt: skip


def vectors() -> list[str]:
    """Ours, and the shared ones where they are."""
    shared = json.loads(SHARED.read_text("utf-8")) if SHARED.exists() else []
    return [*OWN, *(each["payload"] for each in shared)]


def assert_harmless(shown: str | bytes, where: object = "") -> None:
    """No control, bidi or invisible character is in it; what is no UTF-8 counts as one."""
    text = shown if isinstance(shown, str) else shown.decode("utf-8", "surrogateescape")
    assert not (found := unsafe(text)), (where, found[:5], text[max(0, text.find(found[0]) - 40) :][:80])


def without_styles(shown: str) -> str:
    """Without the styles that the command line itself sets on a terminal."""
    return re.sub(r"\x1b\[(?:0|1|4|1;4|22|24)m", "", shown)
