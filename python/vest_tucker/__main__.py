"""``python -m vest_tucker``: the same as the command ``vest-tucker``."""

import sys

from vest_tucker.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
