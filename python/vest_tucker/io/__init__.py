"""Files in and out: one file per format, each of them written whole or not at all."""

from vest_tucker.io.files import read, write
from vest_tucker.io.request import FileInfo

__all__ = ["FileInfo", "read", "write"]
