"""Readers and validators that are wrong about variants and meaning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.mutants.json_text import Place
from tests.mutants.mutant import fails
from tests.mutants.reader import Kept, Reader, Schema, Taken

# --- variants and meaning ---------------------------------------------------------------------


@fails("EVO-01")
class UnknownVariantsAreRefused(Reader):
    """A tolerant reader refuses a variant that is new."""

    def is_unknown(self, value: Any, schema: Schema) -> bool:
        return False


@fails("EVO-01")
class UnknownVariantsPassStrictly(Reader):
    """A strict reader lets a variant pass that nobody knows."""

    def tagged(self, value: Any, tagged: Schema, at: str) -> Iterator[Place]:
        return (place for place in super().tagged(value, tagged, at) if "variant" not in place[0])


@fails("HIS-11")
class UnknownVariantsAreRewritten(Reader):
    """What a newer peer wrote is written again without what is new in it."""

    def written(self, value: Any, schema: Schema) -> Any:
        if isinstance(value, Kept):
            return {name: value[name] for name in list(value)[:1]}
        return super().written(value, schema)


@fails("HIS-10")
class UnknownVariantsAreDropped(Reader):
    """Parts that are new are dropped from the array that they are in."""

    def written(self, value: Any, schema: Schema) -> Any:
        found = super().written(value, schema)
        return [e for e in found if not isinstance(e, Kept)] if isinstance(found, list) else found


@fails("EVO-02")
class BadBodiesAreUnknown(Reader):
    """A known variant with a bad body is taken for an unknown one."""

    def is_unknown(self, value: Any, schema: Schema) -> bool:
        if super().is_unknown(value, schema):
            return True
        own = self.variant(value, schema) if "discriminator" in schema else None
        return own is not None and any(self.shape(value, own, ""))


@fails("HIS-22")
class UnknownValuesAreSuccess(Reader):
    """A value that nobody knows reads as the first one, which is the good one."""

    def safe(self, value: Any, schema: Schema, at: str, notes: list[Place]) -> Any:
        found = super().safe(value, schema, at, notes)
        return self.take(schema["enum"][0], value, at) if isinstance(found, Taken) else found


@fails("EVO-01")
class SafeDefaultsAreWritten(Reader):
    """A value of a newer peer is overwritten by what it was taken for."""

    def written(self, value: Any, schema: Schema) -> Any:
        return str(value) if isinstance(value, Taken) else super().written(value, schema)


@fails("EVO-01")
class UnknownRolesPass(Reader):
    """A role that is new is taken for the user's."""

    def safe(self, value: Any, schema: Schema, at: str, notes: list[Place]) -> Any:
        return "user" if "user" in schema["enum"] else super().safe(value, schema, at, notes)


@fails("TCI-08")
class TwoCallsMayShareAnId(Reader):
    """Two calls of one message may have the same id."""

    def broken(self, rule: Schema, value: Any) -> Iterator[str]:
        return iter(()) if rule["op"] == "unique" else super().broken(rule, value)


@fails("HIS-03")
class AnyRoleHoldsAnything(Reader):
    """A message may hold parts that its role does not speak."""

    def broken(self, rule: Schema, value: Any) -> Iterator[str]:
        return iter(()) if rule["op"] == "tag-table" else super().broken(rule, value)


@fails("EVO-01")
class RulesJudgeUnknownVariants(Reader):
    """Rules of meaning are held against what nobody knows."""

    def broken(self, rule: Schema, value: Any) -> Iterator[str]:
        plain = {
            name: [dict(e) if isinstance(e, Kept) else e for e in m] if isinstance(m, list) else m
            for name, m in value.items()
        }
        return super().broken(rule, plain)


@fails("EVO-13")
class WarningsAreErrors(Reader):
    """A relation that no document states is made a rule, and every producer breaks."""

    def findings(self, value: Any) -> list[Place]:
        found = super().findings(value)
        doubt = ("session/time-order", "envelope/retry-count", "session/range-order")
        return [("shape/type", at) if rule in doubt else (rule, at) for rule, at in found]
