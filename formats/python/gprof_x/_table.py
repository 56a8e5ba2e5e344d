"""Rows of a report."""

from typing import Any, Dict, Iterator, List, Sequence, Union, overload


class Table(Sequence[Dict[str, Any]]):
    """Rows as dictionaries, with the names and units of gprof-x-report(1); `document` is all that
    was printed beside them."""

    def __init__(self, rows: List[Dict[str, Any]], document: Dict[str, Any]) -> None:
        self._rows = rows
        self.document = document

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Dict[str, Any]: ...

    @overload
    def __getitem__(self, place: slice) -> "Table": ...

    def __getitem__(self, place: Union[int, slice]) -> Union[Dict[str, Any], "Table"]:
        if isinstance(place, slice):
            return Table(self._rows[place], self.document)
        return self._rows[place]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return "<gprof_x.Table of %d rows>" % len(self)

    @property
    def columns(self) -> List[str]:
        """The names in the rows, in the order of their first appearance."""
        return list(dict.fromkeys(name for row in self._rows for name in row))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; what is a table in a row (stalls, seen_as) becomes columns
        'stalls.memory'."""
        try:
            import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]
        except ImportError:
            from gprof_x._error import Error

            raise Error("to_pandas() needs pandas: pip install pandas") from None
        return pandas.json_normalize(self._rows)
