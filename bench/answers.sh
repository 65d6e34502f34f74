#!/usr/bin/env bash
# Time of one distance and of neighbours, a process each, by each program that is named (default: bin/repro):
# the median of nine runs of wall time and of processor time (user and system), in milliseconds.
# cold: the program's file is not in memory before; warm: it is.
set -euo pipefail
TIMEFORMAT='%R %U %S'
echo "$(nproc) processors, $(sed -n 's/^model name\t: //p' /proc/cpuinfo | head -1), load $(cut -d' ' -f1 /proc/loadavg)"
once() { { time "$@" > /dev/null 2> /dev/null; } 2>&1 | awk '{ print 1000 * $1, 1000 * ($2 + $3) }'; }
median() { sort -n | sed -n 5p; }
for program in "${@:-bin/repro}"; do
	for question in "distance rock music" "neighbours elephant"; do
		for state in cold warm; do
			runs=$(for _ in {1..9}; do
				[ "$state" = warm ] || dd if="$program" iflag=nocache count=0 2> /dev/null
				once "$program" $question
			done)
			echo "$program $question, $state: $(cut -d' ' -f1 <<< "$runs" | median) ms," \
				"$(cut -d' ' -f2 <<< "$runs" | median) ms of processors"
		done
	done
done
