"""Starts OpenNMT-tf as its command onmt-main does."""

from opennmt.bin.main import main

main()
