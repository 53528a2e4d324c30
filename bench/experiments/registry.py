"""The experiments by name: what each figure is called, and where its jobs come from."""

from __future__ import annotations

from experiments.harness.job import Experiment
from experiments.harness.machine import ROOT
from experiments.measures import (
    ablations,
    comparison,
    discovery,
    pruning,
    recovery,
    scaling,
    targets,
    times,
)

HERE = ROOT / "bench" / "experiments"
SETS = HERE / "sets"
SYSTEMS = HERE / "measures" / "systems.py"

EXPERIMENTS = {
    each.name: each
    for each in (
        Experiment("figure1", "Sparsity and error", comparison.jobs, (SETS, SYSTEMS)),
        Experiment("figure2", "Targets and sizes", targets.jobs, (SETS, SYSTEMS), timed=True),
        Experiment("figure3", "Error over time", times.jobs, (SETS, SYSTEMS), timed=True),
        Experiment("figure4", "Scalability", scaling.jobs, (scaling.BENCH_SOURCES,), timed=True),
        Experiment(
            "figure5", "What zeros cost", pruning.jobs, (SETS, HERE / "measures/pruning.py")
        ),
        Experiment("figure6", "Discovery", discovery.jobs, (HERE / "measures/discovery.py",)),
        Experiment("figure7", "Recovery", recovery.jobs, recovery.SOURCES),
        Experiment(
            "figure8",
            "Ablations",
            ablations.jobs,
            (SETS, HERE / "measures/ablations.py", HERE / "studies/ablation.py"),
        ),
    )
}
