"""The notebooks run from top to bottom on recorded results, and are stored without outputs."""

import json
import pathlib
import re
import shutil
import tempfile
import unittest

import nbclient
import nbformat

from tests import ROOMS

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "notebooks"
MOST = 6  # notebooks; more would be another book
SECONDS = 60  # for a cell


class NotebooksTest(unittest.TestCase):
    """All notebooks, by name."""

    def setUp(self):
        """Finds them."""
        self.paths = sorted(FOLDER.glob("*.ipynb"))
        self.assertGreater(len(self.paths), 0)
        self.assertLessEqual(len(self.paths), MOST)

    def test_they_are_valid_and_hold_no_outputs(self):
        """A reader sees what their own run prints."""
        for path in self.paths:
            with self.subTest(notebook=path.name):
                notebook = nbformat.read(path, as_version=4)
                nbformat.validate(notebook)
                ids = [cell.id for cell in notebook.cells]
                self.assertEqual(len(ids), len(set(ids)))
                for cell in notebook.cells:
                    self.assertEqual(cell.get("outputs", []), [])
                    self.assertIsNone(cell.get("execution_count"))

    def test_they_run(self):
        """Each cell, in order, in the folder of the notebooks."""
        for path in self.paths:
            if "gemm_ladder" in path.read_text():
                continue  # it needs the wheel: see notebook_magic_test.py
            with self.subTest(notebook=path.name):
                notebook = nbformat.read(path, as_version=4)
                nbclient.NotebookClient(
                    notebook, timeout=SECONDS, resources={"metadata": {"path": str(FOLDER)}}
                ).execute()
                printed = [
                    output
                    for cell in notebook.cells
                    for output in cell.get("outputs", [])
                    if output.output_type == "stream" and output.name == "stdout"
                ]
                self.assertGreater(len(printed), 2)

    def test_the_roofline_is_drawn_for_your_machine(self):
        """Files of your own are read where the notebook says; here they are the recorded ones."""
        recorded = FOLDER.parent / "bench" / "results" / "nvidia-h200"
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in (*ROOMS, "mkdocs.yml"):
                (root / name).symlink_to(FOLDER.parent / name)
            shutil.copy(recorded / "roofs.json", root / "my_roofs.json")
            shutil.copy(recorded / "climb_burst_4096.json", root / "my_climb.json")
            notebook = nbformat.read(FOLDER / "01_roofline.ipynb", as_version=4)
            nbclient.NotebookClient(
                notebook, timeout=SECONDS, resources={"metadata": {"path": folder}}
            ).execute()
        last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
        self.assertEqual([output.output_type for output in last.outputs], ["display_data"])

    def test_their_links_lead_somewhere(self):
        """Files that texts link to are there."""
        for path in self.paths:
            for cell in json.loads(path.read_text())["cells"]:
                if cell["cell_type"] != "markdown":
                    continue
                for link in re.findall(r"\]\(([^)#:]+)[^)]*\)", "".join(cell["source"])):
                    with self.subTest(notebook=path.name, link=link):
                        self.assertTrue((FOLDER / link).exists())


if __name__ == "__main__":
    unittest.main()
