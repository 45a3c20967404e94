"""The release of gym whose rollouts are recorded."""

VERSION = "0.15.7"
