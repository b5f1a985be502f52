"""A source is read in whatever encoding an editor has written it.

python3 -m tests.classroom.source_text_test
"""

import unittest

from classroom.source_text import decoded


class DecodedTest(unittest.TestCase):
    """decoded()"""

    def test_whatever_an_editor_writes(self):
        text = "int größe;\r\n// 和\n"
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"):
            with self.subTest(encoding):
                self.assertEqual(decoded(text.encode(encoding)), text)
        self.assertEqual(decoded(b"\xef\xbb\xbf"), "")
        self.assertEqual(decoded(b""), "")
        self.assertEqual(decoded(b"a"), "a")
        self.assertEqual(decoded(b"a \xe9 b"), "a \ufffd b")
        self.assertEqual(decoded(b"int a\0;"), "int a\0;")


if __name__ == "__main__":
    unittest.main()
