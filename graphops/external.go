package graphops

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// externalFiles opens the files that a model's external data lies in, each
// once. Where they may lie is decided here and nowhere else.
type externalFiles struct {
	model string   // the model's path, for messages; "" for a model from bytes
	roots []string // folders, absolute and free of symbolic links

	mu   sync.Mutex
	open map[string]*source
}

// newExternalFiles allows data in the folder that the path names, in that of
// the file it resolves to (caches keep models as symbolic links), and in
// further ones.
func newExternalFiles(path, resolved string, allow []string) *externalFiles {
	x := &externalFiles{model: path, open: map[string]*source{}}
	for _, dir := range append([]string{filepath.Dir(path), filepath.Dir(resolved)}, allow...) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			continue // the working folder is gone; what follows says so
		}
		if abs, err = filepath.EvalSymlinks(abs); err == nil && !slices.Contains(x.roots, abs) {
			x.roots = append(x.roots, abs)
		}
	}
	return x
}

// ExternalRange is where a tensor's elements lie, as its external_data says.
type ExternalRange struct {
	Location string // relative to the model's folder, with slashes
	Offset   int64
	Length   int64 // -1 where the entry is missing: to what the shape needs
}

// ExternalRange reads the tensor's external_data entries. Unknown keys are ignored,
// as the specification asks; a key that occurs twice, which readers disagree
// on, is an error.
func (t *Tensor) ExternalRange() (ExternalRange, error) {
	r := ExternalRange{Length: -1}
	seen := map[string]bool{}
	for _, e := range entriesOf(t.head, tensorExternal) {
		if seen[e.Key] {
			return r, fmt.Errorf("external data: %q is given twice", e.Key)
		}
		seen[e.Key] = true
		var err error
		switch e.Key {
		case "location":
			r.Location = e.Value
		case "offset":
			r.Offset, err = parseRange(e)
		case "length":
			r.Length, err = parseRange(e)
		}
		if err != nil {
			return r, err
		}
	}
	return r, checkLocation(r.Location)
}

func parseRange(e Entry) (int64, error) {
	v, err := strconv.ParseInt(e.Value, 10, 64)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("external data: %s %q is not a whole number from 0 on", e.Key, e.Value)
	}
	return v, nil
}

// checkLocation refuses what could lead out of a folder, in the spelling of
// any system, and the tag by which ONNX Runtime marks addresses in memory.
func checkLocation(loc string) error {
	why := ""
	switch {
	case loc == "":
		return errors.New("external data: no location is given")
	case strings.Contains(loc, "_ORT_MEM_ADDR_"):
		why = "is an address in memory, which a file cannot hold"
	case strings.ContainsRune(loc, 0):
		why = "holds a zero byte"
	case strings.HasPrefix(loc, "/"), strings.HasPrefix(loc, `\`), len(loc) > 1 && loc[1] == ':':
		why = "is absolute, expected a path relative to the model's folder"
	case slices.Contains(strings.FieldsFunc(loc, func(r rune) bool { return r == '/' || r == '\\' }), ".."):
		why = `leads out of the model's folder by ".."`
	default:
		return nil
	}
	return fmt.Errorf("external data: location %q %s", loc, why)
}

// payload finds the elements of t, want bytes long.
func (x *externalFiles) payload(t *Tensor, want int64) (Payload, error) {
	r, err := t.ExternalRange()
	if err != nil {
		return Payload{}, err
	}
	if x.model == "" {
		return Payload{}, fmt.Errorf("external data %q cannot be found: the model came from a stream; open it by its path", r.Location)
	}
	src, err := x.source(r.Location)
	if err != nil {
		return Payload{}, err
	}
	n := r.Length
	if n < 0 {
		n = want
	}
	if r.Offset > src.size || n > src.size-r.Offset {
		return Payload{}, fmt.Errorf("external data %q: bytes %d to %d are wanted, the file has %d", r.Location, r.Offset, r.Offset+n, src.size)
	}
	return rangePayload(src, r.Offset, n), nil
}

// source opens the file of a location.
func (x *externalFiles) source(loc string) (*source, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := x.open[loc]; s != nil {
		return s, nil
	}
	path := filepath.Join(filepath.Dir(x.model), filepath.FromSlash(loc))
	real, err := x.contained(path)
	if err != nil {
		return nil, fmt.Errorf("external data %q: %w", loc, err)
	}
	s, err := openSource(real)
	if err != nil {
		return nil, fmt.Errorf("external data %q: %w", loc, err)
	}
	x.open[loc] = s
	return s, nil
}

// contained resolves symbolic links and refuses what ends outside the allowed
// folders.
func (x *externalFiles) contained(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("no such file beside the model (%s)", path)
	}
	if err != nil {
		return "", err
	}
	for _, root := range x.roots {
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			return real, nil
		}
	}
	return "", fmt.Errorf("lies outside the model's folder, in %s; allow it with --allow-external %s", filepath.Dir(real), filepath.Dir(real))
}

// MissingExternal tells why the data of external tensors cannot be read, one
// error for each file at fault, by opening the files and reading none.
func (m *Model) MissingExternal() []error {
	var out []error
	seen := map[string]bool{}
	for t := range m.Tensors() {
		if !t.IsExternal() {
			continue
		}
		r, _ := t.ExternalRange()
		if _, err := t.Data(); err != nil && !seen[r.Location] {
			seen[r.Location] = true
			out = append(out, err)
		}
	}
	return out
}
