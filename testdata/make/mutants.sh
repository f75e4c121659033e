#!/bin/sh
# Makes testdata/mutants/seeds.txtar anew: looks for small models that ONNX Runtime does not
# survive, reduces them, and keeps some of every kind. It takes half an hour on one core.
#
#   mutants.sh [-a] [-t TIME] [-n NUMBER] [FOLDER]
#
# -a      adds to the seeds that are there.
# TIME    how long to look (default: 10m). Reducing takes longer.
# NUMBER  where to begin (default: 1). The same numbers are the same mutants, another begin finds others.
# FOLDER  where finds are kept until they are reduced (default: a new one). With TIME 0s, what is
#         there from before is reduced.
#
# The library is the one that Lathe finds: `make runtime` sees to that.
set -eu

usage() {
	echo "usage: $0 [-a] [-t TIME] [-n NUMBER] [FOLDER]" >&2
	exit 2
}

time=10m
number=1
add=
while getopts at:n: option; do
	case $option in
	a) add=yes ;;
	t) time=$OPTARG ;;
	n) number=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -le 1 ] || usage

if [ $# -eq 1 ]; then
	mkdir -p "$1"
	finds=$(CDPATH='' cd -- "$1" && pwd -P)
else
	finds=$(mktemp -d)
fi
cd "$(dirname -- "$0")/../.."
mkdir -p testdata/mutants
[ -n "$add" ] || rm -f testdata/mutants/seeds.txtar
nice go test -tags soak -count 1 -timeout 0 -v -run '^TestMakeMutants$' ./session/ort/crashtest -hunt "$time" -hunt-from "$number" -finds "$finds" -keep
