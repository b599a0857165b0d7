"""config.toml: an error says where and what is allowed, an edit keeps what a person wrote."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

import pytest
from harkback.core.config import (
    MEGABYTE,
    Config,
    ConfigError,
    Limits,
    SourceConfig,
    change,
    get,
    home_folder,
    load,
    parse,
)
from harkback.core.private import Unwritten, make_private, write_private
from hypothesis import given
from hypothesis import strategies as st

WRITTEN = """\
# mine
[sources.claude]   # the main one
enabled = true
roots = [
  "/data/claude",  # the old disk
]

[limits]
preset = "everything"
window_days = 30 # a month

[sources.codex]
enabled = false

[keys]
open = "enter,l"
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "harkback"


def save(home: Path, text: str) -> Path:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_bytes(text.encode())
    return home / "config.toml"


# ---- reading ----


def test_without_a_file_everything_has_its_default(home):
    assert load(home) == Config()
    assert load(home).ticked(["claude", "codex"]) == []
    assert load(home).source("claude") == SourceConfig(enabled=False, roots=())
    save(home, "")
    assert load(home) == Config()


@pytest.mark.parametrize("text", [WRITTEN, "\ufeff" + WRITTEN, WRITTEN.replace("\n", "\r\n")])
def test_a_file_is_read_whatever_its_editor_adds(home, text):
    save(home, text)
    config = load(home)
    assert config.ticked(["codex", "claude", "kimi"]) == ["claude"]
    assert config.source("claude").roots == ("/data/claude",)
    assert config.limits == Limits(preset="everything", window_days=30)
    assert config.keys == {"open": "enter,l"}


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("limits = 3", "limits", "table"),
        ("[limits]\nwindow_days = true", "limits.window_days", "int"),
        ("[limits]\nwindow_days = 'x'", "limits.window_days", "int"),
        ("[limits]\nturns_total = 1.5", "limits.turns_total", "int"),
        ("[limits]\nwindow_days = -1", "limits.window_days", "0 means no limit"),
        ("[limits]\nmegabytes_per_file = 99999999999999999999", "limits.megabytes_per_file", "1,000,000,000"),
        ("[limits]\npreset = 'all'", "limits.preset", "everything, recent"),
        ("[limits]\nfoo = 1", "limits.foo", "turns_per_source"),
        ("foo = 1", "foo", "sources, limits"),
        ("[sources.claude]\nenabled = 1", "sources.claude.enabled", "bool"),
        ("[sources.codex]\n[sources.claude]\nenabled = 'yes'", "sources.claude.enabled", "bool"),
        ("[sources.claude]\nroots = '/x'", "sources.claude.roots", "array"),
        ("[sources.claude]\nroots = [1]", "sources.claude.roots", "str"),
        ("[sources.claude]\nticked = true", "sources.claude.ticked", "enabled, roots"),
        ("sources = []", "sources", "table"),
        ("[sources]\nclaude = true", "sources.claude", "table"),
        ("[keys]\nopen = 1", "keys.open", "str"),
        ("[keys.open]\na = 'b'", "keys.open", "str"),
        ("[retention]\nwhen_source_vanishes = 'drop'", "retention.when_source_vanishes", "forget, keep"),
        ("[interface]\ntheme = 2026-03-01", "interface.theme", "str"),
    ],
)
def test_an_error_names_the_file_the_key_and_what_is_allowed(home, text, key, said):
    path = save(home, text)
    with pytest.raises(ConfigError) as caught:
        load(home)
    message = str(caught.value)
    assert message.startswith(f"{path}: {key}: ")
    assert said in message.removeprefix(f"{path}: {key}: ")
    assert "\n" not in message


@pytest.mark.parametrize("text", ["a = ", "[limits", "a = 1\na = 2", "\0", "x" * 1000])
def test_what_is_no_toml_is_an_error_with_its_place(home, text):
    path = save(home, text)
    with pytest.raises(ConfigError, match=r"line 1|line 2|end of document") as caught:
        load(home)
    assert str(path) in str(caught.value)


def test_a_file_that_cannot_be_read_is_an_error(home):
    path = save(home, "")
    path.write_bytes(b"theme = '\xff'")
    with pytest.raises(ConfigError, match=r"config\.toml can't be read"):
        load(home)
    path.unlink()
    path.mkdir()
    with pytest.raises(ConfigError, match=r"config\.toml can't be read"):
        load(home)


scalars = st.one_of(st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.dates())
keys = st.sampled_from(
    "sources limits retention interface keys claude enabled roots preset window_days theme x".split()
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(keys, values, max_size=4))
def test_any_toml_is_a_configuration_or_an_error(document):
    import tomlkit

    text = tomlkit.dumps(document)
    complaint = ""
    try:
        parse(text, Path("config.toml"))
    except ConfigError as error:
        complaint = str(error)
    assert not complaint or complaint.startswith("config.toml: ")


