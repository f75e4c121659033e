"""Tells what the packages onnx and onnxruntime say about operators.

The first line of the output is {"onnx": version, "onnxruntime": version,
"latest": {domain: version}}, each further one a schema as the package has it:
the parameters and types are neither sorted nor shortened.
"""

import json

import onnx
import onnx.defs
import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

VALUES = {1: "f", 2: "i", 3: "s", 6: "floats", 7: "ints", 8: "strings"}


def tell(package, s, attributes, **fields):
    """Both packages name some fields differently."""
    return {
        "package": package,
        "domain": s.domain,
        "name": s.name,
        "since": s.since_version,
        "deprecated": s.deprecated,
        "least": [s.min_input, s.min_output],
        "most": [s.max_input, s.max_output],
        "types": {c.type_param_str: list(c.allowed_type_strs) for c in s.type_constraints},
        "attributes": {
            # onnxruntime has no name for one kind, a type, whose number is 13.
            a.name: {"kind": getattr(onnx.AttributeProto, a.type.name, 13), "required": a.required, "default": value(d)}
            for a, d in attributes
        },
        **fields,
    }


def value(a):
    if a is None or not a.type:
        return None
    v = getattr(a, VALUES[a.type])
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, (int, float)):
        return v
    return [x.decode() if isinstance(x, bytes) else x for x in v]


def standard(s):
    def params(list):
        return [[p.name, p.type_str, p.option.name, p.is_homogeneous, p.min_arity] for p in list]

    return tell(
        "onnx",
        s,
        [(a, a.default_value) for a in s.attributes.values()],
        function=s.has_function or s.has_context_dependent_function,
        inputs=params(s.inputs),
        outputs=params(s.outputs),
    )


def runtime(s):
    def params(list):
        return [[p.name, p.typeStr, p.option.name, p.isHomogeneous, None] for p in list]

    def default(a):
        return onnx.AttributeProto.FromString(a._default_value) if a._default_value else None

    return tell(
        "onnxruntime",
        s,
        [(a, default(a)) for a in s.attributes.values()],
        function=None,
        inputs=params(s.inputs),
        outputs=params(s.outputs),
    )


print(
    json.dumps(
        {
            "onnx": onnx.__version__,
            "onnxruntime": onnxruntime.__version__,
            "latest": {"": onnx.defs.onnx_opset_version()},
        }
    )
)
for s in onnx.defs.get_all_schemas_with_history():
    print(json.dumps(standard(s)))
for s in get_all_operator_schema():
    print(json.dumps(runtime(s)))
