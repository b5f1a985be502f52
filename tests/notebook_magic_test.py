"""%%glassbox: cells that are programs, or kernels and a few lines of host code.

The notebook runs in an environment that has nothing of this project but what the wheel brings: the
installed tree and the package. With LADDER_TEST_ALL, in a new one with the wheel itself, whose programs
are those of the build folder: to compile them again would take many minutes more.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import nbclient
import nbformat

from glassbox.gemm_ladder.whole_program import start_of_host_code, whole_program
from tests import SOURCES

BUILD = pathlib.Path(os.environ.get("LADDER_BUILD", SOURCES / "build"))
NOTEBOOK = SOURCES / "notebooks" / "06_own_kernels.ipynb"
SECONDS = 120  # for a cell

CELL = """\
// two kernels
#define N 4 \\
  + 1
template <class T>
__global__ void k(T* x) {
  x[0] = "}{"[0]; // }
}
struct S { int a; };
const int n = 3;
float twice(float x) {
  return 2 * x;
}
float* x;
for (int i = 0; i < 2; ++i) { k<<<1, 1>>>(x); }
"""


def copy_of_wheel(folder):
    """What `pip install .` puts into a folder of Python packages."""
    package = pathlib.Path(folder) / "gemm_ladder"
    shutil.copytree(SOURCES / "glassbox" / "gemm_ladder", package)
    subprocess.run(
        ["cmake", "--install", BUILD, "--prefix", package / "installed"],
        check=True,
        capture_output=True,
    )


def environment_with_wheel(folder):
    """Its Python: a new environment with the wheel and Jupyter's kernel."""
    wheels = pathlib.Path(folder) / "wheels"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [f"{folder}/bin/pip", "--quiet", "--disable-pip-version-check"]
    settings = (f"build-dir={folder}/made", f"cmake.define.LADDER_BUILT={BUILD}")
    made = [f"--config-settings={setting}" for setting in settings]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", wheels, *made, SOURCES], check=True)
    (wheel,) = wheels.glob("*.whl")
    pins = ["-c", SOURCES / "notebooks/requirements.txt", "-c", SOURCES / ".ci/constraints.txt"]
    subprocess.run([*pip, "install", wheel, "ipykernel", *pins], check=True)
    return f"{folder}/bin/python"


def outputs_of(cell):
    """{kind: text} of a cell that has run: stdout, stderr and text/html."""
    texts = {"stdout": "", "stderr": "", "text/html": ""}
    for output in cell.outputs:
        if output.output_type == "stream":
            texts[output.name] += output.text
        else:
            texts["text/html"] += output.data.get("text/html", "")
    return texts


class WholeProgramTest(unittest.TestCase):
    """Where the host's code begins."""

    def test_host_code_is_put_into_main(self):
        """The program's lines are those of the cell, whose first is the magic's."""
        self.assertTrue(CELL[start_of_host_code(CELL) :].startswith("float* x;"))
        rows = whole_program(CELL).splitlines()
        self.assertEqual(rows[1:12], CELL.splitlines()[:11])
        self.assertIn("int main() { float* x;", rows[13])
        self.assertIn("k<<<1, 1>>>", rows[14])

    def test_a_program_stays_as_it_is(self):
        """It has a main() of its own."""
        program = "#include <cstdio>\nint main() {}\n"
        self.assertEqual(whole_program(program), "\n" + program)

    def test_kernels_alone(self):
        """Are a program that does nothing."""
        self.assertIn("int main() {", whole_program("__global__ void k() {}"))


class NotebookTest(unittest.TestCase):
    """Broken, mended, faster."""

    @classmethod
    def setUpClass(cls):
        """Runs the notebook."""
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        kernel = {"PYTHONPATH": cls.folder, "LADDER_FRONT_END": "none"}
        python = sys.executable
        if os.environ.get("LADDER_TEST_ALL"):
            python = environment_with_wheel(f"{cls.folder}/environment")
            del kernel["PYTHONPATH"]
        else:
            copy_of_wheel(cls.folder)
        specification = pathlib.Path(cls.folder, "jupyter", "kernels", "own")
        specification.mkdir(parents=True)
        words = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        text = json.dumps(
            {"argv": words, "display_name": "own", "language": "python", "env": kernel}
        )
        (specification / "kernel.json").write_text(text)
        os.environ["JUPYTER_PATH"] = f"{cls.folder}/jupyter"
        cls.addClassCleanup(os.environ.pop, "JUPYTER_PATH")
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        nbclient.NotebookClient(
            notebook,
            timeout=SECONDS,
            kernel_name="own",
            resources={"metadata": {"path": cls.folder}},
        ).execute()
        cells = [cell for cell in notebook.cells if cell.source.startswith("%%glassbox")]
        cls.broken, cls.mended, cls.faster = (outputs_of(cell) for cell in cells)

    def test_the_broken_one_is_wrong_at_its_lines(self):
        """The race is told in the report, and marked in the cell."""
        self.assertIn("race", self.broken["stderr"])
        html = self.broken["text/html"]
        self.assertIn("<b>7</b>", html)
        self.assertIn("<b>9</b>", html)

    def test_the_mended_one_is_right(self):
        """Nothing is marked."""
        self.assertEqual(self.mended["stdout"], "0 of 65536 elements are wrong\n")
        self.assertIn("no hazards", self.mended["stderr"])
        self.assertEqual(self.mended["text/html"], "")

    def test_the_faster_one_shows_the_page(self):
        """Within the notebook."""
        self.assertIn("no hazards", self.faster["stderr"])
        self.assertIn("<iframe srcdoc=", self.faster["text/html"])
        self.assertIn("tile[x][i]", self.faster["text/html"])


if __name__ == "__main__":
    unittest.main()
