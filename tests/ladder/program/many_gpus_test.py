"""One product on several ranks, on the emulator: right in each form and step, and an error instead of
a hang when a rank fails.

    LADDER_MANY_GPUS=build/many_gpus python3 -m tests.ladder.program.many_gpus_test
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["LADDER_MANY_GPUS"]
ROOT = os.geteuid() == 0
NOBODY = 65534
LIMIT_S = 30  # in which all ranks have to end when one has failed
STEPS = ["in turn", "in pieces", "in the kernel"]


def run(*words, ranks=2, device="cpu", sms=3, environment=None, user=None):
    """What a product on so many ranks ends with."""
    return subprocess.run(
        [PROGRAM, "--ranks", str(ranks), "--device", device, "--patience", "60", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * LIMIT_S,
        user=user,
        env={**os.environ, "LADDER_MULTIPROCESSORS": str(sms), **(environment or {})},
    )


def mpirun(*programs):
    """What mpirun ends with that starts one rank with each of these words."""
    words = ["mpirun", "--oversubscribe", "--quiet"] + ["--allow-run-as-root"] * ROOT
    for number, program in enumerate(programs):
        words += [":"] * (number > 0) + ["-n", "1", PROGRAM, "--device", "cpu", *program]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=2 * LIMIT_S)


def shape(m, n, k):
    """Options."""
    return ["--m", m, "--n", n, "--k", k]


def verdicts(done):
    """{(form, step): fields} of what a run files on standard output."""
    forms = json.loads(done.stdout)["benchmarks"]
    return {(form["name"], v["step"]): v for form in forms for v in form["verdicts"]}


class ProductTest(unittest.TestCase):
    """All ranks together compute one product."""

    def check(self, *words, steps=STEPS, **how):
        """Every step of both forms is right; returns the verdicts."""
        done = run(*words, "--json", "-", **how)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = verdicts(done)
        for form in ("gather", "scatter"):
            for step in steps:
                with self.subTest(form=form, step=step, words=words):
                    self.assertTrue(found[form, step]["verified"])
        return found

    def test_any_number_of_ranks_and_ragged_cuts(self):
        self.check(*shape(100, 100, 36), ranks=1)
        self.check(*shape(300, 520, 132))
        self.check(*shape(301, 520, 68), ranks=3)
        self.check(*shape(515, 260, 36), ranks=4)
        self.check(*shape(129, 1000, 64), ranks=8)

    def test_ranks_without_rows(self):
        self.check(*shape(1, 12, 12), ranks=3)

    def test_factors(self):
        self.check(*shape(130, 260, 36), "--alpha", "1.5", "--beta", "-0.5")

    def test_whole_tiles_have_the_bits_of_one_gpu(self):
        found = self.check(*shape(300, 520, 132), sms=1)  # one block: no tile is cut along K
        for step in STEPS:
            self.assertTrue(found["gather", step]["same_bits_as_one_gpu"], step)

    def test_in_any_order_of_blocks_and_threads(self):
        for name, value in (
            ("LADDER_BLOCK_ORDER", "descending"),
            ("LADDER_THREAD_TURNS", "lanes"),
            ("LADDER_COPY_ARRIVAL", "early"),
        ):
            self.check(*shape(300, 520, 36), environment={name: value})

    def test_bf16_on_any_number_of_ranks_and_ragged_cuts(self):
        bf16 = ["--precision", "bf16"]
        self.check(*shape(300, 264, 72), *bf16, ranks=1)
        self.check(*shape(700, 520, 136), *bf16)
        self.check(*shape(1, 24, 24), *bf16, ranks=3)  # two have no rows
        self.check(*shape(1030, 264, 40), *bf16, ranks=4)
        self.check(*shape(130, 1032, 72), *bf16, ranks=8)

    def test_bf16_factors(self):
        factors = ["--alpha", "1.5", "--beta", "-0.5"]
        self.check(*shape(301, 264, 72), *factors, "--precision", "bf16", ranks=3)

    def test_bf16_in_more_than_one_chunk_of_k(self):
        self.check(*shape(300, 520, 2056), "--precision", "bf16", steps=["in the kernel"])

    def test_bf16_in_any_order_of_blocks_and_threads(self):
        for name, value in (
            ("LADDER_BLOCK_ORDER", "descending"),
            ("LADDER_THREAD_TURNS", "lanes"),
            ("LADDER_COPY_ARRIVAL", "early"),
        ):
            self.check(*shape(300, 264, 72), "--precision", "bf16", environment={name: value})

    @unittest.skipUnless(ROOT, "only root can become somebody else")
    def test_as_a_user(self):
        done = run(*shape(64, 64, 64), user=NOBODY, environment={"HOME": "/tmp"})
        self.assertEqual(done.returncode, 0, done.stderr)


class StampsTest(unittest.TestCase):
    """--stamps says what each block was busy with during a product in the kernel."""

    def timelines(self, *words, **how):
        """{form: entry} of a run of two ranks."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "stamps.json"
            done = run("--no-verification", *words, "--stamps", path, **how)
            self.assertEqual(done.returncode, 0, done.stderr)
            return {entry["name"]: entry for entry in json.loads(path.read_text())["benchmarks"]}

    def check(self, form, fetched, precision):
        """Both forms' intervals: who is busy with what, and none ends before it begins."""
        entry = self.timelines(*shape(300, 520, 136), "--precision", precision, sms=4)[form]
        self.assertEqual([track["rank"] for track in entry["tracks"]], [0, 1])
        for track in entry["tracks"]:
            self.assertEqual(track["dropped"], 0)
            rank = track["rank"]
            found = {(what, peer) for _, what, peer, _, _ in track["intervals"]}
            self.assertEqual(
                found, {("tile", 0), ("tile", 1)} | {(what, 1 - rank) for what in fetched}
            )
            self.assertEqual(min(begin for *_, begin, _ in track["intervals"]), 0)
            self.assertTrue(all(begin <= end for *_, begin, end in track["intervals"]))

    def test_gather(self):
        for precision in ("fp32", "bf16"):
            self.check("gather", ("wait", "fetch"), precision)

    def test_scatter(self):
        for precision in ("fp32", "bf16"):
            self.check("scatter", ("deliver",), precision)

    def test_a_file_that_cannot_be_written(self):
        done = run(*shape(64, 64, 64), "--stamps", "/nonexistent/file.json")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("/nonexistent/file.json", done.stderr)


