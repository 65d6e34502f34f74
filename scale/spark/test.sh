#!/usr/bin/env bash
# A real Spark of one master and two workers counts a text; one worker and its executor are killed in the middle. The bytes have to be those of repro corpus
# count, and no shard that was finished may be counted again. The other worker then prepares the text, with the bytes of repro corpus prepare.
#
#   scale/spark/test.sh BEAM TEXT
#
# BEAM is a folder with what scale/spark/pom.xml names, which has Spark 3.5 in it (mvn dependency:copy-dependencies), TEXT a file of a few million words. Takes 3 GB of memory.
set -euo pipefail
beam=$(realpath "$1") text=$(realpath "$2")
cd "$(dirname "$0")/../.."
bin=$PWD/bin
cd "$(mktemp -d)"
echo "in $PWD"
mkdir log spark
ln -s "$beam" spark/jars
opens=()
for package in java.lang java.lang.invoke java.util java.util.concurrent java.nio sun.nio.ch; do
	opens+=("--add-opens=java.base/$package=ALL-UNNAMED")
done
export SPARK_HOME=$PWD/spark SPARK_SCALA_VERSION=2.12 SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_HOSTNAME=localhost
declare -A started
start() {
	local name=$1
	shift
	"$@" > "log/$name" 2>&1 &
	started[$name]=$!
}
workers() { pgrep -f "^$bin/repro-scale --id="; }
trap 'kill "${started[@]}" 2> /dev/null || true' EXIT
java=(java "${opens[@]}" -cp "$beam/*")
start master "${java[@]}" -Xmx256m org.apache.spark.deploy.master.Master --host localhost --port 17077 --webui-port 18081
for i in 1 2; do
	start "worker$i" "${java[@]}" -Xmx256m org.apache.spark.deploy.worker.Worker --host localhost --cores 1 --memory 600m --webui-port 1808$((i + 1)) --work-dir "$PWD/log/executor$i" spark://localhost:17077
done
start jobserver "${java[@]}" -Xmx768m -Dspark.executor.memory=512m -Dspark.executor.cores=1 -Dspark.ui.enabled=false \
	org.apache.beam.runners.spark.SparkJobServerDriver --job-port=18099 --artifact-port=18098 --expansion-port=18097 --spark-master-url=spark://localhost:17077
master() { curl -sf localhost:18081/json/; }
ready() { master | grep -Eq '"aliveworkers" *: *2\b' && true 2> /dev/null > /dev/tcp/localhost/18099; }
for _ in {1..120}; do
	if ready; then break; fi
	sleep 1
done
ready || { echo "the cluster does not start: see $PWD/log" >&2; exit 1; }
files() { (cd job && stat -c '%i %y %n' words/* pairs/* 2> /dev/null | sort) || true; }

echo "the text has $(stat -c %s "$text") bytes"
"$bin/repro-scale" count --text "$text" --size 2MB --part 8MB --out job -- --runner=spark --endpoint=localhost:18099 --parallelism=2 &
job=$!
killed=
while kill -0 "$job" 2> /dev/null; do
	if [ -z "$killed" ] && [ "$(ls job/pairs 2> /dev/null | wc -l)" -ge 4 ]; then
		files > before
		for i in 1 2; do
			executors=$(pgrep -P "${started[worker$i]}" | paste -sd' ')
			echo "worker$i has $(wc -w <<< "$executors") executor, and that $(pgrep -c -P "${executors// /,}") process of repro-scale"
			if [ "$i" = 1 ]; then lost=$executors; fi
		done
		# shellcheck disable=SC2086 # a list of numbers
		kill -9 "${started[worker1]}" $lost
		killed=$(wc -l < before)
		echo "worker1 and its executor were killed when $killed files of shards were finished"
	fi
	sleep 0.1
done
wait "$job"
test -n "$killed" || { echo "the job has ended before anything could be killed: take more text" >&2; exit 1; }
files > after
kept=$(comm -12 before after | wc -l)
echo "of $killed finished files $kept are as they were; there are $(wc -l < after) now"
test "$kept" = "$killed"
echo "the worker that is left prepares the text"
"$bin/repro-scale" prepare --text "$text" --size 4MB --out prepared -- --runner=spark --endpoint=localhost:18099 --parallelism=2
grep -c 'Lost executor' log/jobserver | sed 's/.*/Spark has lost & executor/'
kill "${started[@]}" 2> /dev/null || true
for _ in {1..30}; do
	if ! workers > /dev/null; then break; fi
	sleep 1
done
if workers; then echo "processes of repro-scale outlive the engine" >&2; exit 1; fi
grep -rh 'words of shard\|pairs of shard' log/executor* | wc -l | sed 's/$/ shards are named in the logs of the executors/'
"$bin/repro" corpus count --text "$text" --out whole
cmp whole/cooccurrence.bin job/counts/cooccurrence.bin
cmp whole/vocab.txt job/counts/vocab.txt
sha256sum whole/* job/counts/*
"$bin/repro" corpus prepare --text "$text" --out prepared-whole
diff -r prepared-whole prepared/corpus
echo "the bytes are equal"
