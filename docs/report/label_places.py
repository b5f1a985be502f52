"""Finds places for labels where they meet no line, no dot and no other label."""

import math

HEIGHT = 19  # of a label: letters and what keeps lines away from them
ABOVE = 14  # its base line


def text_width(words):
    """Pixels that words of 15 pixels take at most."""
    return 8.6 * len(words)


def meets_segment(box, start, end):
    """Does a line from start to end pass through a box (left, top, right, bottom)?"""
    (x0, y0), (x1, y1) = start, end
    low, high = 0.0, 1.0
    for first, change, least, most in (
        (x0, x1 - x0, box[0], box[2]),
        (y0, y1 - y0, box[1], box[3]),
    ):
        if change == 0:
            if not least < first < most:
                return False
            continue
        one, other = sorted(((least - first) / change, (most - first) / change))
        low, high = max(low, one), min(high, other)
    return low < high


def meets_box(box, other):
    """Do two boxes overlap?"""
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


class Room:
    """The free places of a picture."""

    def __init__(self, left, top, right, bottom):
        """Where labels may stand."""
        self.frame = (left, top, right, bottom)
        self.boxes, self.segments = [], []

    def add_box(self, box):
        """Something that labels must not cover: (left, top, right, bottom)."""
        self.boxes.append(box)

    def add_dot(self, x, y, radius=6):
        """A dot."""
        self.add_box((x - radius, y - radius, x + radius, y + radius))

    def add_line(self, points):
        """A line through points."""
        self.segments += list(zip(points, points[1:], strict=False))

    def is_free(self, box):
        """Whether a label may stand in a box."""
        left, top, right, bottom = self.frame
        return (
            left <= box[0]
            and top <= box[1]
            and box[2] <= right
            and box[3] <= bottom
            and not any(meets_box(box, other) for other in self.boxes)
            and not any(meets_segment(box, *segment) for segment in self.segments)
        )

    def take(self, words, candidates):
        """(x, y) of the base line's start: the first of the candidates that is free, now taken.

        candidates: [(x, y, share)]: `share` of the words' width lies left of x.
        """
        width = text_width(words)
        for x, y, share in candidates:
            left = x - share * width
            box = (left - 2, y - ABOVE, left + width + 2, y - ABOVE + HEIGHT)
            if self.is_free(box):
                self.boxes.append(box)
                return left, y
        return None


def around(x, y):
    """Candidates around a dot, the nearest first."""
    for distance in range(10, 120, 6):
        for angle in (0, 180, 270, 90, 315, 225, 45, 135, 20, 340, 160, 200):
            dx = distance * math.cos(math.radians(angle))
            dy = distance * math.sin(math.radians(angle))
            share = 0.5 - 0.5 * dx / distance
            yield x + dx, y + dy + 5, share


def along(start, end):
    """Candidates over and under a level line, from its start on."""
    (x0, y), (x1, _) = start, end
    for step in range(0, int(x1 - x0), 8):
        yield x0 + step, y - 7, 0
        yield x0 + step, y + 17, 0
