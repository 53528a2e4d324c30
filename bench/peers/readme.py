"""The table of systems in README.md beside this file: `PYTHONPATH=bench python -m peers.readme`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from peers.systems import SYSTEMS

PAGE = Path(__file__).with_name("README.md")
BEGIN = "<!-- systems: python -m peers.readme -->"
END = "<!-- end of systems -->"
KINDS = {
    "ours": "Ours",
    "paper": "Competitors in the VeST paper",
    "user": "What a user would take today",
}


def main() -> None:
    """Replace what stands between the marks."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text("\n".join([before + BEGIN, *lines(), END + after]), "utf-8")


def lines() -> Iterator[str]:
    """Yield one table per kind of system."""
    for number, (kind, heading) in enumerate(KINDS.items()):
        if number:
            yield ""
        yield f"### {heading}"
        yield ""
        yield "| name | system | reference | how it is made fair | where it departs | settings |"
        yield "|---|---|---|---|---|---|"
        for name, peer in SYSTEMS.items():
            if peer.kind == kind:
                known = peer.settings({})
                settings = ", ".join(f"`{key}={value!r}`" for key, value in known.items())
                yield (
                    f"| `{name}` | {peer.title} | {peer.reference} | {peer.fair} "
                    f"| {peer.departs} | {settings} |"
                )


if __name__ == "__main__":
    main()
