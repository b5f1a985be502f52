"""The classroom: hands out starters, checks and grades one kernel of one student."""
