"""Tests of the classroom, and the classes that they make up."""
