"""What goes wrong."""


class Error(Exception):
    """A recording cannot be read or made; its text is the line that the command gprof-x prints."""
