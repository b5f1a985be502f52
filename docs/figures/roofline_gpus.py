"""Ridge points of the device cards: FLOP per byte of DRAM at which arithmetic becomes the limit."""

from docs.figures.shapes import Picture, card
from docs.report.svg import Scale

CARDS = ("t4", "a100", "h100", "h200", "rtx4090")
KINDS = (("fp32_tflops", "FP32", 3), ("tf32_tflops", "TF32", 0), ("bf16_tflops", "BF16", 1))


def ridges(of_card):
    """[(kind, colour, FLOP per byte)] of the peaks that a card has."""
    per_byte = 1e12 / of_card["dram_bytes_per_second"]
    return [
        (kind, color, of_card[key] * per_byte)
        for key, kind, color in KINDS
        if of_card.get(key) is not None
    ]


def draw():
    """A row for each card, a dot for each peak."""
    cards = {name: card(name) for name in CARDS}
    words = "; ".join(
        of_card["name"] + " " + ", ".join(f"{kind} {at:.0f}" for kind, _, at in ridges(of_card))
        for of_card in cards.values()
    )
    height = 160 + 74 * len(CARDS)
    picture = Picture(
        "roofline_gpus",
        height,
        "Ridge points: how many FLOP a byte of DRAM has to feed",
        "peak FLOP/s over peak bytes/s of the device cards, in FLOP per byte, logarithmic",
        f"Ridge points in FLOP per byte of DRAM, peak over bandwidth: {words}. Left of its ridge a "
        "kernel is limited by memory, right of it by arithmetic.",
    )
    left, right = 260, 960
    x = Scale((5, 1000), (left, right), logarithmic=True)
    bottom = height - 60
    for tick in (5, 10, 20, 50, 100, 200, 500, 1000):
        picture.line([(x(tick), 88), (x(tick), bottom)], "rule")
        picture.text(x(tick), bottom + 20, str(tick), "soft", "middle")
    for i, of_card in enumerate(cards.values()):
        y = 122 + 74 * i
        tbps = of_card["dram_bytes_per_second"] * 1e-12
        found = {}
        for kind, color, at in ridges(of_card):
            found.setdefault(round(at, 3), []).append((kind, color))
        first, last = min(found), max(found)
        name = of_card["name"].replace("NVIDIA ", "").replace("GeForce ", "")
        picture.text(left - 14, y, name, "strong", "end")
        picture.text(left - 14, y + 20, f"{tbps:.2f} TB/s", "soft", "end")
        picture.line([(left, y + 4), (x(first), y + 4)], "line thick soft-line")
        picture.line([(x(first), y + 4), (x(last), y + 4)], "lead")
        for at, kinds in found.items():
            picture.dot(x(at), y + 4, f"f{kinds[0][1]}", f"{at:.1f}", 7)
            label = " and ".join(kind for kind, _ in kinds)
            anchor, shift = ("middle", 0) if len(kinds) == 1 else ("end", 12)
            style = f"strong f{kinds[0][1]}"
            picture.text(x(at) + shift, y - 10, f"{label} {at:.0f}", style, anchor)
    picture.text(left, height - 14, "grey line: limited by memory, even in FP32", "soft")
    picture.text(right, height - 14, "FLOP per byte of DRAM", "soft", "end")
    return picture
