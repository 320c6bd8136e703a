"""Lines that state a pair of row numbers: ``3 = 14`` and ``3 != 5``."""

from clustraint.kernels._jit import jit, piece

SPACE, TAB, RETURN, NEWLINE, EQUALS, NOT, ZERO, NINE = 32, 9, 13, 10, 61, 33, 48, 57
# Numbers of more digits might not fit into 64 bits.
MOST_DIGITS = 18


@piece
def _after_spaces(text, place):
    while text[place] == SPACE or text[place] == TAB:
        place += 1
    return place


@piece
def _number(text, place):
    """Return the number that begins here, and the place after it; -1 where none does."""
    begin = place
    number = 0
    while ZERO <= text[place] <= NINE and place - begin <= MOST_DIGITS:
        number = 10 * number + (text[place] - ZERO)
        place += 1
    count = place - begin
    if count == 0 or count > MOST_DIGITS or (text[begin] == ZERO and count > 1):
        return -1, place
    return number, place


@jit
def read_pair_lines(text, place, n_samples, pairs, are_apart):
    """Read lines from a place on, until one states anything but a pair of two of the samples.

    `text` ends in a newline, and nothing is read beyond it: whatever is neither a digit nor a space
    ends a number or a gap. Invariant: `place` is the beginning of a line, and all lines before it
    have been read. Returns that place, the number of pairs and that of lines.
    """
    n_pairs = 0
    n_lines = 0
    while place < len(text):
        here = _after_spaces(text, place)
        first, second, is_apart = -1, -1, False
        if text[here] != RETURN and text[here] != NEWLINE:
            first, here = _number(text, here)
            here = _after_spaces(text, here)
            is_apart = text[here] == NOT
            if first < 0 or not (is_apart or text[here] == EQUALS):
                break
            here += 1
            if text[here] == EQUALS:
                here += 1
            elif is_apart:
                break
            second, here = _number(text, _after_spaces(text, here))
            here = _after_spaces(text, here)
            if second < 0 or first == second or max(first, second) >= n_samples:
                break
        if text[here] == RETURN:
            here += 1
        if text[here] != NEWLINE:
            break
        if first >= 0:
            pairs[n_pairs, 0], pairs[n_pairs, 1] = first, second
            are_apart[n_pairs] = is_apart
            n_pairs += 1
        n_lines += 1
        place = here + 1
    return place, n_pairs, n_lines
