"""The page of the documentation about the command line, made of the parsers themselves.

``python -m vest_tucker.cli.page > docs/command-line.md`` writes it anew; a test compares the two.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from vest_tucker.cli.command import READING, Command
from vest_tucker.cli.commands import COMMANDS
from vest_tucker.cli.output import SCHEMA
from vest_tucker.cli.parser import make_parser, parser_of

OF_ALL = ("help", "traceback", "progress", "quiet")  # options of all commands
HEAD = f"""# On the command line

`vest-tucker`, or `python -m vest_tucker`, does from a shell what the functions do in Python, with
the same options and the same defaults. A whole job is one line:

```sh
{COMMANDS[1].examples[0]}
```

- Results go to standard output; messages, warnings and progress go to standard error. Progress is
  shown on a terminal, from the third second on; `--progress` asks for it at once and elsewhere, a
  line a minute, `--no-progress` forbids it, and `--quiet` forbids messages and warnings, too.
- `-` is standard input or output wherever a file is named.
- `--json` prints the result as JSON. Its `schema_version` is {SCHEMA} at present: a new key leaves
  it as it is; a key that goes, or changes its meaning, raises it. What is unknown is `null`.
- The exit code is 0; 1 if data or a model are at fault, with one sentence on standard error that
  says what to do; 2 if the command line is, an option that means nothing included; 130 after
  Ctrl-C, 143 after SIGTERM. A fit that is interrupted writes the model as it stands.
- The suffix of a file says what is written: `.npz` for a model, `.html` for a page, and `.csv`,
  `.tsv`, `.txt`, `.parquet`, or with `--json` `.jsonl`, for predictions. Any other is refused, and
  a model or table without a suffix is taken as it is.
- `NO_COLOR` turns colors off. They are used on terminals only.
- Tables, as CSV and Parquet, need `pip install 'vest-tucker[io]'`; completion needs
  `pip install 'vest-tucker[cli]'`, and is turned on for bash by
  `eval "$(vest-tucker --print-completion bash)"`; zsh and tcsh have it, too.

Options below that are named like those of Python functions are made of them: here is their first
sentence, and [the options of `fit`](options.md) or the [functions](api.md) tell the rest. Masks,
arrays and functions (`support`, `keep`, `fixed`, `callback`) are for Python only.
"""


def page() -> str:
    """Return the page as Markdown."""
    make_parser()  # fails where two options have the same name
    sections = [line for command in COMMANDS for line in section(command)]
    return "\n".join([HEAD, *sections, *reading()])


def reading() -> Iterator[str]:
    """Yield the options that all commands have that read entries."""
    yield from ["## Reading files", "", "Options of all commands that read entries:", ""]
    yield from (listed(each) for each in group_of(parser_of(COMMANDS[0]), READING))
    yield ""


def group_of(parser: argparse.ArgumentParser, title: str) -> list[argparse.Action]:
    """Return the arguments of a group."""
    (group,) = (each for each in parser._action_groups if each.title == title)
    return group._group_actions


def section(command: Command) -> Iterator[str]:
    """Yield the lines about a command."""
    yield f"## {command.name}"
    yield ""
    yield command.summary
    yield ""
    yield "```sh"
    yield from command.examples
    yield "```"
    yield ""
    for group in parser_of(command)._action_groups:
        actions = [each for each in group._group_actions if each.dest not in OF_ALL]
        if not actions:
            continue
        if group.title == READING:
            yield "And the options of [reading files](#reading-files)."
            yield ""
            continue
        if group.title not in ("positional arguments", "options", "optional arguments"):
            yield f"{str(group.title).capitalize()}:"
            yield ""
        yield from map(listed, actions)
        yield ""


def listed(action: argparse.Action) -> str:
    """Return the line about one argument."""
    return f"- {spelled(action)}: {said(action)}"


def spelled(action: argparse.Action) -> str:
    """Return an option as it is typed."""
    if not action.option_strings:
        return f"`{action.metavar}`"
    value = action.metavar if action.metavar else "{" + ",".join(action.choices or ()) + "}"
    takes = {None: f" {value}", "+": f" {value} …", "*": f" [{value} …]", 0: ""}
    return ", ".join(f"`{flag}{takes[action.nargs]}`" for flag in action.option_strings)


def said(action: argparse.Action) -> str:
    """Return what the help says about an option."""
    return (action.help or "").replace("%%", "%").replace("*", r"\*")


if __name__ == "__main__":
    print(page(), end="")
