"""Write ages.tsv: runs of code points and the Unicode version that assigned them, from Debian's unicode-data.

python resources/unicode/make_ages.py /usr/share/unicode/DerivedAge.txt > resources/unicode/ages.tsv
"""

import re
import sys
from pathlib import Path

_LINE = re.compile(r"^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\d+)\.(\d+)")


def runs(text: str) -> list[list[int]]:
    """Return [first, last, version] in order, neighbours of one version joined; version 5.2 is 52."""
    found = [_LINE.match(line) for line in text.splitlines()]
    rows = sorted((int(m[1], 16), int(m[2] or m[1], 16), 10 * int(m[3]) + int(m[4])) for m in found if m)
    joined: list[list[int]] = []
    for first, last, version in rows:
        if joined and joined[-1][2] == version and joined[-1][1] + 1 == first:
            joined[-1][1] = last
        else:
            joined.append([first, last, version])
    return joined


if __name__ == "__main__":
    source = Path(sys.argv[1]).read_text(encoding="utf-8")
    version = source.splitlines()[0].lstrip("# ")
    lines = [f"# {version}: first, last, ten times the version. Unicode licence: see LICENSE-UNICODE.txt"]
    lines += [f"{first:04X}\t{last:04X}\t{age}" for first, last, age in runs(source)]
    sys.stdout.write("\n".join(lines) + "\n")
