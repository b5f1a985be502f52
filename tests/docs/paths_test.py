"""The table of the three paths: pages exist, needs come first, the navigation has two parts."""

import os
import re
import unittest

from bench.results_file import FigureError
from docs.reading import paths
from tests import SOURCES


def navigation():
    """{title of a tab: the pages in it} of mkdocs.yml."""
    text = (SOURCES / "mkdocs.yml").read_text()
    text = text[text.index("\nnav:\n") : text.index("\nvalidation:")]
    tabs = re.split(r"^  - (\w[\w ]*): *", text, flags=re.M)[1:]
    return {
        title: [f"docs/{page}" for page in re.findall(r"[\w/]+\.md", body)]
        for title, body in zip(tabs[::2], tabs[1::2], strict=True)
    }


MOST_WORDS = 90_000  # of all lessons and chapters


class PathsTest(unittest.TestCase):
    """What docs/reading/paths.py promises."""

    @classmethod
    def setUpClass(cls):
        """From the root of the sources."""
        os.chdir(SOURCES)

    def test_every_stop_exists_and_is_there_once(self):
        for name, path in paths.PATHS.items():
            self.assertEqual(len(set(path.stops)), len(path.stops), name)
            for stop in (*path.stops, path.door):
                with self.subTest(path=name, stop=stop):
                    self.assertTrue(paths.text_of(stop).strip())
                    self.assertTrue(paths.title_of(stop))

    def test_the_course_has_all_lessons(self):
        self.assertLessEqual(set(paths.lessons()), set(paths.PATHS["course"].stops))

    def test_what_a_page_needs_comes_before_it(self):
        """On the weekend a section may stand for it, right before the page."""
        for name, path in paths.PATHS.items():
            for at, stop in enumerate(path.stops):
                if "#" in stop:
                    continue
                needs = paths.needs_of(stop)
                self.assertIsNotNone(needs, f"{stop} is on a path, and not in the table")
                instead = at > 0 and "#" in path.stops[at - 1]
                for need in needs:
                    with self.subTest(path=name, stop=stop, needs=need):
                        self.assertTrue(instead or need in path.stops[:at])

    def test_the_course_can_be_read_in_six_weeks(self):
        self.assertLess(paths.open_words(paths.PATHS["course"].stops), MOST_WORDS)
        self.assertGreater(paths.open_words(paths.PATHS["evening"].stops), 5_000)

    def test_stops_are_in_front_of_the_door(self):
        """Reference and research has nothing that a path needs, and nothing is in two tabs."""
        tabs = navigation()
        behind = set(tabs.pop("Reference and research"))
        self.assertGreater(len(behind), 25)
        for path in paths.PATHS.values():
            self.assertEqual({stop.partition("#")[0] for stop in path.stops} & behind, set())
        learners = [page for pages in tabs.values() for page in pages]
        self.assertEqual(len(learners), len(set(learners)))
        self.assertEqual(set(learners) & behind, set())
        for path in paths.PATHS.values():
            self.assertIn(path.door, learners)
            for stop in path.stops:
                if not stop.startswith("ladder/"):
                    self.assertIn(stop.partition("#")[0], learners)

    def test_a_signpost_says_place_need_and_next(self):
        text = paths.signpost(paths.lesson(2))
        for says in (
            "[01 naive](../01_naive/README.md)",
            "An evening",
            "3 of 4",
            "week 1",
            " min.",
        ):
            self.assertIn(says, text)
        self.assertIn("the last stop", paths.signpost(paths.lesson(3)))
        self.assertIn("after [From 04 to 06]", paths.signpost(paths.lesson(6)))
        self.assertEqual(paths.signpost("docs/architecture.md"), "")
        self.assertEqual(paths.signpost("docs/chapters/vocabulary.md"), "", "to look things up")

    def test_a_page_beside_the_paths_says_which_stop_leads_there(self):
        """The first one that links to it."""
        text = paths.signpost("docs/widgets/coalescing.md")
        self.assertTrue(text.startswith("**Beside the paths.** Read ["), text)
        stop = paths.leads_to()["docs/widgets/coalescing.md"]
        self.assertIn("widgets/coalescing.md", paths.text_of(stop))
        earlier = paths.PATHS["course"].stops[: paths.PATHS["course"].stops.index(stop)]
        for other in set(earlier) - {paths.START}:
            self.assertNotIn("widgets/coalescing.md", paths.text_of(other))

    def test_the_course_names_each_of_its_labs_once_what_it_needs_was_read(self):
        """And the page of all labs agrees, with one exception for each lab that needs less."""
        named, read = [], set()
        for week in paths.PATHS["course"].weeks:
            read.update(week.stops)
            for lab in paths.labs_after(week):
                named.append(lab)
                for need in paths.LABS[lab.split("/")[-1][:-3]]:
                    self.assertIn(need, read, lab)
                    self.assertIn(f"{paths.title_of(need)}]", paths.signpost(lab))
        self.assertEqual(sorted(named), sorted(map(paths.lab, paths.LABS)))
        opening = " ".join(paths.text_of("docs/labs/index.md").partition("\n## ")[0].split())
        usual = paths.chapter("path_of_a_byte")
        for name, needs in paths.LABS.items():
            excepted = f"*{name.replace('_', ' ')}*" in opening.replace("*C", "*c")
            self.assertEqual(excepted, usual not in needs, name)

    def test_a_lab_that_the_course_names_uses_what_its_chapters_link_to(self):
        """A lab is no sooner named than the first chapter that leads to it."""
        stops = paths.PATHS["course"].stops
        for week in paths.PATHS["course"].weeks:
            for lab in paths.labs_after(week):
                latest = max(stops.index(each) for each in week.stops)
                leads = paths.leads_to().get(lab, week.stops[0])  # no chapter need lead there
                self.assertLessEqual(stops.index(leads), latest, lab)

    def test_what_is_not_there_is_named(self):
        with self.assertRaisesRegex(FigureError, "no heading that would be #nowhere"):
            paths.title_of(f"{paths.WEEKEND}#nowhere")
        with self.assertRaisesRegex(FigureError, "does not say what docs/style.md needs"):
            paths.needs_text("docs/style.md")


if __name__ == "__main__":
    unittest.main()
