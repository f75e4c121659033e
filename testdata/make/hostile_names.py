"""The models that are well-formed and only unpleasant: their names deceive terminals and readers.

Packages: onnx.
broken.py writes them.
"""

import itertools

from onnx import helper

from broken_models import FLOAT, model, node

HOSTILE_NAMES = (
    "\x1b[2J\x1b[31mred",  # clears the screen and colours what follows
    "\x1b]0;title\x07",  # sets the window's title
    "\x1b]8;;https://example.com\x1b\\link",  # opens a hyperlink and leaves it open
    "\x1b]unterminated",  # swallows what follows, up to a terminator
    "\u009b31mc1",  # the same as ESC [, in one character
    "abc\u202egnp.exe",  # shows what follows from right to left
    "iso\u2066late",  # opens a bidirectional isolate and leaves it open
    "weight",
    "wei\u200bght",  # looks like the one before
    "we\u00adight",  # and so does this
    "w\u0435ight",  # and this, with a Cyrillic letter
    "two\nlines",
    "carriage\rreturn",
    "back\bspace\ttab",
    "nul\0nul",
    "back\\slash\\x1b[0m",  # must not be mistaken for an escaped name
    "tag\U000e0041\U000e007f",  # characters without a shape
    "filler\u3164\u115f",  # letters without a shape
    "marks" + "\u0301" * 40,  # marks that climb over the lines above
    "wide\uff37\uff29\U0001f469\u200d\U0001f52c",
    "variation\ufe0f\ufe0e",
    "not a character\ufdd0\uffff",
    "private\ue000",
    " spaces ",
    "a,b:0=c",  # made of what separates arguments
    "-o",
    "--force",
    "../../etc/passwd",
    "\"quoted' $(id) `id` %s %n {{.}}",
    "long" * 100,
    "@@@@ invalid",  # the mark is replaced by bytes that are no UTF-8
)
MARK, NO_UTF8 = b"@@@@", b"\xff\xc0\xaf\xed"


def hostile_names():
    """Returns a chain of nodes, one for each hostile name; the names stand in value_info too."""
    nodes = [
        helper.make_node("Identity", [before], [name], name="node " + name)
        for before, name in itertools.pairwise(("x", *HOSTILE_NAMES))
    ]
    nodes.append(helper.make_node("Identity", [HOSTILE_NAMES[-1]], ["y"]))
    broken = model(nodes)
    for name in HOSTILE_NAMES:
        broken.graph.value_info.append(helper.make_tensor_value_info(name, FLOAT, [2]))
    broken.graph.doc_string = "\x1b[2Jdocumentation"
    broken.metadata_props.add(key="\u202eyek", value="\x1b[5mvalue")
    return broken.SerializeToString(deterministic=True).replace(MARK, NO_UTF8)


def bad_utf8_name():
    broken = model([node("Relu", "x", "@@@@"), node("Neg", "@@@@", "y")])
    return broken.SerializeToString(deterministic=True).replace(MARK, NO_UTF8)


def unpleasant():
    """Yields the models that must open."""
    yield "hostile_names.onnx", hostile_names()
    yield "bad_utf8_name.onnx", bad_utf8_name()
