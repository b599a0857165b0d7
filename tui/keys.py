"""Every key of the app, as data: the screens take their bindings from here, and so does the help."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Key:
    """One action and the keys that do it. `id` is its name in config.toml, [keys]."""

    id: str
    keys: str
    action: str
    label: str
    """For the bottom line; empty: only in the help."""
    help: str
    priority: bool = False
    """Done at once, before the widget with the focus has the key: what is typed right behind it goes to where it leads.

    In a text box the key is done too, unless the screen's `check_action` says otherwise.
    """

    def binding(self) -> Binding:
        return Binding(
            self.keys, self.action, self.label, show=bool(self.label), priority=self.priority, id=self.id
        )  # fmt: skip


ANYWHERE = (
    Key("help", "f1", "help", "keys", "these keys (also ? outside the search box)"),
    Key("settings", "f2", "settings", "settings", "settings: sources, exclusions, limits, meaning, privacy"),
    Key("skips", "f3", "skips", "skipped", "what was skipped or left out, and why"),
    Key("basket", "f4", "basket", "basket", "the basket: turns collected for a prompt"),
    Key("timeline", "f6", "timeline", "timeline", "the timeline: sessions day by day"),
    Key("palette", "ctrl+backslash", "command_palette", "", "everything there is to do, by name; themes too"),
    Key("quit", "ctrl+q,ctrl+c", "quit", "", "leave"),
)

SEARCH = (
    Key("open", "enter", "open", "open", "open the conversation at the match", priority=True),
    Key("up", "up,ctrl+p", "move(-1)", "", "previous result"),
    Key("down", "down,ctrl+n", "move(1)", "", "next result"),
    Key("page_up", "pageup", "page(-1)", "", "a page of results up"),
    Key("page_down", "pagedown", "page(1)", "", "a page of results down"),
    Key("next_pane", "tab", "next_pane", "next pane", "complete a filter, else on to results, then conversation"),
    Key("previous_pane", "shift+tab", "previous_pane", "", "back again"),
    Key("back", "escape", "back", "back", "back: out of the conversation, the text, the app"),
    Key("scope", "ctrl+r", "scope", "scope", "everywhere, or only this project"),
    Key("sort", "ctrl+s", "sort", "sort", "best first, or newest first"),
    Key("mode", "ctrl+t", "mode", "", "by words and by meaning, by words alone, by meaning alone"),
    Key("group", "ctrl+g", "group", "group", "one row a session, or one a turn"),
    Key("drop_filter", "ctrl+x", "drop_filter", "", "drop the last filter (with text selected: cut it)"),
    Key("index", "f5", "index", "", "look for new sessions now; while indexing: how far it is, and stop"),
    Key("copy_command", "ctrl+y", "copy_command", "", "copy the command that resumes the session"),
    Key("resume", "ctrl+o", "resume", "resume", "resume the session in its agent"),
)

READING = (
    Key("more", "plus,equals_sign,right", "grow(1)", "more", "more turns on both sides"),
    Key("less", "minus,left", "grow(-1)", "", "fewer turns"),
    Key("whole", "a", "whole", "all", "the whole conversation"),
    Key("next_match", "n", "match(1)", "next match", "next match, on into the next session"),
    Key("previous_match", "N", "match(-1)", "", "previous match"),
    Key("mark", "space", "mark", "to basket", "this turn, or what is selected, into the basket; again: out of it"),
    Key("mark_round", "B", "mark_round", "", "the whole round into the basket; again: out of it"),
    Key("basket_here", "b", "app.basket", "", "open the basket"),
    Key("copy_turn", "y", "copy_turn", "copy", "copy this turn"),
    Key("copy_round", "Y", "copy_round", "", "copy this round: question and answers"),
    Key(
        "find",
        "slash",
        "find",
        "find",
        "find in the conversation (in the results: back to the search box)",
        priority=True,
    ),
    Key("tools", "t", "tools", "", "tool output: all opened, or folded again"),
    Key("branches", "v", "branches", "", "abandoned branches too, or only the active one"),
    Key("agents", "s", "agents", "", "into the sub-agent that started here"),
    Key("parent", "backspace", "parent", "", "back to the session that it came from"),
    Key("keys", "question_mark", "app.help", "", "these keys"),
)

BASKET = (
    Key("basket.copy", "y,enter", "copy", "copy", "copy the prompt"),
    Key("basket.style", "f", "next_style", "format", "quoted Markdown, plain text, fenced, JSON"),
    Key("basket.round", "r", "whole_round", "round", "the whole round in place of the turn, and back"),
    Key("basket.down", "J,alt+down", "shift(1)", "down", "move it down"),
    Key("basket.up", "K,alt+up", "shift(-1)", "up", "move it up"),
    Key("basket.order", "o", "in_order", "order", "in the order in which it was said, session by session"),
    Key("basket.drop", "x,delete", "drop", "drop", "take it out"),
    Key("basket.undo", "u", "undo", "undo", "take back the last change"),
    Key("basket.edit", "e", "edit", "edit", "edit the prompt in $EDITOR"),
    Key("basket.save", "w", "save", "write", "write the prompt to a file"),
    Key("basket.start", "s", "start", "start agent", "start a new session of an agent with the prompt"),
    Key("basket.clear", "C", "clear", "", "empty the basket (asks)"),
    Key("basket.other", "tab,shift+tab", "app.focus_next", "", "from what is in it to the prompt, and back"),
    Key("basket.close", "escape,b,q", "close", "back", "back to the search; the basket is kept"),
)

SETTINGS = (
    Key("settings.tick", "space", "nothing", "tick", "tick, choose, do what the line says"),
    Key("settings.open", "enter", "nothing", "open", "unfold a source; take what was typed"),
    Key("settings.next", "tab,right_square_bracket,ctrl+pagedown", "section(1)", "next page", "next page (also 1-5)"),
    Key("settings.previous", "shift+tab,left_square_bracket,ctrl+pageup", "section(-1)", "", "previous page"),
    Key("settings.remove", "x,delete", "remove", "", "take back a place or a rule"),
    Key("settings.close", "escape", "leave", "back", "back to the search"),
    Key("settings.help", "question_mark", "help", "", "these keys"),
)

TIMELINE = (
    Key("timeline.choose", "enter", "choose", "open", "on to the day's sessions, there to the conversation"),
    Key("timeline.other", "tab,right", "pane(1)", "next pane", "days, sessions, conversation"),
    Key("timeline.previous", "shift+tab,left", "pane(-1)", "", "back again"),
    Key(
        "timeline.filter",
        "slash",
        "filter",
        "filter",
        "by title, project, source: …; in the conversation: find",
        priority=True,
    ),
    Key("timeline.source", "c", "source(1)", "source", "only one source, then the next one, then all again"),
    Key("timeline.source_back", "C", "source(-1)", "", "the same backwards"),
    Key("timeline.search", "f", "search_day", "search day", "search in this day"),
    Key("timeline.to", "d", "go_to", "go to", "go to a day: 2026-03-01, last week, 上周", priority=True),
    Key("timeline.earlier", "right_square_bracket,m", "earlier('month')", "month", "the month before"),
    Key("timeline.later", "left_square_bracket,M", "earlier('-month')", "", "the month after"),
    Key("timeline.week", "w", "earlier('week')", "week", "the week before"),
    Key("timeline.week_later", "W", "earlier('-week')", "", "the week after"),
    Key(
        "timeline.back",
        "escape,q",
        "back",
        "back",
        "back: out of the conversation, the sessions, the filter, the timeline",
    ),
    Key("timeline.leave", "f6", "leave", "", "back to the search; f6 there comes back to this place"),
)

WELCOME = (
    Key("welcome.start", "enter", "start", "start", "read what is ticked, and go on to the search", priority=True),
    Key("welcome.tick", "space", "nothing", "", "tick or untick, choose how far back (↑ ↓ go from line to line)"),
    Key("welcome.all", "a", "all", "all or none", "tick all sources, or none"),
    Key("welcome.where", "w", "where", "where looked", "where those that were not found were looked for"),
    Key("welcome.leave", "escape", "leave", "leave", "leave; nothing is read"),
)

# These come with the widgets; the help names them too.
IN_RESULTS = (
    Key("list.down", "j,down,ctrl+n", "", "", "next result"),
    Key("list.up", "k,up,ctrl+p", "", "", "previous result"),
    Key("list.first", "g,home", "", "", "first result"),
    Key("list.last", "G,end", "", "", "last result"),
    Key("list.choose", "enter", "", "", "open the conversation"),
    Key("list.page_down", "pagedown,ctrl+f,ctrl+v", "", "", "a page down"),
    Key("list.page_up", "pageup,alt+v", "", "", "a page up"),
)
IN_PROMPT = (
    Key("text.down", "j,down,ctrl+n", "", "", "a line down"),
    Key("text.up", "k,up,ctrl+p", "", "", "a line up"),
    Key("text.page_down", "pagedown,ctrl+f,ctrl+v,ctrl+d", "", "", "a page down"),
    Key("text.page_up", "pageup,alt+v,ctrl+u", "", "", "a page up"),
    Key("text.first", "g,home", "", "", "to the beginning"),
    Key("text.last", "G,end", "", "", "to the end"),
)
IN_SETTINGS = (
    Key("column.down", "down,j,ctrl+n", "app.focus_next", "", "next line"),
    Key("column.up", "up,k,ctrl+p", "app.focus_previous", "", "previous line"),
    Key("column.page_down", "pagedown,ctrl+f,ctrl+v", "page(1)", "", "a page down"),
    Key("column.page_up", "pageup,alt+v", "page(-1)", "", "a page up"),
    Key("column.first", "g,home", "edge(-1)", "", "first line"),
    Key("column.last", "G,end", "edge(1)", "", "last line"),
)
IN_CONVERSATION = (
    Key("transcript.next", "j,right_square_bracket", "", "", "next turn"),
    Key("transcript.previous", "k,left_square_bracket", "", "", "previous turn"),
    Key("transcript.next_user", "u", "", "", "next turn of yours"),
    Key("transcript.previous_user", "U", "", "", "previous turn of yours"),
    Key("transcript.first", "g,home", "", "", "first turn"),
    Key("transcript.last", "G,end", "", "", "last turn"),
    Key("transcript.line_down", "down", "", "", "a line down"),
    Key("transcript.line_up", "up", "", "", "a line up"),
    Key("transcript.page_down", "pagedown,ctrl+f,ctrl+v", "", "", "a page down"),
    Key("transcript.page_up", "pageup,alt+v", "", "", "a page up"),
    Key("transcript.half_down", "ctrl+d", "", "", "half a page down"),
    Key("transcript.half_up", "ctrl+u", "", "", "half a page up"),
    Key("transcript.fold", "enter", "", "", "open a folded turn, or fold this one"),
)

GROUPS: tuple[tuple[str, tuple[Key, ...]], ...] = (
    ("Searching", SEARCH),
    ("In the results", IN_RESULTS),
    ("In the conversation", (*IN_CONVERSATION, *READING)),
    ("In the basket", BASKET),
    ("In the basket's prompt", IN_PROMPT),
    ("In the timeline", TIMELINE),
    ("In the settings", (*IN_SETTINGS, *SETTINGS)),
    ("At the first start", WELCOME),
    ("Anywhere", ANYWHERE),
)

KNOWN = frozenset(key.id for _, keys in GROUPS for key in keys)
"""What may stand in config.toml, [keys]."""

PLACES: tuple[tuple[str, tuple[tuple[Key, ...], ...]], ...] = (
    ("in the results", (IN_RESULTS, (*READING, *SEARCH), ANYWHERE)),
    ("in the conversation", (IN_CONVERSATION, (*READING, *SEARCH), ANYWHERE)),
    ("in the basket", (IN_RESULTS, BASKET, ANYWHERE)),
    ("in the basket's prompt", (IN_PROMPT, BASKET, ANYWHERE)),
    ("in the timeline", (IN_RESULTS, TIMELINE, READING, ANYWHERE)),
    ("in the timeline's conversation", (IN_CONVERSATION, TIMELINE, READING, ANYWHERE)),
    ("in the settings", (IN_SETTINGS, SETTINGS, ANYWHERE)),
    ("at the first start", (IN_SETTINGS, WELCOME, ANYWHERE)),
)
"""Keys that are asked at the same time, in the order in which they are: one key does the first of what it is for."""

_NAMES = {
    "plus": "+", "equals_sign": "=", "minus": "-", "slash": "/", "question_mark": "?", "right_square_bracket": "]",
    "left_square_bracket": "[", "right": "→", "left": "←", "up": "↑", "down": "↓", "enter": "↵", "escape": "esc",
    "pageup": "page up", "pagedown": "page down", "ctrl+backslash": "^\\",
}  # fmt: skip


def key_names(keys: str) -> str:
    """`ctrl+y,up` as people write it: `^y ↑`."""
    return " ".join(_NAMES.get(key, key.replace("ctrl+", "^")) for key in keys.split(","))
