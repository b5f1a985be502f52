"""Verdicts of recorded labs by the rules that the labs have now.

A record keeps the verdicts that its program gave. Where a rule has changed since, the pages give
the verdict again, from what the run measured; `bench/labs/questions/` has the same rules.
"""

from statistics import median

COUNTED = ("R035", "R233", "R234")  # of raster_orders: with the caches of no real card


def found(report, key):
    """A finding's estimate: value, low and high."""
    return next((each["value"] for each in report["findings"] if each["key"] == key), None)


def of_chunks(report, claim):
    """Cutting K: the GPU's clock decides, beside tiles row by row."""
    chunked, row_major, hilbert = (
        found(report, f"{plan}_ms") for plan in ("chunked", "row_major", "hilbert")
    )
    if not chunked:  # no GPU took part
        return {**claim, "verdict": "simulated"}
    times = [row_major["value"], hilbert["value"]]
    for curve in report["series"]:
        if curve["y_unit"] == "ms":
            times += [median(point["samples"]) for point in curve["points"]]
    how = next(each["how"] for each in report["findings"] if each["key"] == "chunked_ms")
    return {
        **claim,
        "verdict": "condition" if chunked["value"] < row_major["value"] else "wrong",
        "because": f"On this GPU, {how} takes {chunked['value']:.0f} ms, tiles row by row "
        f"{row_major['value']:.0f}, and the best order {min(times):.0f}",
    }


def of_two_passes(report, claim, key):
    """Two kernels in a row: what all sizes together say of findings that begin with `key`."""
    changes = {
        int(each["key"].split("_")[-2]): each["value"]
        for each in report["findings"]
        if each["key"].startswith(key)
    }
    gains = sum(change["high"] < 0 for change in changes.values())
    loses = any(change["low"] > 0 for change in changes.values())
    told = ", ".join(
        f"{change['value']:+.1f} % ({change['low']:+.1f} to {change['high']:+.1f} %) "
        f"at {percent} % of L2"
        for percent, change in changes.items()
    )
    verdict = "wrong" if loses else "pending"
    if gains:
        verdict = "holds" if gains == len(changes) else "condition"
    because = f"The time of both passes changes by {told}"
    return {**claim, "verdict": verdict, "because": because}


def claims_of(report):
    """A report's claims, each with the verdict that its lab would give now."""
    given, two_passes = [], iter(("reverse_order", "input_evict"))  # in the lab's order
    for claim in report["claims"]:
        row = report["lab"], claim["row"]
        if row == ("raster_orders", "R033"):
            given.append(of_chunks(report, claim))
        elif row[0] == "raster_orders" and row[1] in COUNTED:
            given.append({**claim, "verdict": "simulated"})
        elif row == ("near_memory", "R068"):
            given.append(of_two_passes(report, claim, next(two_passes)))
        else:
            given.append(claim)
        given[-1] = {**given[-1], "again": given[-1]["verdict"] != claim["verdict"]}
    return given
