"""Which of the errors of several threads is the first."""

from __future__ import annotations

from tf1mem.v1.contrib.tpu._packages import file

ErrorRendezvous = file("error_handling").ErrorRendezvous
