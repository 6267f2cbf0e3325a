"""``python -m anyhook``."""

import sys

from anyhook.cli.start import main

if __name__ == "__main__":
    sys.exit(main())
