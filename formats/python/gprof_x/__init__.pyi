import os
from typing import Any, Callable, ContextManager, Optional, TypeVar, Union

from gprof_x._error import Error as Error
from gprof_x._profile import Profile

_Path = Union[str, "os.PathLike[str]"]
_F = TypeVar("_F", bound=Callable[..., Any])

class _Range(ContextManager[None]):
    def __call__(self, function: _F) -> _F: ...

def open(
    *paths: _Path,
    phase: Optional[str] = ...,
    span: Optional[str] = ...,
    steps: Optional[str] = ...,
    corrected: bool = ...
) -> Profile: ...
def range(name: str) -> _Range: ...
def step() -> None: ...
def load_ipython_extension(shell: Any) -> None: ...
