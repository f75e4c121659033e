#!/bin/sh
# Compares two models on the same inputs: polygraphy.sh POLYGRAPHY A B FOLDER. Polygraphy needs a
# process for each model, and keeps inputs and outputs in FOLDER between them.
set -eu
"$1" run "$2" --onnxrt --save-inputs "$4/inputs.json" --save-outputs "$4/outputs.json"
"$1" run "$3" --onnxrt --load-inputs "$4/inputs.json" --load-outputs "$4/outputs.json"