# ---- limits ----


def test_the_presets_are_what_they_say():
    recent = Limits().effective()
    assert (recent.window_days, recent.turns_per_source, recent.turns_total) == (90, 20_000, 100_000)
    assert recent.text_per_file == 16 * MEGABYTE
    everything = Limits(preset="everything").effective()
    assert (everything.window_days, everything.turns_per_source, everything.turns_total) == (0, 0, 0)
    assert everything.text_per_file == 16 * MEGABYTE


@pytest.mark.parametrize("preset", ["recent", "everything"])
def test_a_limit_of_its_own_wins_over_the_preset(preset):
    own = Limits(preset=preset, window_days=7, turns_per_source=0, turns_total=5, megabytes_per_file=0).effective()
    assert (own.window_days, own.turns_per_source, own.turns_total, own.text_per_file) == (7, 0, 5, 0)


# ---- one setting ----


def test_one_setting_can_be_asked_for_with_its_default(home):
    save(home, WRITTEN)
    config = load(home)
    assert get(config, "limits.window_days") == 30
    assert get(config, "limits.turns_total") is None
    assert get(config, "sources.claude.enabled") is True
    assert get(config, "sources.kimi.enabled") is False
    assert get(config, "retention.when_source_vanishes") == "keep"
    sections = {
        "sources", "limits", "retention", "exclude", "redaction", "semantic", "interface", "basket", "tools", "hook",
        "keys",
    }  # fmt: skip
    assert set(get(config, "")) == sections  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "key", ["nope", "limits.nope", "limits.preset.x", "sources.claude.nope", ".", "limits.", "keys.x"]
)
def test_a_setting_that_does_not_exist_is_an_error(key):
    with pytest.raises(ConfigError, match="there is no setting"):
        get(Config(), key)


# ---- changing ----


def test_a_change_keeps_everything_else_as_it_was_written(home):
    path = save(home, WRITTEN)
    config = change(home, {"limits.window_days": 60, "sources.codex.enabled": True})
    assert config == load(home)
    assert path.read_text() == WRITTEN.replace("window_days = 30 #", "window_days = 60 #").replace(
        "enabled = false", "enabled = true"
    )


def test_a_change_keeps_the_line_ends(home):
    path = save(home, WRITTEN.replace("\n", "\r\n"))
    change(home, {"limits.window_days": 60})
    assert path.read_bytes() == WRITTEN.replace("= 30", "= 60").replace("\n", "\r\n").encode()


def test_a_setting_can_be_added_and_removed(home):
    change(home, {"sources.claude.enabled": True})
    change(home, {"sources.claude.roots": ["/a", "/b"], "sources.kimi.enabled": True, "limits.preset": "everything"})
    assert load(home).ticked(["claude", "codex", "kimi"]) == ["claude", "kimi"]
    assert load(home).source("claude").roots == ("/a", "/b")
    assert "[sources]" not in (home / "config.toml").read_text()
    change(home, {"sources.claude": None, "limits.preset": None})
    assert load(home).ticked(["claude", "kimi"]) == ["kimi"]
    assert load(home).limits == Limits()


@pytest.mark.parametrize("key", ["limits.window_days", "sources.goose.enabled", "retention.when_source_vanishes"])
def test_removing_what_is_not_there_changes_nothing(home, key):
    path = save(home, '# mine\n[interface]\ntheme = "nord"\n')
    before = path.read_bytes()
    change(home, {key: None})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "changes",
    [
        {"limits.window_days": -1},
        {"limits.window_days": "soon"},
        {"limits.nope": 1},
        {"nope": 1},
        {"": 1},
        {".": 1},
        {"sources..enabled": True},
        {"limits": 5},
        {"limits.preset.x": 1},
        {"sources.claude.roots.0": "x"},
        {"sources.claude.enabled": 1},
        {"limits.preset": object()},
        {"limits.preset": "\ud800"},
        {"interface.theme": "\ud800"},
        {"limits.window_days": 5, "limits.preset": "some"},
    ],
)
def test_an_invalid_change_leaves_the_file_alone(home, changes):
    path = save(home, WRITTEN)
    with pytest.raises(ConfigError, match=r"config\.toml"):
        change(home, changes)
    assert path.read_bytes() == WRITTEN.encode()
    assert os.listdir(home) == ["config.toml"]  # noqa: PTH208


def test_an_invalid_file_is_never_written_over(home):
    path = save(home, "window = ")
    with pytest.raises(ConfigError):
        change(home, {"limits.window_days": 5})
    assert path.read_text() == "window = "


