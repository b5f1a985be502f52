"""common/side_aware/sideaware.py: operators, allocator and errors, on a made-up PyTorch and GPU.

    LADDER_SIDE_AWARE=build/lib/libside_aware.so LADDER_MADE_UP_CUDA=build/tests/made_up/libcuda.so.1 \\
        python3 -m tests.common.side_aware.sideaware_test
"""

import os
import unittest
from unittest import mock

from tests import SOURCES
from tests.common.side_aware import made_up_torch

LIBRARY = os.environ.get("LADDER_SIDE_AWARE")
MADE_UP_CUDA = os.environ.get("LADDER_MADE_UP_CUDA")
torch = made_up_torch.install()
from common.side_aware import sideaware  # noqa: E402

LISTING = (SOURCES / "tests/common/side_aware/listings/memcpy.txt").read_text()
ADD = LISTING.replace("unused o1, o2, o3, i1,", "int i1; typedef unused o1, o2, o3,").replace(
    "out0 = in0;", "out0 = in0 + in1;"
)


class RegistrationTest(unittest.TestCase):
    """What PyTorch is told; no library is needed for that."""

    def test_the_operators_say_what_they_write(self):
        registered = made_up_torch.REGISTERED
        self.assertEqual(set(registered), {"memcpy", "elementwise"})
        self.assertEqual(registered["memcpy"]["schema"], "(dst!, src)")
        self.assertEqual(
            registered["elementwise"]["schema"], "(header, outputs!, inputs, sideband)"
        )
        self.assertIs(registered["memcpy"]["CUDA"], sideaware.memcpy)
        for each in registered.values():
            self.assertIsNone(each["fake"](1, 2, sideband=3))
            self.assertEqual(each["tags"], (torch.Tag.pt2_compliant_tag,))

    def test_a_missing_library_is_named(self):
        missing = {"SIDEAWARE_LIBRARY": "/no/such/library.so"}
        with mock.patch.dict(os.environ, missing), self.assertRaises(FileNotFoundError) as caught:
            sideaware.library.__wrapped__()
        self.assertIn("/no/such/library.so is not there", str(caught.exception))
        self.assertIn("ninja -C build side_aware", str(caught.exception))


@unittest.skipUnless(LIBRARY and MADE_UP_CUDA, "this build has no code for GPUs")
class OperatorsTest(unittest.TestCase):
    """Through the library to the kernels' arguments."""

    @classmethod
    def setUpClass(cls):
        os.environ["SIDEAWARE_LIBRARY"] = LIBRARY
        cls.gpu = made_up_torch.Gpu(MADE_UP_CUDA)
        sideaware.library().sideaware_compiler.restype = sideaware.ctypes.c_char_p
        if not sideaware.library().sideaware_compiler():
            raise unittest.SkipTest(sideaware.library().sideaware_error().decode())
        sideaware.use_allocator()

    def test_the_allocator_has_the_names_of_the_text(self):
        self.assertEqual(
            made_up_torch.ALLOCATOR.names, (LIBRARY, "sideaware_malloc_auto", "sideaware_free_auto")
        )
        before, _, off_rule = sideaware.state()
        tensor = torch.randn(1 << 20, "cuda")
        self.assertEqual(sideaware.state()[0] - before, 4 << 20)
        self.assertEqual((tensor.data_ptr() % (4 << 20), off_rule), (0, 0))
        self.assertEqual(sideaware.mask(), 0xB3000)

    def test_memcpy_copies_on_the_current_stream(self):
        source = torch.randn(5003, "cuda")
        target = torch.zeros_like(source)
        wanted = list(source.values())
        torch.ops.sideaware.memcpy(target, source)
        self.assertEqual(list(target.values()), wanted)
        self.assertEqual(self.gpu.driver.made_up_last_stream(), made_up_torch.STREAM)

    def test_elementwise_gives_tensors_in_their_order(self):
        out, in0, in1 = (torch.randn(1000, "cuda") for _ in range(3))
        torch.ops.sideaware.elementwise(ADD, [out], [in0, in1], 7)
        launch = self.gpu.launches[-1]
        self.assertEqual(list(launch.outputs), [out.data_ptr(), None, None, None])
        self.assertEqual(list(launch.inputs), [in0.data_ptr(), in1.data_ptr(), None, None])
        self.assertEqual((launch.elements, launch.sideband), (1000, 7))

    def test_tensors_that_do_not_fit_are_refused(self):
        tensor, other = torch.randn(1000, "cuda"), torch.randn(1004, "cuda")
        launches = self.gpu.driver.made_up_launches()
        with self.assertRaisesRegex(ValueError, "4016 bytes does not fit one of 4000"):
            torch.ops.sideaware.memcpy(tensor, other)
        with self.assertRaisesRegex(RuntimeError, "16 bytes"):
            torch.ops.sideaware.memcpy(tensor[1:], other[5:])
        for outputs, inputs in (([], [tensor]), ([tensor], 5 * [tensor]), (5 * [tensor], [])):
            with self.assertRaisesRegex(ValueError, "1 to 4 outputs"):
                torch.ops.sideaware.elementwise(LISTING, outputs, inputs)
        with self.assertRaisesRegex(RuntimeError, "input 0"):
            torch.ops.sideaware.elementwise(LISTING, [tensor], [])
        with self.assertRaisesRegex(RuntimeError, "header.1.: error"):
            torch.ops.sideaware.elementwise("nonsense", [tensor], [tensor])
        strided, elsewhere = tensor[:], tensor[:]
        strided.contiguous = False
        elsewhere.device = 1
        with self.assertRaisesRegex(ValueError, "contiguous"):
            torch.ops.sideaware.memcpy(strided, tensor)
        with self.assertRaisesRegex(ValueError, r"several devices: \[0, 1\]"):
            torch.ops.sideaware.memcpy(elsewhere, tensor)
        self.assertEqual(self.gpu.driver.made_up_launches(), launches)


if __name__ == "__main__":
    unittest.main()
