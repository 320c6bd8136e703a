"""What workers of tests run; it imports little, as workers and schedulers import it, too."""

import random
import time


def slept(chunk, block_info=None):
    """Return a chunk after a moment that differs from task to task, and from run to run."""
    time.sleep(random.random() * 0.03)
    return chunk
