"""A chart of curves over one axis, wide or for phones: the labs' plots are drawn with it."""

import dataclasses
import math

from docs.report.recorded_labs import with_unit
from docs.report.svg import WIDTH, Drawing, Scale, text_width

NARROW = 400  # pixels of a chart for phones
BINARY = [2.0**i for i in range(60)]
MOST_TOLD = 200  # points of a curve that say what they are when the mouse rests on them


@dataclasses.dataclass
class Curve:
    """Points (x, y) with a name."""

    name: str
    points: list
    dots: bool = False  # no line through them


@dataclasses.dataclass
class Axis:
    """What an axis shows; logarithmic ones have powers of two as ticks."""

    name: str
    unit: str = ""
    logarithmic: bool = False
    least: float = 0  # where a linear y axis begins


@dataclasses.dataclass
class Chart:
    """A title, curves, axes, and marks: upright lines (x, words)."""

    name: str
    title: str
    source: str
    curves: list
    x: Axis
    y: Axis
    marks: list = dataclasses.field(default_factory=list)

    def values(self, i):
        """All x (0) or y (1)."""
        return [point[i] for curve in self.curves for point in curve.points]

    def words(self):
        """The chart for readers who cannot see it."""
        parts = [f"{self.y.name} over {self.x.name}."]
        for curve in self.curves:
            ends = [
                f"{with_unit(y, self.y.unit)} at {with_unit(x, self.x.unit)}"
                for x, y in (curve.points[0], curve.points[-1])
            ]
            heights = [with_unit(y, self.y.unit) for y in sorted(y for _, y in curve.points)]
            parts.append(
                f"{curve.name}, {len(curve.points)} points: {' and '.join(ends)}; "
                f"lowest {heights[0]}, highest {heights[-1]}."
            )
        parts += [f"Marked: {words}." for _, words in self.marks]
        return " ".join(parts)


def round_step(most, ticks):
    """A round distance of ticks from 0 to `most`."""
    rough = most / ticks
    power = 10 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= rough)


def linear_ticks(low, high, ticks):
    """Round values from low to high."""
    step = round_step(high - low, ticks)
    first = math.ceil(low / step - 1e-9)
    return [step * i for i in range(first, math.floor(high / step + 1e-9) + 1)]


def tick_words(value, unit):
    """A tick of the x axis."""
    return with_unit(value, unit) if unit == "bytes" else f"{value:,.10g}"


def log_ticks(low, high, scale, unit):
    """Powers of two between low and high, as many as leave room for their words."""
    inside = [value for value in BINARY if low * 0.999 <= value <= high * 1.001]
    distance = 12 + max(text_width(tick_words(value, unit)) for value in inside)
    for every in range(1, len(inside) + 1):
        chosen = inside[::every]
        if all(
            abs(scale(b) - scale(a)) >= distance for a, b in zip(chosen, chosen[1:], strict=False)
        ):
            return chosen
    return inside[:1]


