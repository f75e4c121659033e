package static

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lathe/graphops/tensor"
)

// TypeName is a type under its name in the reference, such as "QInt8".
type TypeName tensor.DType

var typeNames = map[string]tensor.DType{
	"QInt8": tensor.I8, "QUInt8": tensor.U8, "QInt16": tensor.I16, "QUInt16": tensor.U16, "QInt4": tensor.I4, "QUInt4": tensor.U4,
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *TypeName) UnmarshalText(b []byte) error {
	d, ok := typeNames[string(b)]
	if !ok {
		return fmt.Errorf("quant_type is %q, expected one of %s", b, strings.Join(slices.Sorted(maps.Keys(typeNames)), ", "))
	}
	*t = TypeName(d)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (t TypeName) MarshalText() ([]byte, error) {
	for name, d := range typeNames {
		if d == tensor.DType(t) {
			return []byte(name), nil
		}
	}
	return nil, fmt.Errorf("%s has no name", tensor.DType(t))
}

// maxOverrides bounds the size in bytes of a JSON file of overrides. One channel takes about a
// hundred bytes.
const maxOverrides = 256 << 20

// ReadOverrides reads overrides from JSON: {"value": [{"quant_type": "QInt8"}]}. Its errors name
// the value, the entry and the key.
func ReadOverrides(r io.Reader) (Overrides, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxOverrides+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxOverrides {
		return nil, fmt.Errorf("it has more than %d MiB", maxOverrides>>20)
	}
	var lists map[string]json.RawMessage
	if err := json.Unmarshal(b, &lists); err != nil {
		return nil, fmt.Errorf("expected JSON as {\"value\": [{\"quant_type\": \"QInt8\"}]}: %w", plain(err))
	}
	out := Overrides{}
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		if out[name], err = readList(lists[name]); err != nil {
			return nil, fmt.Errorf("override of %q: %w", name, err)
		}
	}
	return out, nil
}

// readList reads the overrides of one value.
func readList(b []byte) ([]Override, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(b, &entries); err != nil {
		return nil, plain(err)
	}
	out := make([]Override, len(entries))
	for i, entry := range entries {
		d := json.NewDecoder(bytes.NewReader(entry))
		d.DisallowUnknownFields()
		if err := d.Decode(&out[i]); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, plain(err))
		}
	}
	return out, nil
}

// plain rewrites an error of the JSON package in terms of the file instead of Go types.
func plain(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		where := ""
		if kind.Field != "" {
			where = kind.Field + ": "
		}
		return fmt.Errorf("%sexpected %s, found %s", where, wanted(kind.Type.String()), kind.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// wanted describes a Go type for an error message.
func wanted(kind string) string {
	for what, words := range map[string]string{"float": "a number", "int": "a whole number", "bool": "true or false", "[]string": "a list of names", "[]json": "a list of tables"} {
		if strings.HasPrefix(kind, what) {
			return words
		}
	}
	return "a table of keys"
}
