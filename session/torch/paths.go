package torch

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lathe/graphops"
)

// Read is a line at which code converted a tensor to a Python value, with the values it had there,
// as Python prints them.
type Read struct {
	Line
	Values []string `json:"values"`
}

// Beyond are sizes of dynamic axes for which the code may take another path than for the example.
// When torch.export captures a model, it assumes conditions on these sizes. The sizes violate one
// of the conditions.
type Beyond struct {
	Line
	Asks  string `json:"asks"` // the condition, in the symbols of the capture
	Sizes []Size `json:"sizes"`
	// Broken are all combinations of sizes that violate the condition, among the sizes for which
	// inputs are generated. Each combination has the order of Sizes.
	Broken [][]int64 `json:"broken"`
}

// Size is the size of an axis of an argument.
type Size struct {
	Path string `json:"path"`
	Axis int    `json:"axis"`
	Size int64  `json:"size"`
}

// Reads returns the lines at which runs converted a tensor to a Python value, with all values so
// far.
func (b *Bridge) Reads() []Read {
	out := []Read{}
	for _, at := range slices.Sorted(maps.Keys(b.reads)) {
		out = append(out, b.reads[at])
	}
	return out
}

// ReadsIn returns the lines that converted a tensor to a Python value in a case, with the values
// there.
func (b *Bridge) ReadsIn(name string) []Read { return b.readsIn[name] }

func (b *Bridge) note(name string, reads []Read) {
	b.readsIn[name] = reads
	for _, r := range reads {
		had := b.reads[r.At()]
		had.Line = r.Line
		for _, v := range r.Values {
			if !slices.Contains(had.Values, v) {
				had.Values = append(had.Values, v)
			}
		}
		b.reads[r.At()] = had
	}
}

// Beyond captures the model without exporting it. It returns sizes of the dynamic axes for which
// the code may take another path. lines are lines whose conditions tracing turned into constants.
// known are those of them that depend on sizes only through conditions of the capture, so that
// sizes can be chosen for both paths.
func (b *Bridge) Beyond(ctx context.Context, dynamic []DynamicAxis, lines []Line) (list []Beyond, known []Line, err error) {
	var got struct {
		Beyond []Beyond `json:"beyond"`
		Known  []Line   `json:"known"`
	}
	q := struct {
		Do      string        `json:"do"`
		Dynamic []DynamicAxis `json:"dynamic"`
		Lines   []Line        `json:"lines"`
	}{"beyond", orEmpty(dynamic), orEmpty(lines)}
	err = b.ask(ctx, q, &got)
	return got.Beyond, got.Known, err
}

// Flipped are inputs for which a line reads another value than before.
type Flipped struct {
	File   string
	Line   int
	Inputs graphops.Feeds // by path
}

// Flip searches for the time d for inputs with which lines read other values than before. tries is
// the number of inputs tried.
func (b *Bridge) Flip(ctx context.Context, lines []Read, d time.Duration) (found []Flipped, tries int, err error) {
	b.cases++
	folder := filepath.Join(b.of.TempDir, fmt.Sprint("flip_", b.cases))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, 0, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // it is in the system's folder for temporary files
	var got struct {
		Found []struct {
			File   string `json:"file"`
			Line   int    `json:"line"`
			Inputs []Leaf `json:"inputs"`
		} `json:"found"`
		Tries int `json:"tries"`
	}
	q := struct {
		Do      string        `json:"do"`
		Folder  string        `json:"folder"`
		Lines   []Read        `json:"lines"`
		Dynamic []DynamicAxis `json:"dynamic"`
		Seconds float64       `json:"seconds"`
	}{"flip", folder, lines, orEmpty(b.dynamic), d.Seconds()}
	if err := b.ask(ctx, q, &got); err != nil {
		return nil, 0, err
	}
	for i, f := range got.Found {
		in := graphops.Feeds{}
		for _, l := range f.Inputs {
			l.File = filepath.Join(folder, fmt.Sprint(i), filepath.Base(l.File))
			t, err := l.read()
			if err != nil {
				return nil, 0, fmt.Errorf("a generated input of the PyTorch model: %w", err)
			}
			in[l.Path] = graphops.TensorValue(t)
		}
		found = append(found, Flipped{f.File, f.Line, in})
	}
	return found, got.Tries, nil
}
