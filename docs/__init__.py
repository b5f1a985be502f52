"""The book: pages, programs that draw its figures, and the report that writes results into it."""
