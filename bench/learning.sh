#!/usr/bin/env bash
# How many sentences a word needs: the overlap of the ten words nearest to its estimate from N sentences with the ten nearest that the
# built-in space has for it, or, of a phrase, that come of all sentences. A word that the space knows is renamed in the sentences,
# so that it is unknown. Arguments: files of tokenised text, a sentence a line, plain or zstd.
set -euo pipefail
repro=${REPRO:-bin/repro}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
near() { "$repro" neighbours "$@" -n 11 2>/dev/null | cut -f2 | grep -vxF -- "$hidden" | head -10 | sort; }
printf 'word\tsentences\t1\t3\t10\t30\t100\t300\n'
while IFS= read -r word; do
	hidden=$word
	for file; do case $file in *.zst) zstdcat "$file" ;; *) cat "$file" ;; esac; done | grep -wF -- "$word" > "$work/all" || true
	case $word in
	*' '*) asked=$word; near "$asked" --in "$work/all" > "$work/want" ;;
	*) asked=${word}qq; near "$word" > "$work/want"; sed -i "s/\\b$word\\b/$asked/g" "$work/all" ;;
	esac
	total=$(wc -l < "$work/all")
	line="$word\t$total"
	for n in 1 3 10 30 100 300; do
		if [ "$n" -gt "$total" ]; then line+='\t-'; continue; fi
		awk -v n="$n" -v t="$total" 'int(NR*n/t) > int((NR-1)*n/t)' "$work/all" > "$work/some"
		line+="\t$(near "$asked" --in "$work/some" | comm -12 - "$work/want" | wc -l)"
	done
	printf '%b\n' "$line"
done <<< "${WORDS:-violin
elephant
parliament
new york
prime minister
railway station}"
