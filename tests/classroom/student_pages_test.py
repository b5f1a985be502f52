"""Pages as a class's repository has them, of made-up pages.

python3 -m tests.classroom.student_pages_test
"""

import unittest

from bench.rungs import own_rungs
from classroom import student_pages

HIDDEN = "*This code is {}, so the repository of a class does not show it.*\n"


class StudentPagesTest(unittest.TestCase):
    """Answers, commands, links, and what only readers of the book need."""

    def test_answers_are_hidden_and_everything_else_stays(self):
        page = "Text `a`\n\n```cuda\nx = 1;\n```\n\n  ````text\n  keep\n  ````\n```sh\nmake\n```\n"
        block = "```cuda\nx = 1;\n```\n"
        for secrets in ({}, {2: {"y = 2;"}, 3: set()}, {2: {"x = 1;", "y = 2;"}}):
            self.assertEqual(student_pages.without_answers(page, secrets), page)
        for own, exercise in ((None, "the exercise of rung 02"), (2, "your exercise")):
            self.assertEqual(
                student_pages.without_answers(page, {2: {"x = 1;"}}, own),
                page.replace(block, HIDDEN.format(exercise)),
            )
        self.assertIn("rung 02", student_pages.without_answers(page, {2: {"x = 1;"}}, 3))

    def test_a_change_keeps_what_is_no_answer(self):
        page = "```diff\n   a = 0;\n-  old = 1;\n-  old = 2;\n+  new = 3;\n```\n"
        below = {2: {"old = 1;", "old = 2;"}}
        self.assertEqual(
            student_pages.without_answers(page, below, 3), "```diff\n   a = 0;\n+  new = 3;\n```\n"
        )
        self.assertEqual(
            student_pages.without_answers(page, {**below, 3: {"new = 3;"}}, 3),
            HIDDEN.format("your exercise"),
        )

    def test_commands_that_are_not_there_go(self):
        page = (
            "Ask. Then `make grade RUNG=02` gives points. Or `build/ladder\ntrace 02 --warp 0,3`.\n"
            "\n```sh\nbuild/ladder trace 02   # this\nncu --metrics \\\n  build/ladder run 02\n"
            "build/ladder run 02 --device gpu\n```\n\n```sh\nmake diff RUNG=02\n```\nEnd.\n"
        )
        self.assertEqual(
            student_pages.with_own_commands(page),
            "Ask. Or `python3 -m classroom.student trace 02 --warp 0,3`.\n"
            "\n```sh\npython3 -m classroom.student trace 02   # this\n```\n\nEnd.\n",
        )

    def test_nobody_is_sent_to_measure(self):
        left = "# Title\n\nCount and, if you have a GPU, time them."
        page = f"{left} If\nyou have a GPU, measure it (`make run`). Why?\n"
        for said in (
            student_pages.lesson_page(page, own_rungs()[1], {}),
            student_pages.chapter_page(page, {}),
        ):
            self.assertEqual(said, f"{left} Why?\n")

    def test_a_paragraph_that_loses_its_beginning_has_no_blank_there(self):
        page = "# Title\n\nWith a GPU, time it. How many are they?\n"
        self.assertEqual(student_pages.chapter_page(page, {}), "# Title\n\nHow many are they?\n")

    def test_what_is_said_of_a_widget_goes_with_it(self):
        widget = "\n\n<!-- widget banks width=4 -->\n\n## Next\n"
        for text, left in (
            ("The widget shows 4096.\nHow small must it be?", ""),
            (
                "So it takes 16. In the [widget](../a.md), take\nit away, or try padding:",
                "So it takes 16.",
            ),
            ("No word of it.", "No word of it."),
        ):
            pages = (
                student_pages.lesson_page(
                    "A widget.\n\n" + text + widget, list(own_rungs().values())[1], {}
                ),
                student_pages.chapter_page("A widget.\n\n" + text + widget, {}),
            )
            for page in pages:
                self.assertEqual(page.split(), ("A widget. " + left + " ## Next").split())

    def test_a_chapter_says_what_a_class_does_not_have(self):
        page = "# Title\n\nUse `make lab LAB=tlb`, then `build/ladder check 03`.\n"
        said = student_pages.chapter_page(page, {})
        self.assertTrue(said.startswith("# Title\n\n*This is a page of the whole book."), said)
        self.assertIn("such as\n`make lab`", said)
        self.assertIn("`make lab LAB=tlb`, then `python3 -m classroom.student check 03`", said)
        for left in ("check", "run 05 --m 3", "check 03 --json found.json"):
            said = student_pages.chapter_page(f"# Title\n\nUse `build/ladder {left}`.\n", {}, {3})
            self.assertIn(f"`build/ladder {left}`: these need the whole ladder", said)
            self.assertIn(f"Use `build/ladder {left}`.", said)
        said = student_pages.chapter_page("# Title\n\nUse `build/ladder run 03`.\n", {}, {3})
        self.assertEqual(said, "# Title\n\nUse `python3 -m classroom.student run 03`.\n")
        plain = "# Title\n\nUse `make trace`.\n"
        self.assertEqual(student_pages.chapter_page(plain, {}), plain)

    def test_a_lesson_is_about_the_copy_in_work(self):
        rung = own_rungs()[2]
        page = (
            '# T\n\n=== "With a GPU"\n\n    on a GPU\n\n=== "Without a GPU"\n\n    ```sh\n'
            "    make run\n    ```\n\nIt takes <!-- value x -->3 %<!-- /value -->.\n\n"
            "<!-- begin code a.cuh: B -->\n## Exercises\n\n"
        )
        told = "Run `make build` after each change in `ladder/`. `git\ncheckout` undoes it.\n\n"
        for also in ("", told):  # a lesson may say how the ladder's own kernel is changed
            said = student_pages.lesson_page(f"{page}{also}End.\n", rung, {})
            self.assertIn(
                "# T\n\n```sh\nmake run\n```\n\nIt takes 3 %.\n\n## Exercises\n\nWork", said
            )
            self.assertIn(f"`work/{rung.folder}`, its `launch.cu` included", said)
            self.assertTrue(said.endswith("then brings it back.\n\nEnd.\n"), said)

    def test_a_lesson_says_whose_results_it_shows_where_it_shows_them(self):
        rung = own_rungs()[2]
        page = "# T\n\n## The maths\n\nx\n\n## Run it\n\n```sh\nmake run RUNG=02\n```\n\n## Quiz\n"
        said = " ".join(student_pages.lesson_page(page, rung, {}).split())
        _, _, below = said.partition("## Run it ")
        note, _, commands = below.partition("```sh")
        self.assertIn(f"your own kernel in `work/{rung.folder}`", note)
        self.assertIn("fill the gap first", note)
        self.assertIn("make run RUNG=02", commands)
        self.assertEqual(said.count("fill the gap first"), 1)

    def test_a_prediction_says_that_it_takes_a_start(self):
        page = "# T\n\n## Predict\n\nKeep your answers before you read on:\n\n## Quiz\n"
        said = student_pages.lesson_page(page, own_rungs()[2], {})
        self.assertIn("`make start RUNG=02` first", said)

    def test_links_that_lead_nowhere_become_words(self):
        tree = {"ladder", "ladder/02_a", "ladder/02_a/README.md", "docs/b.md", "docs/c.svg"}
        for link, expected in (
            ("[b](../../docs/b.md)", "[b](../../docs/b.md)"),
            ("[b](../../docs/b.md#part)", "[b](../../docs/b.md#part)"),
            ("[x\ny](../../docs/x.md#part)", "x\ny"),
            ("[a `b` [c]](x.md)", "a `b` [c]"),
            ("[other](../03_b/README.md)", "other"),
            ("[folder](../)", "[folder](../)"),
            ("![c](../../docs/c.svg)", "![c](../../docs/c.svg)"),
            ("![d](../../docs/d.svg)", ""),
            ("[site](https://example.org/x)", "[site](https://example.org/x)"),
            ("[below](#part)", "[below](#part)"),
            ("`f[0](x)`", "`f[0](x)`"),
            ("``a ` [0](x)``", "``a ` [0](x)``"),
            ("```cuda\nf[0](x);\n```\n", "```cuda\nf[0](x);\n```\n"),
        ):
            page = f"Before\n\n{link}\n\nafter.\n"
            self.assertEqual(
                student_pages.with_living_links(page, "ladder/02_a/README.md", tree),
                page.replace(link, expected),
            )


if __name__ == "__main__":
    unittest.main()