def broken(words, pixels, style=""):
    """Lines of at most so many pixels."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if text_width(longer, style) <= pixels:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def legend(drawing, curves, top):
    """A line of names with their colours, broken where it is full; returns where it ends."""
    x = 24
    for i, curve in enumerate(curves):
        width = 43 + text_width(curve.name, "strong")
        if x > 24 and x + width - 18 > drawing.width - 8:
            x, top = 24, top + 22
        if curve.dots:
            drawing.dot(x + 9, top - 5, f"f{i}", radius=4)
        else:
            drawing.line([(x, top - 5), (x + 18, top - 5)], f"line thick l{i}")
        drawing.text(x + 25, top, curve.name, f"strong f{i}")
        x += width
    return top


def mark_lines(drawing, chart, x, top, bottom, right):
    """Upright lines with words above the plot, each level below the one before where they meet."""
    ends = []  # of the words of each level
    for at, words in sorted(chart.marks):
        pixel, width = x(at), text_width(words)
        begin = min(max(pixel - width / 2, 12), right + 16 - width)
        level = next((i for i, end in enumerate(ends) if end + 10 < begin), len(ends))
        ends[level : level + 1] = [begin + width]
        drawing.text(begin, top + 19 * level, words, "soft")
    lowest = top + 19 * max(len(ends), 1)
    for at, _ in chart.marks:
        drawing.line([(x(at), lowest - 8), (x(at), bottom)], "line soft-line dashed")
    return lowest


def axes(chart, left, right, levels):
    """(scale of x, ticks of x, (lowest, highest) y, ticks of y)"""
    xs, ys = chart.values(0), chart.values(1)
    if chart.x.logarithmic:
        x = Scale((min(xs), max(xs)), (left, right), logarithmic=True)
        x_ticks = log_ticks(min(xs), max(xs), x, chart.x.unit)
    else:
        low = 0 if min(xs) < 0.3 * max(xs) else min(xs)
        x = Scale((low, max(xs)), (left, right))
        x_ticks = linear_ticks(low, max(xs), (right - left) / 90)
        if chart.x.unit == "bytes":
            step = 2.0 ** math.ceil(math.log2((max(xs) - low) * 74 / (right - left)))
            x_ticks = [step * i for i in range(int(max(xs) // step) + 1) if step * i >= low]
    if chart.y.logarithmic:
        low, high = 2 ** math.floor(math.log2(min(ys))), 2 ** math.ceil(math.log2(max(ys)))
        return x, x_ticks, (low, high), [value for value in BINARY if low <= value <= high]
    low = chart.y.least
    most = max(ys) if chart.y.unit == "%" else 1.04 * max(ys)
    step = round_step(most - min(low, *ys), levels)
    if min(ys) < low:  # no curve leaves the chart
        low = step * math.floor(min(ys) / step)
    high = low + step * math.ceil((most - low) / step)
    return x, x_ticks, (low, high), [low + step * i for i in range(round((high - low) / step) + 1)]


def drawn(chart, width=WIDTH, height=250):
    """The chart as a Drawing, `height` pixels of it for the curves."""
    narrow = width < WIDTH
    left, right = (74 if narrow else 92), width - (18 if narrow else 34)
    title, *more = broken(chart.title, width - 34, "title")
    source = broken(chart.source, width - 34)
    drawing = Drawing(
        f"{chart.name}{'-narrow' if narrow else ''}", width, 0, title, "", chart.words()
    )
    top = 36
    for line in more:
        top += 25
        drawing.text(24, top, line, "title")
    for line in source:
        top += 22
        drawing.text(24, top, line, "soft")
    top = legend(drawing, chart.curves, top + 30)
    x, x_ticks, (low, high), y_ticks = axes(chart, left, right, 5)
    first = top + 44  # after the name of the y axis
    drawing.text(
        24, top + 26, f"{chart.y.name}{f', {chart.y.unit}' if chart.y.unit else ''}", "soft"
    )
    levels = 1 + len(chart.marks) if narrow and len(chart.marks) > 1 else 2
    bottom = first + (19 * levels if chart.marks else 0) + height
    plot_top = mark_lines(drawing, chart, x, first + 8, bottom, right) if chart.marks else first
    y = Scale((low, high), (bottom, plot_top), logarithmic=chart.y.logarithmic)
    drawing.grid(y, y_ticks, left, right, "{:,.10g}".format)
    for tick in x_ticks:
        drawing.line([(x(tick), bottom), (x(tick), bottom + 6)], "axis")
        words = tick_words(tick, chart.x.unit)
        middle = min(x(tick), width - 6 - text_width(words) / 2)
        drawing.text(middle, bottom + 24, words, "soft", "middle")
    unit = f", {chart.x.unit}" if chart.x.unit not in ("", "bytes") else ""
    drawing.text((left + right) / 2, bottom + 50, chart.x.name + unit, "", "middle")
    for i, curve in reversed(list(enumerate(chart.curves))):
        if not curve.dots:
            drawing.line([(x(a), y(b)) for a, b in curve.points], f"line l{i}")
        if curve.dots and len(curve.points) > MOST_TOLD:
            drawing.squares([(x(a), y(b)) for a, b in curve.points], f"f{i}")
        elif curve.dots or len(curve.points) <= 48:
            for a, b in curve.points:
                drawing.dot(
                    x(a),
                    y(b),
                    f"f{i}",
                    f"{curve.name}: {with_unit(b, chart.y.unit)} at "
                    f"{with_unit(a, chart.x.unit)}",
                    4 if curve.dots else 3,
                )
    drawing.height = int(bottom) + 66
    return drawing
