package graphops

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// ExternalRange is the part of a data file in which a tensor's external_data says that its elements
// are.
type ExternalRange struct {
	Location string // relative to the model's folder, with slashes
	Offset   int64
	// Length is -1 if the entry is missing or 0. All programs that read external data then use the
	// number of bytes that the shape requires.
	Length int64
}

// ExternalRange reads the tensor's external_data entries. It ignores unknown keys, as the
// specification requires. A key that occurs twice is an error, because programs disagree on which
// of the two counts.
func (t *Tensor) ExternalRange() (ExternalRange, error) {
	r := ExternalRange{Length: -1}
	seen := map[string]bool{}
	for _, e := range entriesOf(t.head, fieldnum.TensorExternal) {
		if seen[e.Key] {
			return r, fmt.Errorf("external data: key %q occurs twice", brief(e.Key))
		}
		seen[e.Key] = true
		var err error
		switch e.Key {
		case "location":
			r.Location = e.Value
		case "offset":
			r.Offset, err = parseRange(e)
		case "length":
			if r.Length, err = parseRange(e); r.Length == 0 {
				r.Length = -1
			}
		}
		if err != nil {
			return r, err
		}
	}
	return r, checkLocation(r.Location)
}

// parseRange parses an offset or length. It accepts only digits, like ONNX Runtime. Other programs
// also accept a sign or a space.
func parseRange(e Entry) (int64, error) {
	v, err := strconv.ParseUint(e.Value, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("external data: %s %q is not a whole number from 0 on", e.Key, brief(e.Value))
	}
	return int64(v), nil
}

// checkLocation rejects locations that cannot name a file in a folder. These include the tag that
// ONNX Runtime writes for data in memory. They also include paths that are absolute or leave the
// folder on any operating system, because a model may be copied to another system. If a link on
// this system leads out of the folder, this is detected when the file is opened.
func checkLocation(loc string) error {
	why := ""
	switch {
	case loc == "":
		return errors.New("external data: no location is given")
	case len(loc) > maxLocation:
		return fmt.Errorf("external data: a location of %d bytes, which is too long for a path", len(loc))
	case strings.Contains(loc, "_ORT_MEM_ADDR_"):
		why = "is an address in memory, which has no meaning in a file"
	case strings.ContainsRune(loc, 0):
		why = "contains a zero byte"
	case strings.HasPrefix(loc, `\`), len(loc) > 1 && loc[1] == ':':
		why = "is absolute, expected a path relative to the model's folder"
	case slices.Contains(strings.Split(loc, `\`), ".."):
		why = `leads out of the model's folder by ".."`
	case strings.HasSuffix(loc, "/"):
		why = "names a folder, expected a file"
	default:
		return nil
	}
	return fmt.Errorf("external data: location %q %s", loc, why)
}

// maxLocation is the maximum length of a path on any system (PATH_MAX of Linux).
const maxLocation = 4096

// brief shortens a text from a file, so that it fits into a message.
func brief(s string) string {
	if len(s) <= 100 {
		return s
	}
	return s[:100] + "…"
}

// payload returns the elements of an external tensor as a payload of want bytes. It does not read
// them.
func (x *externalFiles) payload(t *Tensor, want int64) (Payload, error) {
	r, err := t.ExternalRange()
	if err != nil {
		return Payload{}, err
	}
	if r.Length >= 0 && r.Length != want {
		return Payload{}, fmt.Errorf("external data %q: its length is %d, but %s %s needs %d bytes",
			r.Location, r.Length, t.dtype, tensor.FormatShape(t.dims), want)
	}
	src, err := x.source(r.Location)
	if err != nil {
		return Payload{}, err
	}
	if r.Offset > src.size || want > src.size-r.Offset {
		return Payload{}, fmt.Errorf("external data %q: %d bytes from byte %d on are needed, but the file has only %d bytes", r.Location, want, r.Offset, src.size)
	}
	return rangePayload(src, r.Offset, want), nil
}
