"""Runs a script and watches it: the script's own process writes a record of the devices and settings that it makes."""
