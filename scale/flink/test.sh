#!/usr/bin/env bash
# A real Flink of one job manager and two task managers counts a text; one task manager is killed in the middle. The bytes have to be those of repro corpus
# count, and no shard that was finished may be counted again. The other task manager then prepares the text, with the bytes of repro corpus prepare.
#
#   scale/flink/test.sh FLINK BEAM TEXT
#
# FLINK is a folder with flink-dist and log4j (lib of Flink 1.19, as in the Python package apache-flink-libraries), BEAM one with
# org.apache.beam:beam-runners-flink-1.19:2.62.0 and its dependencies (mvn dependency:copy-dependencies), TEXT a file of a few million words. Takes 2 GB of memory.
set -euo pipefail
flink=$(realpath "$1") beam=$(realpath "$2") text=$(realpath "$3")
cd "$(dirname "$0")/../.."
bin=$PWD/bin
cd "$(mktemp -d)"
echo "in $PWD"
mkdir conf log
cat > conf/config.yaml <<-END
	jobmanager.rpc.address: localhost
	jobmanager.rpc.port: 16123
	rest.address: localhost
	rest.bind-address: localhost
	rest.port: 18081
	restart-strategy.type: fixed-delay
	restart-strategy.fixed-delay.attempts: 30
	restart-strategy.fixed-delay.delay: 2 s
	taskmanager.numberOfTaskSlots: 2
	taskmanager.load-balance.mode: SLOTS
	taskmanager.cpu.cores: 1.0
	taskmanager.memory.task.heap.size: 256m
	taskmanager.memory.task.off-heap.size: 128m
	taskmanager.memory.framework.heap.size: 128m
	taskmanager.memory.framework.off-heap.size: 128m
	taskmanager.memory.network.min: 64m
	taskmanager.memory.network.max: 64m
	taskmanager.memory.managed.size: 64m
	taskmanager.memory.jvm-metaspace.size: 256m
	taskmanager.memory.jvm-overhead.min: 128m
	taskmanager.memory.jvm-overhead.max: 128m
END
cat > conf/log4j.properties <<-END
	rootLogger.level = INFO
	rootLogger.appenderRef.c.ref = C
	appender.c.name = C
	appender.c.type = Console
	appender.c.layout.type = PatternLayout
	appender.c.layout.pattern = %d{HH:mm:ss} %-5p %c{1} %m%n
END
opens=(--add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED)
declare -A started
start() {
	local name=$1
	shift
	"$@" > "log/$name" 2>&1 &
	started[$name]=$!
}
workers() { pgrep -f "^$bin/repro-scale --id="; }
trap 'kill "${started[@]}" 2> /dev/null || true' EXIT
classes=$(echo "$flink"/flink-dist*.jar "$flink"/log4j*.jar | tr ' ' :)
java=(java "${opens[@]}" -Dlog4j.configurationFile=conf/log4j.properties -cp "$classes")
start jobmanager "${java[@]}" -Xmx384m org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint --configDir conf
for i in 1 2; do
	start "taskmanager$i" "${java[@]}" -Xmx512m -XX:MaxDirectMemorySize=384m org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir conf -D "taskmanager.resource-id=taskmanager$i"
done
start jobserver java "${opens[@]}" -Xmx512m -cp "$beam/*" org.apache.beam.runners.flink.FlinkJobServerDriver --job-port=18099 --artifact-port=18098 --expansion-port=18097 --flink-master=localhost:18081
ready() { curl -sf localhost:18081/overview | grep -q '"taskmanagers":2,' && true 2> /dev/null > /dev/tcp/localhost/18099; }
for _ in {1..120}; do
	if ready; then break; fi
	sleep 1
done
ready || { echo "the cluster does not start: see $PWD/log" >&2; exit 1; }
files() { (cd job && stat -c '%i %y %n' words/* pairs/* 2> /dev/null | sort) || true; }

echo "the text has $(stat -c %s "$text") bytes"
"$bin/repro-scale" count --text "$text" --size 2MB --part 8MB --out job -- --runner=flink --endpoint=localhost:18099 --parallelism=2 &
job=$!
killed=
while kill -0 "$job" 2> /dev/null; do
	if [ -z "$killed" ] && [ "$(ls job/pairs 2> /dev/null | wc -l)" -ge 4 ]; then
		files > before
		for i in 1 2; do echo "taskmanager$i has $(pgrep -c -P "${started[taskmanager$i]}") worker"; done
		kill -9 "${started[taskmanager1]}"
		killed=$(wc -l < before)
		echo "taskmanager1 was killed when $killed files of shards were finished"
	fi
	sleep 0.1
done
wait "$job"
test -n "$killed" || { echo "the job has ended before anything could be killed: take more text" >&2; exit 1; }
files > after
kept=$(comm -12 before after | wc -l)
echo "of $killed finished files $kept are as they were; there are $(wc -l < after) now"
test "$kept" = "$killed"
grep -c 'ExecutionGraph Job .* switched from state RUNNING to RESTARTING' log/jobmanager | sed 's/.*/Flink has restarted the job & times/'
echo "the task manager that is left prepares the text"
"$bin/repro-scale" prepare --text "$text" --size 4MB --out prepared -- --runner=flink --endpoint=localhost:18099 --parallelism=2
echo "Flink keeps $(workers | wc -l) worker"
kill "${started[@]}" 2> /dev/null || true
for _ in {1..30}; do
	if ! workers > /dev/null; then break; fi
	sleep 1
done
if workers; then echo "workers outlive the engine" >&2; exit 1; fi
grep -h -c 'words of shard\|pairs of shard' log/taskmanager* | paste -sd+ | bc | sed 's/$/ shards are named in the logs of the task managers/'
"$bin/repro" corpus count --text "$text" --out whole
cmp whole/cooccurrence.bin job/counts/cooccurrence.bin
cmp whole/vocab.txt job/counts/vocab.txt
sha256sum whole/* job/counts/*
"$bin/repro" corpus prepare --text "$text" --out prepared-whole
diff -r prepared-whole prepared/corpus
echo "the bytes are equal"
