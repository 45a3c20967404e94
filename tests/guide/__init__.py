"""Tests of the guide: its pages, the blocks of code in them, and the site that is built from them."""
