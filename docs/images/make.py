"""Draws the images of docs/pictures.md anew: each is what the Python block before it drew.

Run it from anywhere, with the extra `plot` installed: python docs/images/make.py
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

IMAGES = Path(__file__).parent
PAGE = IMAGES.parent / "pictures.md"
PARTS = re.compile(r"^```python\n(.*?)^```$|\]\(images/(.+?)\)", re.DOTALL | re.MULTILINE)
DOTS_PER_INCH = 90


def main() -> None:
    """Run the blocks in order; save the figure that the last one made where an image is shown."""
    session: dict[str, object] = {"__name__": "__main__"}
    os.chdir(tempfile.mkdtemp())
    for part in PARTS.finditer(PAGE.read_text("utf-8")):
        if part[1]:
            plt.close("all")
            exec(compile(part[1], str(PAGE), "exec"), session)
        else:
            first = plt.figure(plt.get_fignums()[0])
            first.savefig(IMAGES / part[2], dpi=DOTS_PER_INCH)


if __name__ == "__main__":
    main()
