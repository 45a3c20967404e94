"""Carries out plans in this process, and keeps the report of their outcomes."""
