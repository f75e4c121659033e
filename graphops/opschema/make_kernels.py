"""Writes the table of kernels that the Go package beside it embeds.

    python make_kernels.py [FILE]

What the execution providers of ONNX Runtime implement comes from the package
onnxruntime: those providers that the installed package was built with. The
format is described in doc.go. The same version of the package gives the same
bytes.
"""

import collections
import re
import sys

import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema, get_all_opkernel_def

from make import INLINE, types

OPEN = 2**31 - 1  # the end of the versions of a kernel that still holds


def kernels():
    """Kernels by provider, domain, operator and versions: for each what its type
    variables may be. Those that differ in one variable become one."""
    found = collections.defaultdict(list)
    for k in get_all_opkernel_def():
        allowed = {name: frozenset(map(schema_spelling, given)) for name, given in k.type_constraints.items()}
        found[k.provider, k.domain, k.op_name, k.version_range].append(allowed)
    return {key: joined(group) for key, group in sorted(found.items())}


def schema_spelling(text):
    """Schemas have map(int64,float) for what kernels have map(int64,tensor(float))."""
    return re.sub(r"(map\(\w+,)tensor\((\w+)\)", r"\1\2", text.replace(" ", ""))


def joined(group):
    """A kernel for float and one for double are one for both."""
    group = sorted(group, key=lambda a: sorted((name, sorted(given)) for name, given in a.items()))
    for i, a in enumerate(group):
        for b in group[i + 1 :]:
            differ = [name for name in a if a[name] != b.get(name)]
            if a.keys() == b.keys() and len(differ) <= 1:
                rest = [k for k in group if k is not a and k is not b]
                return joined([{name: a[name] | b[name] for name in a}, *rest])
    return group


def named(found):
    """Names for the long lists of types that occur more than once."""
    users = collections.defaultdict(list)
    for (_, domain, op, (since, _)), group in found.items():
        prefix = domain + "." if domain else ""
        for allowed in group:
            for name, given in sorted(allowed.items()):
                users[types(given)].append(f"{prefix}{op}-{since}.{name}")
    return {text: names[0] for text, names in users.items() if len(names) > 1 and len(text) > INLINE}


def newest(domain):
    return max(s.since_version for s in get_all_operator_schema() if s.domain == domain)


def lines(found):
    yield "# Made by make_kernels.py. Do not edit."
    yield f"from onnxruntime {onnxruntime.__version__}"
    yield ""
    sets = named(found)
    for text, name in sorted(sets.items(), key=lambda item: item[1]):
        yield f"set {name} {text}"
    yield ""
    for domain in sorted({domain for _, domain, _, _ in found}):
        yield f"domain {domain or 'ai.onnx'} {newest(domain)}"
    part = None
    for (provider, domain, op, (since, until)), group in found.items():
        if part != (provider, domain):
            part = provider, domain
            yield ""
            yield f"provider {provider} {domain or 'ai.onnx'}"
        for allowed in group:
            yield f"kernel {op} {since}" + ("" if until == OPEN else f" {until}")
            for name, given in sorted(allowed.items()):
                text = types(given)
                yield f"type {name} " + (f"@{sets[text]}" if text in sets else text)


if __name__ == "__main__":
    table = "\n".join(lines(kernels())) + "\n"
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8", newline="\n") as f:
            f.write(table)
    else:
        sys.stdout.write(table)
