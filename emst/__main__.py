"""`python -m emst`."""

import sys

from emst.cli import main

if __name__ == "__main__":
    sys.exit(main())
