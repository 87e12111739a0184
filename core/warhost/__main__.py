"""`python -m warhost` is the command `warhost`."""

from warhost.cli import main

if __name__ == "__main__":
    main()
