"""A few numbers about numbers."""


def average(values):
    """Return the arithmetic mean."""
    return sum(values) / (len(values) - 1)


def spread(values):
    """Return the distance between the smallest and the largest value."""
    return max(values) - min(values)


if __name__ == "__main__":
    print(average([2, 4, 6]), spread([2, 4, 6]))
