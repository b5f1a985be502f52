"""Forms of JSON: functions of (value, path, place) that give what readers get, or raise WrongError.

A number is finite, from 0 to 1e18, and above 0 where it is divided by.
"""

import json
import math

from bench.records import Record

MOST = 1e18  # of any figure: bytes of the largest trace have 13 digits
EXTENT = 2**31 - 1


class WrongError(Exception):
    """(where in the file, what is wrong)"""


def shown(value):
    """A wrong value in a sentence."""
    kinds = {dict: "an object", list: "a list"}
    if type(value) in kinds:
        return kinds[type(value)]
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def expect(holds, value, place, wanted):
    """Raises WrongError where a value is not what is wanted."""
    if not holds:
        raise WrongError(place, f"is {shown(value)}, and should be {wanted}")


def anything(value, path, place):
    """Any JSON, its dictionaries as Records."""
    if isinstance(value, dict):
        fields = {k: anything(v, path, f"{place}.{k}".lstrip(".")) for k, v in value.items()}
        return Record(fields, path, place)
    if isinstance(value, list):
        return [anything(entry, path, f"{place}[{i}]") for i, entry in enumerate(value)]
    return value


def text(value, _path, place):
    """A string."""
    expect(isinstance(value, str), value, place, "text")
    return value


def one_of(*words):
    """One of these words."""

    def of_words(value, _path, place):
        expect(value in words, value, place, f"one of {', '.join(words)}")
        return value

    return of_words


def truth(value, _path, place):
    """true or false."""
    expect(isinstance(value, bool), value, place, "true or false")
    return value


def numbers(least=0.0, most=MOST, above=None, whole=False):
    """A form of numbers from least to most, or above a limit."""
    kind = "a whole number" if whole else "a number"
    limits = f"above {above:g}" if above is not None else f"from {least:g} on"
    limits = f"from {least} to {most}" if most != MOST else limits

    def form(value, _path, place):
        right = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        right = right and -MOST <= value <= MOST and math.isfinite(value)
        right = right and least <= value <= most and (above is None or value > above)
        expect(right, value, place, f"{kind} {limits}")
        return value

    return form


number = numbers()
positive = numbers(above=0)
count = numbers(0, whole=True)
signed = numbers(-MOST)
extent = numbers(1, EXTENT, whole=True)
rung_number = numbers(0, 99, whole=True)


def or_null(form):
    """The form, or null."""
    return lambda value, path, place: None if value is None else form(value, path, place)


def either(*forms):
    """The first form that fits; what the last one says where none does."""

    def form(value, path, place):
        for each in forms[:-1]:
            try:
                return each(value, path, place)
            except WrongError:
                continue
        return forms[-1](value, path, place)

    return form


def either_by(key, having, lacking):
    """A form of objects with a key, and another of those without it."""

    def form(value, path, place):
        chosen = having if isinstance(value, dict) and key in value else lacking
        return chosen(value, path, place)

    return form


def each(form, least=1, most=None):
    """A list of at least so many; most: and of at most so many."""

    def of_list(value, path, place):
        expect(isinstance(value, list), value, place, "a list")
        if len(value) < least or most is not None and len(value) > most:
            raise WrongError(
                place,
                f"has {len(value)} entries, and should have "
                + (f"{least}" if most == least else f"{least} or more"),
            )
        return [form(entry, path, f"{place}[{i}]") for i, entry in enumerate(value)]

    return of_list


def named(form, least=1):
    """An object with a value of this form under every name."""

    def of_object(value, path, place):
        expect(isinstance(value, dict), value, place, "an object")
        if len(value) < least:
            raise WrongError(place, "is empty")
        fields = {k: form(v, path, f"{place}.{k}".lstrip(".")) for k, v in value.items()}
        return Record(fields, path, place)

    return of_object


def pair(first, second):
    """A list of two values."""

    def of_pair(value, path, place):
        expect(isinstance(value, list) and len(value) == 2, value, place, "a list of two values")
        forms = zip((first, second), value, strict=True)
        return [form(entry, path, f"{place}[{i}]") for i, (form, entry) in enumerate(forms)]

    return of_pair


def record(optional=None, **needed):
    """An object with these fields; others may be anything."""
    optional = optional or {}

    def of_object(value, path, place):
        expect(isinstance(value, dict), value, place, "an object")
        lacks = [name for name in needed if name not in value]
        if lacks:
            raise WrongError(place, f"has no '{lacks[0]}'")
        forms = {**optional, **needed}
        fields = {
            name: forms.get(name, anything)(entry, path, f"{place}.{name}".lstrip("."))
            for name, entry in value.items()
        }
        return Record(fields, path, place)

    return of_object


def results(entry, context=None, least=1):
    """What our programs write: who made the figures, and a list of them."""
    return record(context=context or record(device=text), benchmarks=each(entry, least))
