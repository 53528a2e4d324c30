"""``python -m vest_tucker``: the same as the command ``vest-tucker``."""

from vest_tucker.cli.process import start

if __name__ == "__main__":
    start()
