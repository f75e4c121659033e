"""Tells what the package onnxruntime says about its kernels.

The first line of the output is the version of the package, each further one a
kernel as the package has it: neither joined, sorted nor shortened.
"""

import json

import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_opkernel_def

print(json.dumps(onnxruntime.__version__))
for k in get_all_opkernel_def():
    print(
        json.dumps(
            {
                "provider": k.provider,
                "domain": k.domain,
                "name": k.op_name,
                "since": k.version_range[0],
                "until": k.version_range[1],
                "types": k.type_constraints,
            }
        )
    )
