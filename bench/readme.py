"""The figures of a benchmark run as Markdown tables, put between two marks in the README."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from peers.table import table

BEGIN = "<!-- figures: python bench/run.py --readme -->"
END = "<!-- end of figures -->"


def rewrite_figures(readme: Path, bench: Path, peers: Path) -> None:
    """Replace what stands between the marks by the tables of two result files."""
    before, _, rest = readme.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    figures = "\n".join([*bench_tables(bench), "", *peer_tables(peers)])
    readme.write_text(f"{before}{BEGIN}\n{figures}\n{END}{after}", "utf-8")


def peer_tables(source: Path) -> Iterator[str]:
    """Yield the comparison with other packages: where it ran, then one table per tensor."""
    report = json.loads(source.read_text("utf-8"))
    releases = ", ".join(f"{name} {release}" for name, release in report["packages"].items())
    yield f"From `results/{source.name}`: {report['date']}, {report['cpu']}; {releases}."
    if "load" in report and report["load"] > report["cores"] - report["threads"]:
        yield (
            f"Threads: {report['threads']}. Others used the {report['cores']} processors as well "
            f"(a load of {report['load']:g} when it began): the seconds are too high."
        )
    for tensor, runs in report["tensors"].items():
        yield ""
        yield from table(tensor, runs)


def bench_tables(source: Path) -> Iterator[str]:
    """Yield the lines: where it ran, then one table per kind of question."""
    report = json.loads(source.read_text("utf-8"))
    results: list[dict[str, Any]] = report["results"]
    machine = results[0]["machine"]
    yield (
        f"From `results/{source.name}`: {report['date']}, commit {report['commit']}, "
        f"{machine['cpu']}, {machine['compiler']}, `{machine['flags']}`."
    )
    single = [one for one in results if "run" in one]
    if single:
        yield from iteration_table(single)
    compared = [one for one in single if "compare" in one["run"]]
    if compared:
        yield from comparison_table(compared)
    for one in results:
        if "series" in one:
            yield from series_table(one)


def iteration_table(results: list[dict[str, Any]]) -> Iterator[str]:
    """One tensor per line: steps of the best iteration and what they amount to."""
    yield ""
    yield (
        "| case | threads | plan | factors | core | error | prune | **iteration** | median "
        "| GFLOP/s (peak) | GB/s (triad) | peak memory |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for one in results:
        run, machine = one["run"]["result"], one["machine"]
        steps = (run[name]["seconds"] for name in ("factors", "core", "error", "prune"))
        cells = [
            one["label"],
            run["threads"],
            in_seconds(run["plan"]),
            *(in_seconds(step) for step in steps),
            f"**{in_seconds(run['best'])}**",
            in_seconds(run["median"]),
            f"{run['iteration']['gflops']:.1f} ({machine['peak_gflops']:.0f})",
            f"{run['iteration']['gbytes_per_second']:.1f} "
            f"({machine['triad_gbytes_per_second']:.0f})",
            in_bytes(run["peak_memory"]),
        ]
        yield row(cells)


def comparison_table(results: list[dict[str, Any]]) -> Iterator[str]:
    """One comparison per line."""
    yield ""
    yield "| case | compared with | its iteration | ours | verdict |"
    yield "|---|---|---|---|---|"
    for one in results:
        run, compare = one["run"]["result"], one["run"]["compare"]
        if compare["with"] == "literal":
            agree = "same errors" if compare["errors_agree"] else "**errors differ**"
            verdict = f"{compare['ratio']:.0f} times faster, {agree}"
            other = "the paper's loops"
        else:
            verdict = (
                f"{compare['share_of_time']:.2f} of the time, "
                f"{compare['share_of_time_without_pruning']:.2f} without pruning"
            )
            other = compare["with"]
        theirs = in_seconds(compare["other"]["best"])
        yield row([one["label"], other, theirs, in_seconds(run["best"]), verdict])


def series_table(result: dict[str, Any]) -> Iterator[str]:
    """One point of a series per line, and the slope below."""
    series = result["series"]
    over = series["over"]
    if over == "busy":
        yield from busy_table(result)
        return
    yield ""
    name = over if over == result["label"] else f"{result['label']}: {over}"
    yield row([name, "iteration", "plan", "peak memory"])
    yield "|---|---|---|---|"
    for point in series["points"]:
        run = point["result"]
        gain = f" (gain {point['gain']:.2f})" if "gain" in point else ""
        time = in_seconds(run["best"]) + gain
        yield row(
            [f"{point['x']:,.0f}", time, in_seconds(run["plan"]), in_bytes(run["peak_memory"])]
        )
    yield ""
    if over == "threads":
        same = "yes" if series["same_bits"] else "NO"
        yield f"Models have the same bits for all of them: {same}."
    elif over == "order":
        yield f"Slope of the time per core element, log-log: {series['slope']:.2f}."
    elif "slope" in series:
        yield f"Slope of the time from 100,000 on, log-log: {series['slope']:.3f}."


def busy_table(result: dict[str, Any]) -> Iterator[str]:
    """One number of busy processes per line, and whether two threads never lose much."""
    series = result["series"]
    yield ""
    yield (
        f"{result['label']}: {series['entries']:,} entries, {series['iterations']} iterations, "
        f"{series['processors']} processors. The ratio is that of two threads to the better of one "
        "thread and the fair share: what two threads take alone, times threads and processes per "
        "processor."
    )
    yield ""
    yield row(["busy processes", "one thread", "two threads", "fair share", "ratio"])
    yield "|---|---|---|---|---|"
    for point in series["points"]:
        times = (in_seconds(point[name]) for name in ("one_thread", "two_threads", "fair_share"))
        yield row([point["x"], *times, f"{point['ratio']:.2f}"])
    yield ""
    met = "yes" if series["met"] else "NO"
    same = "yes" if series["same_bits"] else "NO"
    yield f"Never above {series['aim']}: {met}. Models have the same bits for both: {same}."


def row(cells: list[Any]) -> str:
    """Return a line of a Markdown table."""
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def in_seconds(seconds: float) -> str:
    """Return a time with a unit that suits it."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} µs"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.2f} s"


def in_bytes(size: float) -> str:
    """Return an amount of memory with a unit that suits it."""
    return f"{size / 2**20:.0f} MiB" if size < 2**30 else f"{size / 2**30:.2f} GiB"
