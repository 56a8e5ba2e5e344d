"""rich: tables, markdown and highlighted source into a string."""
import io
import sys

from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax
from rich.table import Table

source = open(__file__).read() * 3
for _ in range(40 * int(sys.argv[1])):
    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    table = Table(title="numbers", show_lines=True)
    for name in ("one", "[bold]two[/bold]", "three"):
        table.add_column(name)
    for i in range(30):
        table.add_row(str(i), "[red]text[/red] that is long enough to be wrapped " * 2, str(i * i))
    console.print(table)
    console.print(Markdown("# Head\n\n" + "Some *text* with `code` and [a link](https://example.org).\n\n- item\n" * 10))
    console.print(Syntax(source, "python", line_numbers=True))
