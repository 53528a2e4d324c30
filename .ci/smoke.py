"""Fits a small tensor with the installed package: what a wheel must at least be able to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import vest_tucker as vt

rng = np.random.default_rng(0)
shape = (20, 15, 10)
cells = np.indices(shape).reshape(3, -1).T
coords = cells[rng.permutation(len(cells))[:1500]]
values = (1.0 + coords[:, 0] % 3) * (1.0 + coords[:, 1] % 2) + 0.01 * rng.standard_normal(1500)

tensor = vt.SparseTensor(coords, values, shape)
model = vt.fit(tensor, (3, 3, 2), seed=0)
print(vt.__file__)
print(tensor)
print(model)
model.report("report.html")  # needs the files that are in the wheel beside Python's
maps = Path("/proc/self/maps")
used = {line.split()[-1] for line in maps.read_text("utf-8").splitlines()} if maps.exists() else ()
for library in used:
    if "libgomp" in library:
        assert ".libs/" in library, f"{library} is the system's, not the wheel's"
assert 0 < vt.relative_error(model, tensor) < 1, "the fit explains nothing"
