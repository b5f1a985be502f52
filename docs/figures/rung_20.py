"""Rung 20: where two clusters are along K, and what of it L2 still has: in rung 19 and here."""

from docs.figures.rung_20_drift import k_tiles_in_l2
from docs.figures.shapes import EDGE, Picture
from docs.figures.tiles import tile_constants
from docs.report.svg import Scale

TILES, K_TILES = 3, 128  # of C, and of A and B for each: K is 8192
SLOWER = 1.3  # times, for a picture: on a GPU they differ by far less, over many more tiles


def times(epoch=None):
    """([when the fast cluster begins each k tile], [the slow one]), in units of the fast one's.

    epoch: k tiles; nobody begins one before the other has begun the one before.
    """
    fast, slow = [], []
    for number in range(TILES * K_TILES):
        slow.append(slow[-1] + SLOWER if slow else 0)
        begin = fast[-1] + 1 if fast else 0
        if epoch and number % epoch == 0 and number >= epoch:
            begin = max(begin, slow[number - epoch])
        fast.append(begin)
    return fast, slow


def place(number, snake):
    """The k tile of the matrices that a cluster reads as its number-th."""
    tile, k_tile = divmod(number, K_TILES)
    return K_TILES - 1 - k_tile if snake and tile % 2 else k_tile


def draw_path(picture, x, y, begins, snake, style):
    """A cluster's way: a line for each tile of C."""
    for tile in range(TILES):
        numbers = range(tile * K_TILES, (tile + 1) * K_TILES)
        points = [(x(begins[number]), y(place(number, snake))) for number in numbers]
        picture.line([points[0], *points[8:-1:8], points[-1]], style)


def draw_l2(picture, x, y, begins, snake, window):
    """What L2 has of the fast cluster's reads: the last `window` k tiles at any time."""
    step = 4
    for number in range(0, TILES * K_TILES, step):
        read = {place(n, snake) for n in range(max(0, number - window), number + step)}
        begin = begins[number]
        end = begins[number + step] if number + step < len(begins) else begins[-1] + step
        for first, last in spans(read):
            picture.bar(x(begin), y(last + 1), x(end), y(first), "soft-fill")


def spans(numbers):
    """[(first, last)] of numbers that follow each other."""
    found = []
    for at in sorted(numbers):
        if found and found[-1][1] == at - 1:
            found[-1][1] = at
        else:
            found.append([at, at])
    return found


def lost(begins, late, snake, window):
    """How many k tiles the slow cluster reads when L2 has them no more."""
    gone = 0
    for number, when in enumerate(late):
        done = sum(begin <= when for begin in begins)  # by the fast one
        known = {place(n, snake) for n in range(max(0, done - window), done)}
        gone += place(number, snake) not in known
    return gone


def draw(narrow=False):
    """Two panels over the same time."""
    c = tile_constants(20)
    epoch, window = c["kEpoch"], k_tiles_in_l2(c)
    free, held = times(), times(epoch)
    counts = [lost(*free, False, window), lost(*held, True, window)]
    picture = Picture(
        "rung_20",
        620,
        "Rung 20: close together, back and forth along K",
        f"two clusters over {TILES} tiles of C at K = {K_TILES * c['BK']}; one is "
        f"{round(100 * SLOWER - 100)} % slower, far more than on a GPU",
        f"Where two clusters are along K over time, and the last {window} k tiles that the faster "
        f"one has read, which is what L2 holds. In rung 19 each tile of C begins at k = 0 again, "
        f"and the slower cluster falls behind what L2 holds: it reads {counts[0]} of "
        f"{TILES * K_TILES} k tiles from DRAM once more. In rung 20 every other tile goes "
        f"backwards, the faster cluster waits every {epoch} k tiles, and it is {counts[1]}.",
        narrow,
    )
    left, right = (60, 460 - EDGE) if narrow else (96, 960)
    tall = 150 if narrow else 176
    x = Scale((0, free[1][-1] + SLOWER), (left, right))
    top = picture.top + 16
    for words, (fast, slow), snake in (
        ("rung 19: each on its own, always forwards", free, False),
        (f"rung 20: less than {2 * epoch} k tiles apart", held, True),
    ):
        picture.text(left, top - 8, words, "strong")
        y = Scale((0, K_TILES), (top + tall, top + 6))
        draw_l2(picture, x, y, fast, snake, window)
        for at, name in ((0, "k = 0"), (K_TILES, "K")):
            picture.line([(left, y(at)), (right, y(at))], "rule")
            picture.text(left - 8, y(at) + 5, name, "soft", "end")
        draw_path(picture, x, y, slow, snake, "line thick l1")
        draw_path(picture, x, y, fast, snake, "line thick l0")
        top += tall + 48
    entries = [
        ("f0", "the faster cluster"),
        ("f1", "the slower one"),
        ("soft-fill", f"in L2: the last {window} k tiles"),
    ]
    y = picture.legend(EDGE if narrow else left, top - 6, entries)
    words = (
        f"the slower cluster reads {counts[0]} of {TILES * K_TILES} k tiles from DRAM again in "
        f"rung 19, and {counts[1] or 'none'} in rung 20"
    )
    picture.conclude(EDGE if narrow else 24, y + 8 if narrow else 0, words)
    return picture
