"""A screen: reads what a program writes to a vt100 and knows what stands where. Only what ncurses uses."""
import re

SEQUENCE = re.compile(r"\x1b\[(\??[0-9;]*)([A-Za-z])|\x1b[()][A-Z0-9]|\x1b[=>78M]|[\x0e\x0f]|\x1b")


class Screen:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.row = self.column = 0
        self.cells = [[" "] * columns for _ in range(rows)]
        self.rest = ""

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines())

    def feed(self, text):
        text, at = self.rest + text, 0
        self.rest = ""
        while at < len(text):
            c = text[at]
            if c in "\x1b\x0e\x0f":
                found = SEQUENCE.match(text, at)
                if found.end() == len(text) and found.group(0) in ("\x1b",) or (c == "\x1b" and text[at:at + 2] == "\x1b[" and found.group(0) == "\x1b"):
                    self.rest = text[at:]
                    return
                if found.group(2):
                    self.control(found.group(1), found.group(2))
                elif found.group(0) == "\x1bM":
                    self.row = max(0, self.row - 1)
                at = found.end()
                continue
            at += 1
            if c == "\r":
                self.column = 0
            elif c == "\n":
                self.down()
            elif c == "\b":
                self.column = max(0, self.column - 1)
            elif c == "\t":
                self.column = min(self.columns - 1, self.column // 8 * 8 + 8)
            elif c >= " ":
                if self.column >= self.columns:
                    self.column = 0
                    self.down()
                self.cells[self.row][self.column] = c
                self.column += 1

    def down(self):
        if self.row + 1 < self.rows:
            self.row += 1
        else:
            self.cells = self.cells[1:] + [[" "] * self.columns]

    def control(self, numbers, letter):
        n = [int(x or 0) for x in numbers.lstrip("?").split(";")]
        many = max(1, n[0])
        if letter == "H":
            self.row = min(self.rows, max(1, n[0])) - 1
            self.column = min(self.columns, max(1, n[1] if len(n) > 1 else 1)) - 1
        elif letter == "A":
            self.row = max(0, self.row - many)
        elif letter == "B":
            self.row = min(self.rows - 1, self.row + many)
        elif letter == "C":
            self.column = min(self.columns - 1, self.column + many)
        elif letter == "D":
            self.column = max(0, self.column - many)
        elif letter == "K":
            start, end = ((self.column, self.columns), (0, self.column + 1), (0, self.columns))[n[0]]
            self.cells[self.row][start:end] = [" "] * (end - start)
        elif letter == "J":
            first = 0 if n[0] == 2 else self.row + 1
            if n[0] == 0:
                self.cells[self.row][self.column:] = [" "] * (self.columns - self.column)
            for row in range(first, self.rows):
                self.cells[row] = [" "] * self.columns
