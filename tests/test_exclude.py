"""Rules of exclusion: what they may be, what they match, what is on the fixed list; no text makes them fail or slow."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from harkback.core import title_pattern as titles
from harkback.core.config import ConfigError, parse
from harkback.core.exclude import KINDS, LONGEST_RULE, MOST_RULES, BadRule, Rules, is_secret
from harkback.core.glob import Glob, matches
from harkback.core.title_pattern import title_pattern
from hypothesis import example, given
from hypothesis import strategies as st

HOME = Path("/home/ann")
CONFIG = Path("/somewhere/config.toml")


# ---- path patterns ----


@pytest.mark.parametrize(
    ("pattern", "path", "hidden"),
    [
        ("~/work/secret/**", "/home/ann/work/secret/a.jsonl", True),
        ("~/work/secret/**", "/home/ann/work/secret/deep/er/a.jsonl", True),
        ("~/work/secret/**", "/home/ann/work/secrets/a.jsonl", False),
        ("~/work/secret", "/home/ann/work/secret/a.jsonl", True),
        ("~/work/secret/", "/home/ann/work/secret", True),
        ("~/work/secret", "/home/bob/work/secret/a.jsonl", False),
        ("~", "/home/ann/anything", True),
        ("**/client-x/**", "/srv/data/client-x/2024/a.jsonl", True),
        ("**/client-x/**", "/client-x/a.jsonl", True),
        ("**/client-x/**", "/srv/client-xy/a.jsonl", False),
        ("client-x", "/srv/client-x/a.jsonl", True),
        ("client-x/b", "/srv/client-x/c/b", False),
        ("/srv/*/a.jsonl", "/srv/one/a.jsonl", True),
        ("/srv/*/a.jsonl", "/srv/one/two/a.jsonl", False),
        ("/srv/**/a.jsonl", "/srv/one/two/a.jsonl", True),
        ("/srv/**/a.jsonl", "/srv/a.jsonl", True),
        ("/srv/**/b/**/c", "/srv/b/x/b/y/c", True),
        ("/srv/**/b/*/c", "/srv/b/x/y/b/z/c", True),
        ("/srv/a?c", "/srv/abc", True),
        ("/srv/a?c", "/srv/ac", False),
        ("/srv/[ab]*.jsonl", "/srv/bob.jsonl", True),
        ("/srv/[!ab]*.jsonl", "/srv/bob.jsonl", False),
        ("*.jsonl", "/srv/one/two.jsonl", True),
        ("/srv/caf\N{LATIN SMALL LETTER E WITH ACUTE}", "/srv/cafe\N{COMBINING ACUTE ACCENT}/a", True),
        ("/srv/./x//y", "/srv/x/y", True),
        ("**", "/anything", True),
        ("/srv/[", "/srv/[", True),
    ],
)
def test_a_path_pattern_matches_a_path_or_a_folder_above_it(pattern: str, path: str, hidden: bool) -> None:
    assert Rules([pattern], HOME).hide_file("claude", path) is hidden


def test_a_file_name_that_is_no_text_can_be_matched() -> None:
    path = os.fsdecode(b"/srv/client-x/\xff\n.jsonl")
    assert Rules(["**/client-x/**"], HOME).hide_file("claude", path)
    assert Rules(["/srv/*/*.jsonl"], HOME).hide_file("claude", path)


def test_a_pattern_through_a_linked_folder_matches_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real" / "secret").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for pattern in (f"{tmp_path}/link/secret", f"{tmp_path}/link/*/a"):
        assert Rules([pattern], tmp_path).hide_file("claude", f"{tmp_path}/real/secret/a")
        assert Rules([pattern], tmp_path).hide_file("claude", f"{tmp_path}/link/secret/a")
    assert Rules(["~/secret"], tmp_path / "link").hide_file("claude", f"{tmp_path}/real/secret/a")


def test_signs_in_the_name_of_the_home_folder_mean_themselves() -> None:
    assert Rules(["~/x"], Path("/home/a[n]n*")).hide_file("claude", "/home/a[n]n*/x")
    assert not Rules(["~/x"], Path("/home/a[n]n*")).hide_file("claude", "/home/ann/x")


def slowly(pattern: list[str], path: list[str]) -> bool:
    """Every way there is: the plain meaning of names and `**`."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(slowly(pattern[1:], path[at:]) for at in range(len(path) + 1))
    return bool(path) and pattern[0] == path[0] and slowly(pattern[1:], path[1:])


