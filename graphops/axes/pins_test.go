package axes_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"lathe/graphops"
	"lathe/graphops/axes"
	"lathe/graphops/graphtest"
)

// TestPins frees axes of the models in testdata/pins.txtar. In their comments stands
// what is asked for ("free x:0=batch"), and what has to come of it, in order.
func TestPins(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/pins.txtar")
	if err != nil || len(archive.Files) < 30 {
		t.Fatalf("%d models, %v", len(archive.Files), err)
	}
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			o, want := asked(t, string(f.Data))
			m := graphtest.Model(t, string(f.Data))
			before := digest(t, m)
			if got := told(axes.Change(t.Context(), m, o)); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if digest(t, m) != before {
				t.Error("the model that was given has changed")
			}
			twice(t, m, o)
		})
	}
}

// asked reads what the comments of a model ask for, and what they expect.
func asked(t *testing.T, text string) (o axes.Options, want string) {
	t.Helper()
	o.Repair = true
	for line := range strings.Lines(text) {
		line, is := strings.CutPrefix(line, "# ")
		what, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case !is: // a line of the model
		case what == "free":
			at, symbol, _ := strings.Cut(rest, "=")
			name, axis, _ := strings.Cut(at, ":")
			n, err := strconv.Atoi(axis)
			if err != nil {
				t.Fatal(err)
			}
			o.Free = append(o.Free, axes.Axis{Value: name, Axis: n, Symbol: symbol})
		case what == "fix":
			symbol, size, _ := strings.Cut(rest, "=")
			n, err := strconv.ParseInt(size, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			o.Fix = append(o.Fix, axes.Size{Symbol: symbol, Size: n})
		case slices.Contains(results, what):
			want += line
		}
	}
	return o, want
}

// results begin the lines that tell what came of a change.
var results = []string{"repaired", "pin", "warning", "error", "out", "value", "symbols", "folded"}

// told is what came of a change, a line for each thing.
func told(m *graphops.Model, r *axes.Report, err error) string {
	if err != nil {
		return fmt.Sprintf("error %s\n", err)
	}
	var b strings.Builder
	for _, p := range r.Repaired {
		fmt.Fprintf(&b, "repaired %s\n", pinText(p))
	}
	for _, p := range r.Pins {
		fmt.Fprintf(&b, "pin %s\n", pinText(p))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning %s\n", w)
	}
	for _, v := range m.Graph().Outputs() {
		fmt.Fprintf(&b, "out %s %s\n", v.Name(), v.Type().Shape)
	}
	for _, p := range m.Places()[1:] {
		for _, v := range slices.Concat(p.Graph.Outputs(), p.Graph.ValueInfo(), p.Graph.Inputs()) {
			if v.Type().Kind == graphops.TypeTensor && len(v.Type().Shape) > 0 {
				fmt.Fprintf(&b, "value %s %s\n", v.Name(), v.Type().Shape)
			}
		}
	}
	if r.Folded > 0 {
		fmt.Fprintf(&b, "folded %d\n", r.Folded)
	}
	if s := m.Symbols(); len(r.Symbols) == 0 {
		fmt.Fprintf(&b, "symbols %q\n", s)
	}
	return b.String()
}

func pinText(p axes.Pin) string {
	what := fmt.Sprintf("%s[%d]", p.Value, p.Axis)
	if p.Stored {
		what = fmt.Sprintf("%s axis %d", p.Value, p.Axis)
	}
	n := p.Place.Graph.Nodes()[p.Node]
	return strings.TrimSpace(fmt.Sprintf("%s %s: %s %s is %d, needs %s: %s", p.Place, n.OpType(), n.Name(), what, p.Constant, p.Needs, p.Repair))
}

// digest tells models apart.
func digest(t *testing.T, m *graphops.Model) [sha256.Size]byte {
	t.Helper()
	var b bytes.Buffer
	if err := graphops.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b.Bytes())
}

// twice makes the change once more, which must do nothing: the axes are free.
func twice(t *testing.T, m *graphops.Model, o axes.Options) {
	t.Helper()
	once, r, err := axes.Change(context.Background(), m, o)
	if err != nil || len(r.Pins) > 0 || len(o.Fix) > 0 {
		return
	}
	again, r, err := axes.Change(context.Background(), once, o)
	if err != nil || len(r.Changed)+len(r.Pins)+len(r.Repaired) > 0 || digest(t, again) != digest(t, once) {
		t.Errorf("the second time %v changed, %d pins, %d repaired, error %v", r.Changed, len(r.Pins), len(r.Repaired), err)
	}
}
