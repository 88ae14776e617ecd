"""`Value`: an object around plain content, all of whose operators, attributes and conversions are points.

In: the effects object and the content. Out: an object to compute with. Always true: content never holds the
operand of another Value, so that evaluating it causes no effects but the one that was asked for.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sweep.effects import Effects, show
from sweep.objects import Iterator


class Value:
    """An object around content `x`: every operator, attribute, subscript, conversion and call of it is a
    point.
    """

    def __init__(self, p: Effects, x: Any, **attributes: object) -> None:
        vars(self).update(_p=p, _x=x, _attributes=attributes)

    def _show(self) -> str:
        return f"V({show(self._x)})"

    def _wrap(self, x: object) -> Value:
        return Value(self._p, x)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self._p.point("attr", f"{self._show()}.{name}")
        return self._attributes[name]

    def __setattr__(self, name: str, value: object) -> None:
        self._p.point("effect", f"{self._show()}.{name} = {show(value)}")
        self._attributes[name] = value

    def __delattr__(self, name: str) -> None:
        self._p.point("effect", f"del {self._show()}.{name}")
        del self._attributes[name]

    def __getitem__(self, key: Any) -> Any:
        self._p.point("op", f"{self._show()}[{show(key)}]")
        return self._x[_plain(key)]

    def __setitem__(self, key: Any, value: object) -> None:
        self._p.point("effect", f"{self._show()}[{show(key)}] = {show(value)}")
        self._x[_plain(key)] = value

    def __delitem__(self, key: Any) -> None:
        self._p.point("effect", f"del {self._show()}[{show(key)}]")
        del self._x[_plain(key)]

    def __contains__(self, item: object) -> bool:
        self._p.point("op", f"{show(item)} in {self._show()}")
        return _plain(item) in self._x

    def __iter__(self) -> Iterator:
        self._p.point("effect", f"iter {self._show()}")
        return Iterator(self._p, self._show(), self._x)

    def __call__(self, *args: object) -> Any:
        self._p.point("call", f"{self._show()}({', '.join(map(show, args))})")
        return self._x

    def __bool__(self) -> bool:
        self._p.point("op", f"bool {self._show()}")
        return bool(self._x)

    def __len__(self) -> int:
        self._p.point("op", f"len {self._show()}")
        return len(self._x)

    def __hash__(self) -> int:
        self._p.point("op", f"hash {self._show()}")
        return hash(self._x)

    def __index__(self) -> int:
        self._p.point("op", f"index {self._show()}")
        return int(self._x)

    def __format__(self, spec: str) -> str:
        self._p.point("op", f"format {self._show()} {spec!r}")
        return format(self._x, spec)

    def __str__(self) -> str:
        self._p.point("op", f"str {self._show()}")
        return str(self._x)

    def __repr__(self) -> str:
        self._p.point("op", f"repr {self._show()}")
        return repr(self._x)


def _plain(value: Any) -> Any:
    """The content of a value; content is never a Value's operator, so it causes no effects."""
    if isinstance(value, slice):
        return slice(_plain(value.start), _plain(value.stop), _plain(value.step))
    return vars(value)["_x"] if isinstance(value, Value) else value


def _binary(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Value, Any], Value]:
    def method(self: Value, other: Any) -> Value:
        self._p.point("op", f"{self._show()} {name} {show(other)}")
        return self._wrap(function(self._x, _plain(other)))

    return method


def _reflected(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Value, Any], Value]:
    def method(self: Value, other: Any) -> Value:
        self._p.point("op", f"{show(other)} {name} {self._show()}")
        return self._wrap(function(_plain(other), self._x))

    return method


def _in_place(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Value, Any], Value]:
    def method(self: Value, other: Any) -> Value:
        self._p.point("effect", f"{self._show()} {name}= {show(other)}")
        vars(self)["_x"] = function(self._x, _plain(other))
        return self

    return method


def _unary(name: str, function: Callable[[Any], Any]) -> Callable[[Value], Value]:
    def method(self: Value) -> Value:
        self._p.point("op", f"{name} {self._show()}")
        return self._wrap(function(self._x))

    return method


def _install() -> None:
    """Give Value its arithmetic: too regular to be written out."""
    for name in "add sub mul truediv floordiv mod pow lshift rshift and or xor matmul".split():
        function = (
            (lambda a, b: (a, "@", b))
            if name == "matmul"
            else getattr(operator, name if name not in ("and", "or") else name + "_")
        )
        setattr(Value, f"__{name}__", _binary(name, function))
        setattr(Value, f"__r{name}__", _reflected(name, function))
        setattr(Value, f"__i{name}__", _in_place(name, function))
    for name in "eq ne lt le gt ge".split():
        setattr(Value, f"__{name}__", _binary(name, getattr(operator, name)))
    for name in "neg pos invert".split():
        setattr(Value, f"__{name}__", _unary(name, getattr(operator, name)))


_install()
