package graphops

import (
	"errors"
	"fmt"
)

// fewFaults is how many tensors are named that lie wrong in one data file.
const fewFaults = 10

// MissingExternal tells why the data of external tensors cannot be read, by
// opening the files and reading none: an error for each file that cannot be
// opened, and one for each tensor that lies wrong in its file, up to a number
// past which they are counted.
func (m *Model) MissingExternal() []error {
	var groups []*faults
	known := map[faultKey]*faults{}
	for t := range m.ExternalTensors() {
		_, err := t.Data()
		if err == nil {
			continue
		}
		key := faultOf(t, err)
		g := known[key]
		if g == nil {
			g = &faults{faultKey: key}
			known[key] = g
			groups = append(groups, g)
		}
		g.add(err)
	}
	var out []error
	for _, g := range groups {
		out = append(out, g.list()...)
	}
	return out
}

// faultKey groups the faults that are told together.
type faultKey struct {
	location string
	file     bool // the file itself is at fault, whatever is wanted of it
}

func faultOf(t *Tensor, err error) faultKey {
	r, _ := t.ExternalRange()
	var file *externalFileError
	return faultKey{r.Location, errors.As(err, &file)}
}

// faults are those of one key.
type faults struct {
	faultKey
	first []error
	more  int
}

func (f *faults) add(err error) {
	if len(f.first) == fewFaults || f.file && len(f.first) == 1 {
		f.more++
		return
	}
	f.first = append(f.first, err)
}

func (f *faults) list() []error {
	switch {
	case f.more == 0:
		return f.first
	case f.file:
		return append(f.first, fmt.Errorf("external data %q: %s", f.location, counted(f.more, "more tensor is wanted of it", "more tensors are wanted of it")))
	}
	return append(f.first, fmt.Errorf("external data %q: %s", f.location, counted(f.more, "more tensor lies wrong in it", "more tensors lie wrong in it")))
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
