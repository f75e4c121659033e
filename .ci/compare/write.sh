#!/bin/sh
# Writes a copy of each file of a folder, and syncs it: write.sh FOLDER.
set -eu
for file in "$1"/out*; do
	dd if="$file" of="$1/copy" bs=1M conv=fsync,notrunc oflag=append status=none
done
