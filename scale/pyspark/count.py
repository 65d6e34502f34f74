#!/usr/bin/env python3
"""Counts a text by repro on a cluster that has Spark and nothing else.

    repro corpus shard --text /shared/corpus.txt --out /shared/job
    spark-submit scale/pyspark/count.py /shared/bin/repro /shared/job

All machines reach repro, the text and the folder of the job by these paths. What is finished is not made again: give it again after a failure.
"""

import json
import os
import subprocess
import sys

from pyspark.sql import SparkSession


def count(repro, job):
    with open(os.path.join(job, "job.json"), encoding="utf-8") as plan:
        shards = len(json.load(plan)["shards"])
    spark = SparkSession.builder.appName("repro corpus").getOrCreate()
    for step in ["words", "pairs", "merge"]:

        def share(i, step=step):
            done = subprocess.run(
                [repro, "corpus", step, "--job", job, "--share", f"{i}/{shards}"], stderr=subprocess.PIPE, text=True
            )
            if done.returncode:  # the last line of its log says why
                raise RuntimeError(done.stderr[-2000:])

        spark.sparkContext.parallelize(range(1, shards + 1), shards).foreach(share)
    spark.stop()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    count(*map(os.path.abspath, sys.argv[1:]))
