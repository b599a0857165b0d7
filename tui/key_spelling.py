"""Names of keys as people write them in config.toml and as the app knows them; which of them a terminal sends. Pure."""

from __future__ import annotations

import difflib
import string

from textual.binding import Binding
from textual.keys import REPLACED_KEYS, key_to_character

_OTHERWISE = {
    "esc": "escape", "return": "enter", "pgup": "pageup", "page up": "pageup", "page_up": "pageup", "pgdn": "pagedown",
    "pgdown": "pagedown", "page down": "pagedown", "page_down": "pagedown", "del": "delete", "ins": "insert",
    "bs": "backspace", "spacebar": "space", "control": "ctrl", "option": "alt", "cmd": "super", "win": "super",
}  # fmt: skip
_SAME = {
    "ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+left_square_bracket": "escape",
    "ctrl+space": "ctrl+@", "ctrl+at": "ctrl+@",
}  # fmt: skip
"""What a terminal sends for both."""
_MODIFIERS = frozenset(("alt", "ctrl", "shift", "super", "hyper", "meta"))
_MOVING = frozenset(["up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"]).union(
    f"f{n}" for n in range(1, 13)
)
"""Keys that are sent together with any of shift, ctrl and alt, as xterm does it."""
_SINGLE = frozenset(["enter", "escape", "tab", "backspace", "space"]).union(f"f{n}" for n in range(13, 25))
_WITH_CTRL = frozenset(
    (*string.ascii_lowercase, "backslash", "right_square_bracket", "circumflex_accent", "underscore", "@")
)


def spelled(keys: str) -> str:
    """A list of keys, `Esc, ^y, C-r, pgup`, as the app knows them: `escape,ctrl+y,ctrl+r,pageup`."""
    return ",".join(each for name in keys.split(",") if (each := _spelled(name.strip())))


def _spelled(name: str) -> str:
    if len(name) == 2 and name[0] == "^":
        name = f"ctrl+{name[1]}"
    elif len(name) > 2 and name[:2].lower() in ("c-", "m-"):
        name = f"{'ctrl' if name[0] in 'cC' else 'alt'}+{name[2:]}"
    modifiers, _, key = (name[:-1].removesuffix("+"), "", "+") if name.endswith("+") else name.rpartition("+")
    key = key.strip()
    held = {_OTHERWISE.get(each, each) for each in "".join(modifiers.split()).lower().split("+")} - {""}
    if len(key) > 1:
        key = _OTHERWISE.get(key.lower(), key.lower())
    elif held == {"shift"} and key.isalpha():
        key, held = key.upper(), set[str]()
    elif held and key.isupper():  # with ctrl, capitals are the same
        key, held = key.lower(), held | ({"shift"} if "alt" in held else set[str]())
    if len(key) == 1:
        (binding,) = Binding.make_bindings([Binding(key, "")])
        key = binding.key
    whole = "+".join([*sorted(held), key]) if key else ""
    return _SAME.get(whole, whole)


def why_not_sent(key: str) -> str:
    """Why a key, as `spelled` gives it, will never come from most terminals; empty where it will."""
    *modifiers, name = key.split("+")
    held = set(modifiers)
    if not held <= _MODIFIERS or not _is_key(name):
        near = difflib.get_close_matches(name, [*_MOVING, *_SINGLE], 1)
        return f"there is no key {key}{f'; is it {near[0]}?' if near else '.'}"
    sent = (
        (name in _MOVING and held <= {"alt", "ctrl", "shift"})
        or (name in _SINGLE and not held)
        or (key == "shift+tab")
        or (not held and _is_character(name))
        or (held == {"ctrl"} and name in _WITH_CTRL)
        or ("alt" in held and held <= {"alt", "shift"} and name.isascii() and len(name) == 1 and name.isalnum())
    )
    return "" if sent else f"{key} comes only from terminals with the Kitty keyboard protocol."


def is_text(key: str) -> bool:
    """Whether a key, as `spelled` gives it, is a character to type."""
    return key == "space" or ("+" not in key and key not in _MOVING | _SINGLE and _is_character(key))


def _is_key(name: str) -> bool:
    return name in _MOVING or name in _SINGLE or name == "@" or _is_character(name)


def _is_character(name: str) -> bool:
    return key_to_character(REPLACED_KEYS.get(name, name)) is not None
