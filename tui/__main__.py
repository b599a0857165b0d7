"""`python -m harkback.tui` is the same as `harkback`."""

from .cli import main

main()
