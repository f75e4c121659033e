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

// Read is a line at which code made a Python value of what a tensor holds, with the values that it
// had there, as Python writes them.
type Read struct {
	Line
	Values []string `json:"values"`
}

// Beyond are sizes for which something does not hold that capture asked of free axes, so that the
// code may take another path there than in the example.
type Beyond struct {
	Line
	Asks  string `json:"asks"` // as capture has it, in symbols of its own
	Sizes []Size `json:"sizes"`
	// Broken are all sizes that it does not hold for, in the order of Sizes, of those that inputs are
	// generated in.
	Broken [][]int64 `json:"broken"`
}

// Size is that of an axis of an argument.
type Size struct {
	Path string `json:"path"`
	Axis int    `json:"axis"`
	Size int64  `json:"size"`
}

// Reads are the lines that runs have made a Python value of a tensor at, with all values so far.
func (b *Bridge) Reads() []Read {
	out := []Read{}
	for _, at := range slices.Sorted(maps.Keys(b.reads)) {
		out = append(out, b.reads[at])
	}
	return out
}

// ReadsIn are the lines that made a Python value of a tensor in a case, with what they read there.
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

// Beyond captures the model, exports nothing, and gives the sizes of these axes for which the code
// may take another path. Known are those of the lines that decide something by sizes only through
// what capture asked of them: with these sizes, it is tried both ways.
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

// Flipped are inputs with which a line reads another value than it did before.
type Flipped struct {
	File   string
	Line   int
	Inputs graphops.Feeds // by path
}

// Flip looks, for as long as d, for inputs with which lines read other values than they did. Tries
// is how many were tried.
func (b *Bridge) Flip(ctx context.Context, lines []Read, d time.Duration) (found []Flipped, tries int, err error) {
	b.cases++
	folder := filepath.Join(b.of.TempDir, fmt.Sprint("flip_", b.cases))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, 0, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // a folder of the system's for temporary files
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
				return nil, 0, fmt.Errorf("an input that was drawn: %w", err)
			}
			in[l.Path] = graphops.TensorValue(t)
		}
		found = append(found, Flipped{f.File, f.Line, in})
	}
	return found, got.Tries, nil
}
