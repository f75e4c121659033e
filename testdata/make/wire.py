"""Writes protobuf by hand, for what no protobuf library will write.

Packages: none.
"""


def varint(value):
    """Encodes a non-negative integer as a base-128 varint."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def integer(number, value):
    """Encodes field number as a varint field."""
    return varint(number << 3) + varint(value)


def message(number, *parts):
    """Encodes field number as a length-delimited field, whose content is given in parts."""
    content = b"".join(parts)
    return varint(number << 3 | 2) + varint(len(content)) + content


def open_group(number):
    """Encodes the start of a group, which nothing ends unless the caller does."""
    return varint(number << 3 | 3)