@given(
    st.dictionaries(
        st.sampled_from(
            "sources.claude.enabled sources.codex.roots sources.kimi limits.window_days limits.preset interface.theme "
            "keys.open retention.when_source_vanishes sources.claude.x".split()
        ),
        st.one_of(
            st.none(), st.booleans(), st.integers(0, 9), st.sampled_from(["everything", "keep"]),
            st.text(max_size=9), st.lists(st.text(max_size=5), max_size=2),
        ),
        max_size=4,
    ),
    st.sampled_from([WRITTEN, "", "sources = {claude = {enabled = true}}\n", 'limits.preset = "recent" # x\n']),
)  # fmt: skip
def test_a_change_is_made_whole_or_not_at_all(tmp_path, changes, before):
    path = save(tmp_path / "home", before)
    try:
        config = change(path.parent, changes)
    except ConfigError:
        assert path.read_bytes() == before.encode()
    else:
        assert load(path.parent) == config
        for key, value in changes.items():
            if value is not None and key.count(".") and not isinstance(value, dict):
                got = get(config, key)
                assert (list(got) if isinstance(got, tuple) else got) == value
        assert all(line in path.read_text() for line in before.splitlines() if line.startswith("#"))


# ---- private ----


def test_what_is_written_is_for_its_owner_alone(home):
    old = os.umask(0)
    try:
        change(home / "deep" / "er", {"sources.claude.enabled": True})
    finally:
        os.umask(old)
    assert mode(home / "deep" / "er" / "config.toml") == 0o600
    assert mode(home) == mode(home / "deep") == mode(home / "deep" / "er") == 0o700


def test_a_half_written_file_left_behind_lends_nothing_to_the_new_one(home):
    make_private(home)
    stale = home / "config.toml.new"
    stale.write_text("half")
    stale.chmod(0o666)
    change(home, {"limits.window_days": 5})
    assert mode(home / "config.toml") == 0o600
    assert not stale.exists()


def test_a_link_at_the_new_files_name_is_not_followed(home, tmp_path):
    make_private(home)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (home / "config.toml.new").symlink_to(victim)
    change(home, {"limits.window_days": 5})
    assert victim.read_text() == "precious"


def test_a_configuration_kept_elsewhere_stays_there(home, tmp_path):
    save(home, WRITTEN).rename(tmp_path / "dotfile")
    (home / "config.toml").symlink_to(tmp_path / "dotfile")
    change(home, {"limits.window_days": 60})
    assert (home / "config.toml").is_symlink()
    assert tomllib.loads((tmp_path / "dotfile").read_text())["limits"]["window_days"] == 60


def test_a_folder_that_is_there_keeps_its_mode(home):
    home.mkdir(mode=0o755)
    make_private(home)
    assert mode(home) == 0o755


def test_what_cannot_be_written_is_an_error_and_changes_nothing(home):
    home.write_text("a file where the folder should be")
    with pytest.raises(ConfigError, match=r"config\.toml can't be"):
        change(home, {"limits.window_days": 5})
    with pytest.raises(Unwritten, match="nothing was changed"):
        write_private(home / "config.toml", "")
    assert home.read_text() == "a file where the folder should be"


# ---- where it is ----


def test_the_home_is_named_by_the_option_then_the_environment_then_the_platform(tmp_path):
    assert home_folder(str(tmp_path / "a"), {"HARKBACK_HOME": str(tmp_path / "b")}) == tmp_path / "a"
    assert home_folder(None, {"HARKBACK_HOME": str(tmp_path / "b")}) == tmp_path / "b"
    assert home_folder("~/hb", {}) == Path.home() / "hb"
    assert home_folder("hb", {}) == Path.cwd() / "hb"
    assert home_folder("", {"HARKBACK_HOME": ""}).name == "harkback"
    assert home_folder(None, {}).is_relative_to(tmp_path)


def test_the_home_of_nobody_is_an_error():
    with pytest.raises(ConfigError, match="~nobody-of-that-name/x"):
        home_folder("~nobody-of-that-name/x", {})


def test_a_list_keeps_its_comments_when_a_line_comes_or_goes(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[exclude]\npatterns = [\n  # of my employer\n  "~/work",\n  "title:secret",  # no one else\n]\n')
    change(tmp_path, {"exclude.patterns": ["~/work", "title:secret", "~/tax"]})
    text = path.read_text()
    assert "# of my employer" in text
    assert "# no one else" in text
    assert list(load(tmp_path).exclude.patterns) == ["~/work", "title:secret", "~/tax"]
    change(tmp_path, {"exclude.patterns": ["title:secret", "~/tax"]})
    text = path.read_text()
    assert "# of my employer" in text
    assert "# no one else" in text
    assert list(load(tmp_path).exclude.patterns) == ["title:secret", "~/tax"]
    change(tmp_path, {"exclude.patterns": ["~/tax", "title:secret"]})
    assert list(load(tmp_path).exclude.patterns) == ["~/tax", "title:secret"]
