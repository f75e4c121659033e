"""What every file of programs imports."""


def program(*axes):
    """Marks a function that returns a model and its arguments. Axes are those that are to be free, as x:0=batch."""

    def mark(f):
        f.free = list(axes)
        return f

    return mark
