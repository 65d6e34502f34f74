#!/usr/bin/env bash
# Measures what counting takes: by one process, by the steps of a job array, and by Beam's engine Prism, of growing parts of a text. Fits a model to that, checks it on
# a part that it was not fitted on, and says what it makes of 5 and of 500 billion tokens.
#
#     bench/scale.sh RECORD TEXT…
#
# TEXT are compressed files, each of which is a shard, in an order in which every part has all kinds of text. RECORD gets a line for each step that was measured; those that are there are
# not measured again. Variables: ENGINES (process array prism); SIZES, the numbers of files that the
# model is fitted on (2 6 18 38), and CHECK, the number that it is checked on (58).
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
record=$1
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/scale-XXXXXX")
trap 'rm -r "$work"' EXIT
make -s -C "$here" build scale >&2
export PATH=$here/bin:$PATH
test -s "$record" || printf 'engine\tstep\tfiles\tshards\ttokens\tseconds\tmemory\tbytes\twords\tentries\n' > "$record"

# measured ENGINE STEP FILES FOLDER COMMAND…: processor seconds and the most memory of a command, and what it wrote to the folder
measured() {
	local engine=$1 step=$2 files=$3 folder=$4
	shift 4
	/usr/bin/time -f '%U %S %M' -o "$work/time" "$@" > "$work/out" 2> "$work/err" || { cat "$work/err" >&2; exit 1; }
	read -r user system memory < "$work/time"
	bytes=$(du -sb "$work/$folder" | cut -f 1)
	seconds=$(awk -v a="$user" -v b="$system" 'BEGIN { print a + b }')
	lines+=("$engine\t$step\t$files\t$n\tTOKENS\t$seconds\t$((memory * 1024))\t$bytes\tWORDS\tENTRIES")
}

for n in ${SIZES:-2 6 18 38} ${CHECK:-58}; do
	for engine in ${ENGINES:-process array prism}; do
		if grep -q "^$engine	[a-z]*	$n	" "$record"; then continue; fi
		lines=()
		case $engine in
		process) measured process count "$n" whole repro corpus count --text "${@:1:n}" --out "$work/whole" ;;
		array)
			repro corpus shard --size 1MB --text "${@:1:n}" --out "$work/job" > /dev/null
			for step in words pairs merge; do
				folder=job/$step
				test $step != merge || folder=job/parts
				measured array $step "$n" $folder repro corpus $step --job "$work/job"
			done
			;;
		prism) measured prism count "$n" job repro-scale count --size 1MB --text "${@:1:n}" --out "$work/job" ;;
		esac
		counts=$work/whole
		if [ $engine != process ]; then
			counts=$work/job/counts
			(cd "$counts" && sha256sum vocab.txt cooccurrence.bin) > "$work/sums"
			if [ -s "$work/sums-$n" ]; then cmp "$work/sums" "$work/sums-$n" || { echo "scale.sh: the counts of $engine are not those of one process" >&2; exit 1; }; fi
		else
			(cd "$counts" && sha256sum vocab.txt cooccurrence.bin) > "$work/sums-$n"
		fi
		tokens=$(repro corpus words --job "$work/job" 2> /dev/null | sed -n 's/.* of \([0-9]*\) tokens in .*/\1/p' || true)
		test -n "$tokens" || tokens=$(zstdcat "${@:1:n}" | wc -w)
		words=$(wc -l < "$counts/vocab.txt")
		entries=$(($(stat -c %s "$counts/cooccurrence.bin") / 16))
		for line in "${lines[@]}"; do
			line=${line/TOKENS/$tokens} line=${line/WORDS/$words}
			echo -e "${line/ENTRIES/$entries}" >> "$record"
		done
		rm -rf "$work/job" "$work/whole"
	done
done
go run -C "$here" ./bench/scale -check "${CHECK:-58}" < "$record"
