"""A recording's tables. gprof-x itself makes them, as JSON, so that Python and the report cannot
show different numbers: what is added up, left out and corrected is decided in one place, and its
reader takes files that anybody may have made. The SQLite file alone would not do: times of samples
and GPU events are packed with zstd, which Python 3.13 and older cannot read.
"""

import json
import os
import subprocess
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from gprof_x._error import Error
from gprof_x._program import program
from gprof_x._table import Table

Path = Union[str, "os.PathLike[str]"]
USUAL_ROWS = 20


def last_line(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().split("\n")
    return lines[-1] or "gprof-x said nothing"


def run(arguments: Sequence[str]) -> bytes:
    """What gprof-x prints. A status other than 0 is an Error with its line."""
    try:
        done = subprocess.run(
            [program(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise Error("gprof-x cannot be run: %s; install the package again" % error) from None
    if done.returncode != 0:
        raise Error(last_line(done.stderr))
    return done.stdout


def read_json(arguments: Sequence[str]) -> Dict[str, Any]:
    document: Dict[str, Any] = json.loads(run(arguments).decode("utf-8", "replace"))
    return document


class Profile:
    """One recording, or several as one. Each table is made when it is first asked for and kept; the
    file stays as it is."""

    def __init__(
        self,
        paths: Sequence[Path],
        phase: Optional[str] = None,
        span: Optional[str] = None,
        steps: Optional[str] = None,
        corrected: bool = False,
    ) -> None:
        if not paths:
            raise Error("gprof_x.open() takes the path of a recording")
        # Whole paths: none can be taken for a number of rows.
        self._paths = [os.path.abspath(os.fspath(path)) for path in paths]
        chosen = (("--phase", phase), ("--range", span), ("--steps", steps))
        self._part = [text for name, value in chosen if value is not None for text in (name, value)]
        self._corrected = ["--corrected"] if corrected else []
        self._kept: Dict[Tuple[str, ...], Dict[str, Any]] = {}
        self.cell_folder: Any = None  # of a recorded cell: goes when nobody holds the Profile
        self.top()  # says at once what is wrong with a file

    def __repr__(self) -> str:
        return "<gprof_x.Profile %s>" % " ".join(self._paths)

    def report(self, *options: str) -> Dict[str, Any]:
        """The document that `gprof-x report --json OPTION...` prints; gprof-x-report(1) tells its
        fields."""
        if options not in self._kept:
            self._kept[options] = read_json(
                ["report", "--json", *options, *self._part, *self._corrected, "--", *self._paths]
            )
        return self._kept[options]

    def _table(
        self,
        view: Sequence[str],
        rows: Optional[int],
        metric: Optional[str] = None,
        place: Optional[str] = None,
    ) -> Table:
        options = list(view)
        if rows is not None:
            options += ["--limit", str(int(rows))]
        if metric is not None:
            options += ["--metric", metric]
        document = self.report(*options)
        found: List[Dict[str, Any]] = (document if place is None else document[place])["rows"]
        return Table(found, document)

    def top(
        self,
        rows: Optional[int] = USUAL_ROWS,
        metric: Optional[str] = None,
        by: Optional[str] = None,
    ) -> Table:
        """The functions with the most self time; None: all. `by` groups: 'line', 'module',
        'thread', 'layer', 'operator', ..."""
        return self._table(["--by", by] if by else ["--top"], rows, metric)

    def kernels(self, rows: Optional[int] = None) -> Table:
        """GPU kernels, copies and memsets by name, those with the most time first."""
        return self._table(["--by", "kernel"], rows)

    def tree(self, metric: Optional[str] = None) -> Table:
        """The call tree: each row has its 'id' and its 'parent' (None: the root)."""
        return self._table(["--tree"], None, metric)

    def lines(self, rows: Optional[int] = None, metric: Optional[str] = None) -> Table:
        """The source lines with the most time."""
        return self._table(["--lines"], rows, metric)

    def threads(self) -> Table:
        """Processes and threads."""
        return self._table(["--threads"], None)

    def markers(self) -> Table:
        """Ranges that the program has named, by name."""
        return self._table(["--markers"], None, None, "markers")

    def timeline(self) -> Table:
        """What GPU streams and threads did over time: each row has its 'percent' in equal parts of
        the time."""
        return self._table(["--timeline"], None, None, "timeline")

    def findings(self) -> Table:
        """What costs a step time, the most first, with what it would gain. An empty table has its
        reason in `document`. Times are as recorded, never corrected."""
        key = ("findings",)
        if key not in self._kept:
            self._kept[key] = read_json(
                ["analyze", "--json", "--findings", *self._part, "--", *self._paths]
            )
        document = self._kept[key]
        return Table(
            [row for recording in document["findings"] for row in recording["rows"]], document
        )

    @property
    def quality(self) -> Dict[str, Any]:
        """How whole the data are: `verdict`, and what was lost."""
        found: Dict[str, Any] = self.top().document["quality"]
        return found

    @property
    def meta(self) -> Dict[str, str]:
        """How it was recorded: command, clock, rates, times."""
        found: Dict[str, str] = self.top().document["recording"]["meta"]
        return found