class RefusalTest(unittest.TestCase):
    """What cannot be done is refused by name, on all ranks and at once."""

    def refused(self, done, *parts):
        """Exit code 2, and a message with these parts."""
        self.assertEqual(done.returncode, 2, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        return done.stderr

    def test_more_ranks_than_columns(self):
        self.refused(run("--n", 8, ranks=3), "24 many_gpus", "N = 8", "3 ranks")
        self.refused(
            run("--k", 8, "--form", "scatter", ranks=3), "24 many_gpus", "K = 8", "3 ranks"
        )

    def test_what_the_rung_below_refuses(self):
        self.refused(run("--k", 6), "12 stream_k", "K = 6", "multiple of 4")
        self.refused(run("--n", 12, "--precision", "bf16"), "N = 12", "multiple of 8")

    def test_too_little_memory(self):
        self.refused(run("--size", 200000), "memory", "rank 0")

    def test_another_shape_on_a_rank(self):
        said = self.refused(mpirun(["--m", "64"], ["--m", "128"]), "shape", "64", "128", "rank 1")
        self.assertEqual(said.count("shape"), 1)  # once, not from each rank

    def test_another_precision_on_a_rank(self):
        self.refused(mpirun([], ["--precision", "bf16"]), "precision", "fp32", "bf16")

    def test_another_number_of_ranks_than_asked_for(self):
        self.refused(mpirun(["--ranks", "3"], ["--ranks", "3"]), "--ranks 3", "2")

    def test_a_file_that_cannot_be_written(self):
        self.refused(run("--json", "/nonexistent/file.json"), "/nonexistent/file.json")

    def test_without_mpirun(self):
        self.refused(run(environment={"PATH": "/nonexistent"}), "mpirun", "openmpi-bin")

    @unittest.skipIf(shutil.which("nvidia-smi"), "there may be a GPU")
    def test_without_a_gpu(self):
        self.refused(run(device="gpu"), "--device cpu")


class FaultTest(unittest.TestCase):
    """A rank that fails in the middle ends all others soon."""

    def ranks_of(self, program):
        """Process ids of the ranks that mpirun has started, once they all have."""
        while program.poll() is None:
            mpiruns = self.children(program.pid)
            ranks = self.children(mpiruns[0]) if mpiruns else []
            if len(ranks) == 3:
                return ranks
            time.sleep(0.05)
        self.fail("the program ended by itself")

    @staticmethod
    def children(process):
        """Process ids."""
        try:
            path = pathlib.Path(f"/proc/{process}/task/{process}/children")
            return [int(word) for word in path.read_text(encoding="utf-8").split()]
        except OSError:
            return []

    def interfere(self, number):
        """(exit code, standard error) when one of three ranks gets a signal."""
        with subprocess.Popen(
            [PROGRAM, "--ranks", "3", "--device", "cpu", "--size", "2048", "--patience", "3"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as program:
            ranks = self.ranks_of(program)
            time.sleep(1.5)
            begin = time.monotonic()
            os.kill(ranks[1], number)
            said = program.communicate(timeout=2 * LIMIT_S)[1]
            while any(map(self.is_running, ranks)) and time.monotonic() - begin < LIMIT_S:
                time.sleep(0.05)
            self.assertFalse(any(map(self.is_running, ranks)), "a rank is left")
            self.assertLess(time.monotonic() - begin, LIMIT_S)
            return program.returncode, said

    @staticmethod
    def is_running(process):
        """Whether it has not ended, or at least stopped to do anything for good."""
        try:
            stat = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
        except OSError:
            return False
        return stat.rpartition(")")[2].split()[0] not in "ZX"

    def test_a_killed_rank(self):
        code, said = self.interfere(signal.SIGKILL)
        self.assertEqual(code, 128 + signal.SIGKILL)
        self.assertIn("killed by signal 9", said)

    def test_a_rank_that_stops(self):
        code, said = self.interfere(signal.SIGSTOP)
        self.assertEqual(code, 3)
        self.assertIn("waited for 3 s", said)


if __name__ == "__main__":
    unittest.main()
