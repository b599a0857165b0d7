"""What is wrong in a table of config.toml, by its key, and what is allowed there."""

from __future__ import annotations

from typing import Any, Literal, cast, get_args, get_origin

import msgspec


def complaint(value: object, kind: Any, place: tuple[str, ...] = ()) -> str | None:
    """The first key in `value` that is not of its `kind`, a Struct or what one may hold; None when all is well."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        what = str(error).partition(" - at ")[0]
    else:
        return None
    table = kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None
    fields = {each.name: each.type for each in msgspec.structs.fields(table)} if table else {}
    if isinstance(value, dict) and (table or get_origin(kind) is dict):
        for key, inner in cast(dict[str, object], value).items():
            if table and key not in fields:
                return f"{'.'.join((*place, key))}: there is no key `{key}`; known here: {', '.join(fields)}"
            if found := complaint(inner, fields[key] if table else get_args(kind)[1], (*place, key)):
                return found
    what = what[:1].lower() + what[1:].replace("`object`", "a table").replace(" | null", "")
    allowed = f"; allowed: {', '.join(sorted(get_args(kind)))}" if get_origin(kind) is Literal else ""
    return f"{'.'.join(place)}: {what}{allowed}"
