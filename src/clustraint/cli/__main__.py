"""``python -m clustraint.cli``: the command line where the script is not on the path."""

from clustraint.cli import main

if __name__ == "__main__":
    main()
