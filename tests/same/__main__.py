"""`python -m tests.same`: see proof.py."""

import sys

from tests.same.proof import main

if __name__ == "__main__":
    sys.exit(main())
