"""Finds the files of folders, rewrites them in several processes, writes them safely, and reports."""
