#!/bin/sh
# Does what write.sh does while read.sh reads: both.sh FOLDER FILE...
set -eu
folder=$1
shift
"${0%both.sh}read.sh" "$@" &
"${0%both.sh}write.sh" "$folder"
wait $!
