"""What a matrix product could gain if all of its tiles came from the near side of L2.

Arithmetic with the counters and climbs of a rung, and with what the lab of near memory measured of
copies.
"""

from docs.report.by_hand import by_hand
from docs.report.page_blocks.markdown import table
from docs.report.recorded import climb, percent, profile
from docs.report.recorded_labs import finding

RUNG = 12  # the fastest of one kernel at the size that is profiled
SIZE, HOT = 4096, 8192  # profiled; large enough for the power limit
L2_BYTES = 32  # of a sector


def parts_of_energy(copies):
    """(watts of a waiting GPU, J/GB of a near byte, what a far one takes more) of three copies.

    copies: [(share of far bytes, GB/s, J/GB)]; watts / rate + near + share * far = energy.
    """
    (share_a, rate_a, energy_a), (share_b, rate_b, energy_b), (share_c, rate_c, energy_c) = copies
    waits = (1 / rate_b - 1 / rate_a, 1 / rate_c - 1 / rate_a)
    shares = (share_b - share_a, share_c - share_a)
    energies = (energy_b - energy_a, energy_c - energy_a)
    determinant = waits[0] * shares[1] - waits[1] * shares[0]
    watts = (energies[0] * shares[1] - energies[1] * shares[0]) / determinant
    far = (waits[0] * energies[1] - waits[1] * energies[0]) / determinant
    return watts, energy_a - watts / rate_a - share_a * far, far


def measured_copies():
    """All near, half near, all far, as the lab recorded them."""

    def of(key):
        return finding("near_memory", key)["value"]["value"]

    shares = {"right": 0.0, "off": 0.5, "wrong": 1.0}
    return [
        (share, of(f"copy_{name}_gbps"), of(f"copy_{name}_j_per_gb"))
        for name, share in shares.items()
    ]


def near_product_block(*_):
    """How much a rung reads from L2, and what the far half of it costs."""
    counted = profile(RUNG, SIZE)
    gigabytes = counted["lts__t_sectors_srcunit_tex.sum"] * L2_BYTES / 1e9
    ms = counted["gpu__time_duration.sum"] / 1e6
    far_rate = gigabytes / 2 / (ms * 1e-3)
    copies = measured_copies()
    all_far = copies[-1][1]
    _, _, far_joules = parts_of_energy(copies)
    hot, rested = climb(HOT, "sustained")[RUNG], climb(HOT, "burst")[RUNG]
    watts = hot["power_w"]["median"]
    far_watts = far_joules * far_rate
    rows_of_c, columns_of_c = by_hand(RUNG, SIZE)["tile"]
    of_b = columns_of_c / (rows_of_c + columns_of_c)
    slower = hot["time_ms"] / rested["time_ms"] - 1
    issue = counted["smsp__issue_active.avg.pct_of_peak_sustained_active"]
    share = f"{percent(far_watts / watts)} of {watts:.0f} W: the rung at {HOT}, sustained"
    rows = [
        (f"read through L2 at {SIZE}", f"{gigabytes:.2f} GB in {ms:.2f} ms", "Nsight Compute"),
        ("from the far side", f"{far_rate:.0f} GB/s", "half of it at most, in that time"),
        ("the connection carries", f"{all_far:.0f} GB/s", "the copy with assignment *wrong*"),
        ("so the rung needs", percent(far_rate / all_far), "of what that copy gets through"),
        ("a far byte takes more", f"{far_joules:.4f} J/GB", "*right*, *off*, *wrong*: exercise 1"),
        ("power of the far bytes", f"{far_watts:.0f} W", share),
        ("of B alone", f"{far_watts * of_b:.0f} W", f"{percent(of_b)} of what a block loads"),
        ("issue slots busy", f"{issue:.0f} %", "Nsight Compute: what limits the rung"),
        ("slower when hot", percent(slower), f"sustained against burst at {HOT}"),
    ]
    return table((f"rung {RUNG}", "value", "where from"), rows)


BLOCKS = {"near_product": near_product_block}
