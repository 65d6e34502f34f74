#!/usr/bin/env bash
# Judges distances between uses of words by the change of meaning that people saw (DWUG EN 3.0.0, SemEval-2020 task 1)
# and by whether people say that two uses mean the same (WiC).
#
#     bench/usage.sh
#
# The data is fetched below bin, for this measurement alone: SemEval's truth is under CC BY-NC 4.0, the repositories
# with DWUG EN and WiC state no licence. DWUG, TRUTH and WIC name what is here already.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$here/bin/bench-usage
mkdir -p "$build"

# get REPOSITORY COMMIT PATH: the path is then below $build/REPOSITORY's last part.
get() {
	local at=$build/${1#*/}
	test -d "$at" || git clone -q --filter=blob:none --no-checkout "https://github.com/$1" "$at"
	git -C "$at" checkout -q "$2" -- "${@:3}"
}
if test -z "${DWUG:-}"; then
	get jecGrimm/HLV_KG 24d34e3b8c3caf50da7b838fa630da2ce0ba54e2 dwug_en/data dwug_en/stats
	DWUG=$build/HLV_KG/dwug_en
fi
if test -z "${TRUTH:-}"; then
	get pauli31/SemEval2020-task1 8f8aa8c53568cf19ebb27b1219d7099455c5c193 cca/data/post_eval_data
	TRUTH=$build/SemEval2020-task1/cca/data/post_eval_data/test_data_truth/task2/english.txt
fi
if test -z "${WIC:-}"; then
	get Wenxin-Jiang/CS577-NLP 17fb8ca981698024599b423ad140f1ac36608529 HW2/WiC_dataset
	WIC=$build/CS577-NLP/HW2/WiC_dataset
fi
go build -C "$here" -o bin/usage ./bench/usage
exec "$here/bin/usage" -dwug "$DWUG" -truth "$TRUTH" -wic "$WIC"
