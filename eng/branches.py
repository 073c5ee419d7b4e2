#!/usr/bin/env python3
"""Branches taken and lines run, of each file that has branches, from a coverage.cobertura.xml: branches.py COVERAGE FOLDER-OR-FILE..."""
import re
import sys
import xml.etree.ElementTree as ET

lines, branches = {}, {}
for one in ET.parse(sys.argv[1]).iter("class"):
    file = one.get("filename")
    for line in one.find("lines"):
        at = (file, line.get("number"))
        lines[at] = lines.get(at, False) or line.get("hits") != "0"
        taken = re.search(r"\((\d+)/(\d+)\)", line.get("condition-coverage", ""))
        if taken:
            # The same line comes once for the class and once for each of its methods.
            branches[at] = max(branches.get(at, (0, 0)), (int(taken[1]), int(taken[2])))

for file in sorted({file for file, _ in lines}):
    name = next((file[file.index(part):] for part in sys.argv[2:] if part in file), None)
    if name:
        taken = [count for (of, _), count in branches.items() if of == file]
        run = [hit for (of, _), hit in lines.items() if of == file]
        if taken:
            print(f"{name}: {sum(t for t, _ in taken)} of {sum(a for _, a in taken)}, {sum(run)} of {len(run)}")
