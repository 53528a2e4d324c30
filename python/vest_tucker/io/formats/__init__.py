"""The register of file formats: one file for each, and one line in each of the two lists here."""

from __future__ import annotations

from typing import Literal, TypeAlias

from vest_tucker.io.format import Format
from vest_tucker.io.formats import delimited, npz, parquet, sptensor, tns

FormatName: TypeAlias = Literal["tns", "sptensor", "csv", "tsv", "parquet", "npz"]

# A file whose suffix says nothing has the first format here that recognises it. Formats with
# unmistakable first bytes come first; the last one takes all that is left.
FORMATS: tuple[Format, ...] = (
    npz.FORMAT,
    parquet.FORMAT,
    sptensor.FORMAT,
    delimited.CSV,
    delimited.TSV,
    tns.FORMAT,
)
