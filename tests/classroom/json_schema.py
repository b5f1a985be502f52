"""Checks JSON against the words of JSON Schema that the schemas of this folder use."""

import re

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
    "number": (int, float), "null": type(None),
}  # fmt: skip
ABOUT = {"$schema", "$defs", "title", "description"}


def is_of(value, kind):
    """Whether a value has a type; true and false are no numbers."""
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def faults(value, schema, whole=None, path="$"):
    """['$.tests[2].score: ...']: what is not as the schema has it. Raises KeyError on a word of
    JSON Schema that is not known here."""
    whole = whole or schema
    found = []
    for word, rule in schema.items():
        if word not in ABOUT:
            found += [f"{path}{rest}" for rest in CHECKS[word](value, rule, schema, whole)]
    return found


def _reference(value, rule, _schema, whole):
    target = whole
    for name in rule.removeprefix("#/").split("/"):
        target = target[name]
    return _below("", value, target, whole)


def _below(place, value, schema, whole):
    return [fault.removeprefix("$") for fault in faults(value, schema, whole, f"${place}")]


def _type(value, rule, _schema, _whole):
    kinds = rule if isinstance(rule, list) else [rule]
    return [] if any(is_of(value, kind) for kind in kinds) else [f": {value!r} is no {rule}"]


def _properties(value, rule, _schema, whole):
    if not isinstance(value, dict):
        return []
    return [fault for name, schema in rule.items() if name in value
            for fault in _below(f".{name}", value[name], schema, whole)]  # fmt: skip


def _no_others(value, rule, schema, _whole):
    if rule is not False:
        raise KeyError(f"additionalProperties: {rule}")
    others = set(value) - set(schema["properties"]) if isinstance(value, dict) else set()
    return [f".{name}: is not known" for name in sorted(others)]


def _items(value, rule, _schema, whole):
    """Of all items: with prefixItems, too, which JSON Schema would leave out."""
    if not isinstance(value, list):
        return []
    return [fault for index, each in enumerate(value)
            for fault in _below(f"[{index}]", each, rule, whole)]  # fmt: skip


def _first_items(value, rule, _schema, whole):
    if not isinstance(value, list):
        return []
    return [fault for index, (form, each) in enumerate(zip(rule, value, strict=False))
            for fault in _below(f"[{index}]", each, form, whole)]  # fmt: skip


CHECKS = {
    "$ref": _reference,
    "type": _type,
    "properties": _properties,
    "additionalProperties": _no_others,
    "items": _items,
    "prefixItems": _first_items,
    "required": lambda value, rule, *_: [
        f": has no {name}" for name in rule if isinstance(value, dict) and name not in value],
    "const": lambda value, rule, *_: [] if value == rule else [f": {value!r} is not {rule!r}"],
    "enum": lambda value, rule, *_: [] if value in rule else [f": {value!r} is none of {rule}"],
    "minimum": lambda value, rule, *_: [
        f": {value} is below {rule}"] if is_of(value, "number") and value < rule else [],
    "pattern": lambda value, rule, *_: [
        f": {value!r} does not match {rule}"]
        if isinstance(value, str) and not re.search(rule, value) else [],
    "minItems": lambda value, rule, *_: [
        f": has {len(value)} items, not {rule}"] if len(value) < rule else [],
    "maxItems": lambda value, rule, *_: [
        f": has {len(value)} items, not {rule}"] if len(value) > rule else [],
}  # fmt: skip
