"""What graders in hosts are measured against: calls the grader for each line of a file, and does nothing else.

Prints the seconds that the loop took, without Python's own start.
"""

import json
import runpy
import sys
import time

data, grader = sys.argv[1:]
grade = runpy.run_path(grader)["grade"]
with open(data, encoding="utf-8") as lines:
    jobs = lines.read().splitlines()
started = time.perf_counter()
total = 0.0
for job in jobs:
    sample, item = json.loads(job)
    total += grade(sample, item)["scores"]["token_f1"]
print(time.perf_counter() - started)
