"""What Regrade is measured against: reads the file and calls the grader, and does nothing else."""

import json
import runpy
import sys

data, grader = sys.argv[1:]
grade = runpy.run_path(grader)["grade"]
total = 0.0
with open(data, encoding="utf-8") as lines:
    for line in lines:
        row = json.loads(line)
        total += grade({"output_text": row["output"]}, row)["scores"]["token_f1"]
print(total)
