"""Write scripts.tsv: runs of code points that share a Unicode script, from Scripts.txt of Debian's unicode-data.

python resources/unicode/make_scripts.py /usr/share/unicode/Scripts.txt > resources/unicode/scripts.tsv
"""

import re
import sys
from pathlib import Path

_LINE = re.compile(r"^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\w+)")


def runs(text: str) -> list[list]:
    """Return [first, last, script] in order, neighbours of one script joined."""
    found = [_LINE.match(line) for line in text.splitlines()]
    rows = sorted((int(m[1], 16), int(m[2] or m[1], 16), m[3]) for m in found if m)
    joined: list[list] = []
    for first, last, script in rows:
        if joined and joined[-1][2] == script and joined[-1][1] + 1 == first:
            joined[-1][1] = last
        else:
            joined.append([first, last, script])
    return joined


if __name__ == "__main__":
    source = Path(sys.argv[1]).read_text(encoding="utf-8")
    version = source.splitlines()[0].lstrip("# ")
    lines = [f"# {version}: first, last, script. Unicode licence: see LICENSE-UNICODE.txt"]
    lines += [f"{first:04X}\t{last:04X}\t{script}" for first, last, script in runs(source)]
    sys.stdout.write("\n".join(lines) + "\n")
