"""The sets of tests/bench/redaction.py are as large as they should be, and the redactor passes its bars on them."""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from pathlib import Path
from types import ModuleType

import pytest
from harkback.core.clean import clean
from harkback.core.redact import redact

sys.path.append(str(Path(__file__).parent / "bench"))  # last: tests/engine.py must stay the first of its name
import redaction as bench
import redaction_harmless as harmless
import redaction_places as places
import redaction_secrets as secrets

SEED = 20


def found(case: secrets.Labelled) -> bool:
    return not secrets.leaks(case.secret, redact(clean(case.text)).text)


def test_the_sets_are_large_enough() -> None:
    cases = list(secrets.self_identifying(random.Random(SEED)))
    assert len({case.context for case in cases}) == 10
    assert len({case.label for case in cases}) >= 150
    assert len(cases) >= 10 * 150
    kinds = Counter(case.context for case in harmless.harmless(random.Random(SEED)))
    assert len(kinds) >= 40
    assert kinds.total() >= 1_500


def test_self_identifying_secrets_are_found_in_every_context() -> None:
    by_context: dict[str, list[bool]] = defaultdict(list)
    for case in secrets.self_identifying(random.Random(SEED)):
        by_context[case.context].append(found(case))
    assert {context for context, each in by_context.items() if sum(each) / len(each) < 0.98} == set()


@pytest.mark.parametrize(("module", "make"), [(secrets, "keyword"), (places, "structural")])
def test_secrets_known_by_their_place_are_found(module: ModuleType, make: str) -> None:
    each = [found(case) for case in getattr(module, make)(random.Random(SEED))]
    assert sum(each) / len(each) >= 0.95


def test_the_harmless_stays_as_it_is() -> None:
    altered = Counter(
        case.context for case in harmless.harmless(random.Random(SEED)) if redact(text := clean(case.text)).text != text
    )
    assert altered.total() <= 0.005 * len(harmless.KINDS) * harmless.EACH
    assert not [kind for kind in altered if any(name in kind for name in bench.NEVER)]