@given(st.lists(st.sampled_from(["a", "b", "**"]), max_size=7), st.lists(st.sampled_from(["a", "b"]), max_size=8))
@example(["**", "a", "**", "b"], ["a", "b", "a"])
def test_names_match_as_if_every_way_were_tried(pattern: list[str], path: list[str]) -> None:
    assert Glob("/" + "/".join(pattern)).covers(path) == slowly([*pattern, "**"], path)


@pytest.mark.parametrize("path", [["a"] * 400, ["a"] * 399 + ["b"]])
def test_a_pattern_of_many_stars_takes_no_more_comparisons_than_names_times_names(path: list[str]) -> None:
    asked = [0]

    def name(text: str) -> bool:
        asked[0] += 1
        return text == "a"

    def never(text: str) -> bool:
        asked[0] += 1
        return False

    wanted = [None, name, name] * 20 + [never]
    assert not matches(wanted, path)
    assert 400 <= asked[0] <= len(wanted) * len(path)


def test_stars_in_one_name_do_not_multiply() -> None:
    """Each star is settled at its first fit (an atomic group): otherwise this would not end."""
    assert not Rules(["/srv/" + "*a" * 200 + "b"], HOME).hide_file("claude", "/srv/" + "a" * 250)


# ---- the fixed list ----

SECRETS = [
    ".env", ".env.local", ".ENV", "my-credentials.json", "Credentials", "server.pem", "server.key", "a.p12", "a.pfx",
    "a.kdbx", "a.jks", "A.PEM", "id_ed25519", "id_rsa.jsonl", ".netrc", ".npmrc", ".pypirc", ".pgpass",
    ".git-credentials", ".ssh/config", ".gnupg/a/b", ".aws/config", ".azure/x", ".gcloud/x", ".kube/config",
    ".docker/config.json", ".password-store/a.gpg", "Library/Keychains/login.jsonl",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRETS)
def test_what_holds_keys_is_on_the_list(name: str) -> None:
    assert is_secret(f"/home/ann/{name}")


@pytest.mark.parametrize(
    "name", ["env.jsonl", "a.pem.jsonl", "grid_x.jsonl", "-home-ann--ssh/a.jsonl", "sshd/a", "x.keys"]
)
def test_what_only_sounds_like_it_is_not(name: str) -> None:
    assert not is_secret(f"/home/ann/.claude/projects/{name}")


# ---- rules ----

BAD = {
    "": "empty",
    "  ": "empty",
    "title:": "nothing stands after",
    "title:(": "not a regular expression",
    "title:(a+)+$": "a repeat of a repeat",
    "title:" + "a" * 201: "longer than 200",
    "titel:x": "there is no kind `titel`",
    "session:abc": "session:claude:ID",
    "session:claude:": "session:claude:ID",
    "~bob/x": "only your own home",
    "project:~bob/x": "only your own home",
    "~/work/../x": "`..` is not allowed",
    "a\nb": "control character",
    "a\udcffb": "no text",
    "x" * (LONGEST_RULE + 1): "longer than 500",
}


@pytest.mark.parametrize("rule", BAD, ids=repr)
def test_a_rule_that_cannot_be_used_says_file_key_and_reason(rule: str) -> None:
    with pytest.raises(BadRule, match=re.escape(BAD[rule])):
        Rules([rule], HOME)
    if "\udcff" not in rule:
        with pytest.raises(ConfigError, match=f"^{CONFIG}: exclude.patterns: .*{re.escape(BAD[rule])}"):
            parse(f"[exclude]\npatterns = [{json.dumps(rule)}]", CONFIG)


def test_rules_are_a_list_of_strings() -> None:
    assert parse('[exclude]\npatterns = ["~/x", "title:y"]', CONFIG).exclude.patterns == ("~/x", "title:y")
    for wrong, why in (
        ('patterns = "x"', "exclude.patterns"),
        ("patterns = [1]", "exclude.patterns"),
        ("x = 1", "key `x`"),
    ):
        with pytest.raises(ConfigError, match=why):
            parse(f"[exclude]\n{wrong}", CONFIG)
    with pytest.raises(BadRule, match="more than"):
        Rules(["x"] * (MOST_RULES + 1))


