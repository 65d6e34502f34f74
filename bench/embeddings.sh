#!/usr/bin/env bash
# Trains the authors' programs of DIVE, Gaussian embeddings and Poincaré GloVe beside this library's on the same text, and scores both.
#
#     bench/embeddings.sh gaussian|poincare|dive -text FILE -data FOLDER [-threads N] [-passes N] …
#
# The sources are fetched and built below bin, or taken from the checkouts that WORD2GAUSS, POINCARE_GLOVE and DIVE name. What is
# changed of them: they are for older versions of Python, Cython and TensorFlow, and DIVE's tells seconds of the processor.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
system=${1:?usage: bench/embeddings.sh gaussian|poincare|dive -text FILE -data FOLDER …}
shift
build=$here/bin/bench-embeddings
python=$build/venv/bin/python
mkdir -p "$build"
if ! test -x "$python"; then
	python3 -m venv "$build/venv"
	"$build/venv/bin/pip" install -q --disable-pip-version-check Cython==0.29.37 setuptools==69.5.1 six==1.16.0 msgpack==1.0.8 numpy==1.26.4 scipy==1.13.1 tensorflow-cpu==2.15.1
fi
# fetch FOLDER ADDRESS COMMIT PATH…
fetch() {
	git clone -q --no-checkout "$2" "$1"
	git -C "$1" checkout -q "$3" -- "${@:4}"
}
source=$build/$system
if ! test -e "$source/built"; then
	rm -rf "$source"
	case $system in
	gaussian)
		fetch "$source" "${WORD2GAUSS:-https://github.com/seomoz/word2gauss}" cdf5e7f5d0c8c7582fdf92e4599bd8efda5b98bc setup.py word2gauss
		(cd "$source" && CFLAGS="-O3 -ffast-math -march=native -w" "$python" setup.py -q build_ext --inplace) # as its README says, and for this processor
		;;
	poincare)
		fetch "$source" "${POINCARE_GLOVE:-https://github.com/alex-tifrea/poincare_glove}" 6a5c80ab6cf17e4cc33b47c8467680eca67efaf7 glove_code
		cd "$source/glove_code"
		rm src/glove_inner.c # by another Cython
		touch src/__init__.py
		sed -i 's|SRC_DIR + "/glove_inner"|SRC_DIR + ".glove_inner"|' setup.py
		CFLAGS="-O3 -march=native -w" "$python" setup.py -q build_ext --inplace >/dev/null 2>&1
		;;
	dive)
		fetch "$source" "${DIVE:-https://github.com/iesl/Distributional-Inclusion-Vector-Embedding}" f6e4e55de09c183080a094a59b18eb1290689c77 \
			DIVE_model.py DIVE_train.py dataset_preproc.py prepare_PMI.py preprocessing_utils.py stop_word_list
		cd "$source"
		"$python" -W ignore -m lib2to3 -w -n ./*.py >/dev/null 2>&1
		sed -i 's/^import tensorflow as tf/import tensorflow.compat.v1 as tf; tf.disable_v2_behavior()/' DIVE_model.py DIVE_train.py
		sed -i 's/log_dir/model_dir/g' DIVE_train.py # is TensorFlow's own by now
		sed -i "s/open(FLAGS.training_file).read()/open(FLAGS.training_file, 'rb').read(), strict_map_key=False/; s/time\.time()/time.process_time()/; s/speed: %.0f s/speed: %.2f s/" DIVE_train.py
		sed -i "s/tf.Session()/tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=int(os.environ['THREADS']), inter_op_parallelism_threads=1))/" DIVE_train.py
		sed -i 's/= data_shared\[i, p\([xy]\)\]$/= int(data_shared[i, p\1])/' prepare_PMI.py # as a key of JSON
		;;
	*)
		echo "bench/embeddings.sh has no $system: gaussian, poincare or dive" >&2
		exit 2
		;;
	esac
	touch "$source/built"
fi
test "$system" = poincare && source=$source/glove_code
go build -C "$here" -o bin/embeddings ./bench/embeddings
export PYTHONUTF8=1 TF_CPP_MIN_LOG_LEVEL=3
exec "$here/bin/embeddings" -python "$python" -script "$here/bench/embeddings.py" -source "$source" -system "$system" "$@"
