"""Patterns that no automaton of ours says exactly: ones that match more, which it does say."""

from __future__ import annotations

from typing import Final

from .regex import ANY, Tree, certain_groups, is_regular

__all__ = ["widened"]

_MANY: Final = 64
_ALL: Final[Tree] = ("rep", ("chars", ANY), 0, None)


def widened(tree: Tree) -> Tree | None:
    """Return a tree that automata know, and that matches at least what this one matches.

    None where nothing of the kind is at hand: behind a negative assertion more would be less.
    """
    groups: dict[int, Tree] = {}
    _collect(tree, groups)
    return _widened(tree, groups, certain_groups(tree))


def _collect(tree: Tree, groups: dict[int, Tree]) -> None:
    for part in tree[1:]:
        if isinstance(part, tuple):
            for inside in part if tree[0] in ("cat", "alt") else (part,):
                if inside and isinstance(inside[0], str):
                    _collect(inside, groups)
    if tree[0] == "group":
        groups[tree[1]] = tree[2]


def _widened(tree: Tree, groups: dict[int, Tree], certain: frozenset[int]) -> Tree | None:
    kind = tree[0]
    if kind == "property":
        return ("chars", ANY)
    if kind == "back":
        group = groups.get(tree[1], _ALL)
        again = group if is_regular(group) else _ALL
        return again if tree[1] in certain else ("alt", (again, ("cat", ())))
    if kind == "look":
        if is_regular(tree, looking=True):
            return tree
        return None if tree[1] and tree[2] else ("cat", ())
    if kind in ("cat", "alt"):
        parts = [_widened(part, groups, certain) for part in tree[1]]
        return None if None in parts else (kind, tuple(parts))
    if kind == "rep":
        inside = _widened(tree[1], groups, certain)
        most = None if tree[3] is None or tree[3] > _MANY else tree[3]
        return None if inside is None else ("rep", inside, min(tree[2], _MANY), most)
    return _widened(tree[2], groups, certain) if kind == "group" else tree