RULES = st.builds(
    "{}{}".format,
    st.sampled_from(["", *(f"{kind}:" for kind in KINDS), "session:a:", "~/", "/"]),
    st.text(st.sampled_from("ab*?+{}[](|)\\.^$,1290!-/~:i<=>P&#") | st.characters(), max_size=40),
)


@given(st.lists(RULES, min_size=1, max_size=3), st.text(max_size=30))
def test_no_rule_raises_anything_but_what_it_should(rules: list[str], text: str) -> None:
    try:
        known = Rules(rules, HOME)
    except BadRule:
        return
    for value in (text, "a" * 300, "/a/ab/" * 30):
        assert known.hide_file("a", value) in (True, False)
        assert known.hide_session("a", value, value, value) in (True, False)


@given(st.text(max_size=60) | RULES)
def test_no_configuration_raises_anything_but_a_config_error(rule: str) -> None:
    text = f"[exclude]\npatterns = [{json.dumps(rule)}]"
    with suppress(ConfigError):
        assert parse(text, CONFIG).exclude.patterns == (rule,)


# ---- regular expressions ----


@pytest.mark.parametrize(
    "slow",
    [
        "(a+)+b", "(a*)*b", "(a|a)*b", "(a|ab|b)+c", "(?:a{1,9}){1,9}b", "((a?)b?)*c", "(.*)*", "(a+){20}b",
        ".*.*.*x", "a?" * 20 + "a" * 20, r"(a)\1", r"(?P<n>a)(?P=n)", "(?=a+)a", "(?<=a)b", "(?s).*", "(?#x)a",
        "x{300}", "x{0,1000}", "(?:){1000000}", "[a-z]+[a-z]+[a-z]+1", "(a|b)" * 17, "(x+x+)+y", "(a+|b)*",
    ],
)  # fmt: skip
def test_an_expression_that_could_take_for_ever_is_refused(slow: str) -> None:
    with pytest.raises(ValueError, match="allowed"):
        title_pattern(slow)


@pytest.mark.parametrize(
    ("expression", "title", "found"),
    [
        ("salary", "About my Salary", True),
        ("^salary", "About my salary", False),
        ("salary|pay ?slip", "The payslip of May", True),
        (r"\bhr\b", "ask HR now", True),
        (r"\bhr\b", "chrome", False),
        ("client.*offer.*draft", "client: the offer, a first draft", True),
        (r"[]x]\d{4}-\d{2}", "]2026-11", True),
        ("[^]x]1", "]1", False),
        ("(?:red|blue) team", "the blue team", True),
        (r"\(draft\)", "x (draft)", True),
        ("工资", "关于工资的问题", True),
        ("a{,2}b{2,}", "abbb", True),
        ("{x}", "{x}", True),
        ("a+?b++c", "aabbc", True),
        ("(ab)+c", "ababc", True),
    ],
)
def test_an_expression_finds_titles(expression: str, title: str, found: bool) -> None:
    assert title_pattern(expression)(title) is found


def test_only_the_beginning_of_a_title_is_looked_at() -> None:
    assert title_pattern("x")("a" * (titles.LONGEST - 1) + "x")
    assert not title_pattern("x")("a" * titles.LONGEST + "x")


EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", r"\w", "^", "$"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=1, max_size=3).map("|".join).map("({})".format),
        st.builds("(?:{}){}".format, inner, st.sampled_from(["*", "+", "?", "{2,5}", "*?", "{3}"])),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_an_expression_that_is_taken_has_few_ways_to_match(expression: str) -> None:
    """The ways are counted a second time, on Python's own parse of the expression."""
    try:
        title_pattern(expression)
    except ValueError:
        return
    assert ways(re._parser.parse(expression)) <= titles.MOST_WAYS  # type: ignore[attr-defined]


def ways(tree: Any) -> int:
    """In how many ways an expression can go through a text of 200 characters, at most."""
    product = 1
    for operation, value in tree:
        match str(operation):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most = value[0], min(int(value[1]), titles.LONGEST)
                inside = ways(value[2])
                product *= most - least + 1 if inside == 1 else sum(inside**count for count in range(least, most + 1))
            case "BRANCH":
                product *= sum(map(ways, value[1]))
            case "SUBPATTERN":
                product *= ways(value[3])
            case _:
                pass
    return product
