"""Writes the table of operators that the Go package beside it embeds.

    python make.py [FILE]

Operators of the standard come from the package onnx, those that ONNX Runtime
adds from the package onnxruntime. The format is described in doc.go. The same
versions of the packages give the same bytes.
"""

import collections
import json
import re
import struct
import sys

import onnx
import onnx.defs
import onnx.helper
import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

UNBOUNDED = 2**31 - 1  # max_input of an operator whose last input is variadic
INLINE = 40  # characters; a longer list of types that is used twice gets a name
TYPE = re.compile(r"(.*[(,])(\w+)(\)+)")

Param = collections.namedtuple("Param", "name type option homogeneous least")
Constraint = collections.namedtuple("Constraint", "name types")
Attribute = collections.namedtuple("Attribute", "name kind required default")
Schema = collections.namedtuple("Schema", "domain name since flags inputs outputs constraints attributes")


def require(holds, schema, what):
    """The format has no words for what is asked for here."""
    if not holds:
        sys.exit(f"{schema.domain}::{schema.name}-{schema.since_version}: {what}")


def standard():
    for s in onnx.defs.get_all_schemas_with_history():
        function = s.has_function or s.has_context_dependent_function
        yield convert(
            s,
            flags=flags(deprecated=s.deprecated, function=function),
            inputs=[Param(p.name, p.type_str, p.option.name, p.is_homogeneous, p.min_arity) for p in s.inputs],
            outputs=[Param(p.name, p.type_str, p.option.name, p.is_homogeneous, p.min_arity) for p in s.outputs],
            defaults={a.name: a.default_value for a in s.attributes.values() if a.default_value.type},
        )


def runtime():
    """Its schemas do not tell the least number of a variadic parameter, which
    follows from that of all parameters, and nothing about functions."""
    for s in get_all_operator_schema():
        yield convert(
            s,
            flags=flags(deprecated=s.deprecated, runtime=True),
            inputs=[Param(p.name, p.typeStr, p.option.name, p.isHomogeneous, s.min_input - i) for i, p in enumerate(s.inputs)],
            outputs=[Param(p.name, p.typeStr, p.option.name, p.isHomogeneous, s.min_output - i) for i, p in enumerate(s.outputs)],
            defaults={
                a.name: onnx.AttributeProto.FromString(a._default_value) for a in s.attributes.values() if a._default_value
            },
        )


def flags(**given):
    return [name for name, holds in sorted(given.items()) if holds]


def convert(s, flags, inputs, outputs, defaults):
    require(counts(inputs) == (s.min_input, s.max_input), s, "the number of inputs does not follow from them")
    require(counts(outputs) == (s.min_output, s.max_output), s, "the number of outputs does not follow from them")
    for a in s.attributes.values():
        require(not (a.required and a.name in defaults), s, f"attribute {a.name} is required and has a default")
    return Schema(
        s.domain,
        s.name,
        s.since_version,
        flags,
        [p._replace(type=p.type.replace(" ", "")) for p in inputs],
        [p._replace(type=p.type.replace(" ", "")) for p in outputs],
        [Constraint(c.type_param_str, types(c.allowed_type_strs)) for c in s.type_constraints],
        [
            Attribute(a.name, a.type.name.lower(), a.required, default(defaults.get(a.name)))
            for a in sorted(s.attributes.values(), key=lambda a: a.name)
        ],
    )


def counts(params):
    """The least and the largest number of them."""
    least = most = 0
    for p in params:
        if p.option == "Variadic":
            return most + p.least, UNBOUNDED
        most += 1
        if p.option == "Single":
            least = most
    return least, most


def types(allowed):
    """tensor(float) and tensor(double) become tensor(float|double)."""
    forms = collections.defaultdict(set)
    for text in allowed:
        before, element, after = TYPE.fullmatch(text.replace(" ", "")).groups()
        forms[before, after].add(element)
    number = onnx.TensorProto.DataType.Value
    return " ".join(
        before + "|".join(sorted(forms[before, after], key=lambda e: number(e.upper()))) + after
        for before, after in sorted(forms, key=lambda f: (len(f[0]), f))
    )


def default(a):
    """JSON, and None where there is no default."""
    if a is None:
        return None
    kind = onnx.AttributeProto.AttributeType.Name(a.type)
    if kind == "FLOATS":
        return "[" + ",".join(map(shortest, a.floats)) + "]"
    if kind == "FLOAT":
        return shortest(a.f)
    value = {
        "INT": lambda: a.i,
        "STRING": lambda: a.s.decode(),
        "INTS": lambda: list(a.ints),
        "STRINGS": lambda: [s.decode() for s in a.strings],
    }[kind]()
    return json.dumps(value, separators=(",", ":"))


def shortest(x):
    """The shortest decimal number that reads as the same float32."""
    exact = struct.pack("f", x)
    return next(s for p in range(1, 10) if struct.pack("f", float(s := f"{x:.{p}g}")) == exact)


def named(schemas):
    """Names for the long lists of types that occur more than once: each is
    called after its first user, of the oldest version, so that a name stays when
    versions are added."""
    users = collections.defaultdict(list)
    for s in sorted(schemas, key=lambda s: (s.domain, s.since, s.name)):
        prefix = s.domain + "." if s.domain else ""
        for c in s.constraints:
            users[c.types].append(f"{prefix}{s.name}-{s.since}.{c.name}")
    return {text: names[0] for text, names in users.items() if len(names) > 1 and len(text) > INLINE}


def lines(schemas):
    yield "# Made by make.py. Do not edit."
    yield f"from onnx {onnx.__version__}"
    yield f"from onnxruntime {onnxruntime.__version__}"
    yield ""
    sets = named(schemas)
    for text, name in sorted(sets.items(), key=lambda item: item[1]):
        yield f"set {name} {text}"
    domain = None
    for s in sorted(schemas, key=lambda s: (s.domain, s.name, s.since)):
        if s.domain != domain:
            domain = s.domain
            yield ""
            yield f"domain {domain or 'ai.onnx'} {newest(domain, schemas)}"
        yield from operator(s, sets)


def newest(domain, schemas):
    """The newest version of a domain: of the standard's the released one, which
    need not have changed an operator."""
    released = {row[0]: row for row in onnx.helper.VERSION_TABLE}
    columns = ["", "ai.onnx.ml", "ai.onnx.preview.training"]
    since = max(s.since for s in schemas if s.domain == domain)
    if domain not in columns:
        return since
    release = onnx.__version__.rsplit(".", 1)[0] + ".0"
    return max(since, released[release][2 + columns.index(domain)])


def operator(s, sets):
    yield " ".join(["op", s.name, str(s.since), *s.flags])
    for word, params in (("in", s.inputs), ("out", s.outputs)):
        if params:
            yield " ".join([word, *map(parameter, params)])
    for a in s.attributes:
        tail = " required" if a.required else f" = {a.default}" if a.default is not None else ""
        yield f"attr {a.name} {a.kind}{tail}"
    for c in s.constraints:
        yield f"type {c.name} " + (f"@{sets[c.types]}" if c.types in sets else c.types)


def parameter(p):
    mark = {"Single": "", "Optional": "?", "Variadic": f"*{p.least}"}[p.option]
    return f"{p.name}{mark}{'' if p.homogeneous else '~'}:{p.type}"


def table():
    schemas = list(standard())
    known = {(s.domain, s.name, s.since) for s in schemas}
    schemas += [s for s in runtime() if (s.domain, s.name, s.since) not in known]
    return "\n".join(lines(schemas)) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8", newline="\n") as f:
            f.write(table())
    else:
        sys.stdout.write(table())
