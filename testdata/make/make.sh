#!/bin/sh
# Makes the files of testdata/ anew, in a Python environment of its own, and checks them.
#
#   make.sh [-c | -l] [-o FOLDER] [ENVIRONMENT]
#
# -c           makes checkpoint/ instead. That needs Python 3.11 and another environment of 1 GB,
#              because onnxruntime-training and onnxruntime exclude each other.
# -l           makes decoders/ instead, with transformers and onnxruntime-genai in an environment of
#              6 GB.
# FOLDER       where the files go (default: testdata/ itself). Compare a second run with diff -r.
# ENVIRONMENT  the folder of the Python environment (default: lathe/testdata-python,
#              lathe/testdata-checkpoint or lathe/testdata-decoders in the user's cache). The first run fills it, mostly with
#              PyTorch: up to 6 GB and ten minutes, far less when pip is set up to find a build of
#              PyTorch without CUDA.
#
# The interpreter is $PYTHON (default: python3), 3.11 or newer. Making the files takes five minutes.
set -eu

make=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
testdata=$(dirname -- "$make")
repository=$(dirname -- "$testdata")

usage() {
	echo "usage: $0 [-c | -l] [-o FOLDER] [ENVIRONMENT]" >&2
	exit 2
}

out=$testdata
name=testdata-python
requirements=$make/requirements.txt
scripts='small_models control_flow broken mlp_dynamo fixed_batch training_mode digits
	text_classifier verify'
while getopts clo: option; do
	case $option in
	c)
		name=testdata-checkpoint
		requirements=$make/checkpoint.txt
		scripts=checkpoint
		;;
	l)
		name=testdata-decoders
		requirements=$make/decoders.txt
		scripts=decoders
		;;
	o) out=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -le 1 ] || usage

environment=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/lathe/$name}
existing=$environment
while [ ! -d "$existing" ]; do
	existing=$(dirname -- "$existing")
done
case $(CDPATH='' cd -- "$existing" && pwd -P)/ in
"$repository"/*)
	echo "$environment: lies in the repository; name a folder outside" >&2
	exit 2
	;;
esac
mkdir -p -- "$environment"
environment=$(CDPATH='' cd -- "$environment" && pwd -P)

# The list of what is installed is copied last: an installation that was cut short is repeated.
if ! cmp -s "$requirements" "$environment/requirements.txt"; then
	# --clear empties the folder: it must be an environment already, or empty.
	if [ ! -e "$environment/pyvenv.cfg" ] && [ -n "$(ls -A -- "$environment")" ]; then
		echo "$environment: holds something else than a Python environment; name another folder" >&2
		exit 2
	fi
	"${PYTHON:-python3}" -m venv --clear "$environment"
	"$environment/bin/python" -m pip install --quiet --requirement "$requirements"
	cp "$requirements" "$environment/requirements.txt"
fi

# Sets of strings in the same order on every run, and no byte code in the repository.
export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1

for script in $scripts; do
	echo "== $script.py"
	"$environment/bin/python" "$make/$script.py" --out "$out"
done
