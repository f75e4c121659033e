//go:build cgo && parity

package simplify_test

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/reference"
	"lathe/session"
	"lathe/session/sessiontest"
	"lathe/session/steps/shrink"
)

// judged compares the result of a simplifier with the original. testdata/reference.py says what the
// fields mean.
type judged struct {
	Error       string
	Nodes       int
	Ops         map[string]int
	Seconds     float64
	Loads, Runs bool
	Wrong       string
	Fixed       bool
}

// verdict compares Lathe with the two references on one model.
type verdict struct {
	path                      string
	Original, Slim, Sim, Ours judged
	refused                   string
	seconds                   float64
}

// large is the number of nodes above which Lathe must be faster than the references, by a factor of
// fasterBy in processor time.
const (
	large    = 1000
	fasterBy = 5
)

// TestSimplifyParity simplifies the models of the corpora with Lathe, onnxslim and onnxsim. The
// results of Lathe must load, keep inputs and outputs, and give the original's outputs up to rounding.
// On nine models of ten they must have no more nodes than the better of the two others. With -v it
// prints a line for each model.
func TestSimplifyParity(t *testing.T) {
	corpora := []reference.Corpus{reference.Shared, reference.Testdata, reference.Debian}
	if own := reference.Others(); own != reference.Debian {
		corpora = []reference.Corpus{own}
	}
	python := reference.Start(t, "testdata/reference.py")
	var all tally
	for _, c := range corpora {
		t.Run(c.Name, func(t *testing.T) {
			for _, path := range c.Models(t) {
				v := rated(t, python, path)
				t.Log(v)
				for _, fault := range v.faults() {
					t.Errorf("%s: %s", path, fault)
				}
				all.add(v)
			}
		})
	}
	t.Log(all)
	if all.rivals > 0 && 10*all.fewer < 9*all.rivals {
		t.Errorf("no more nodes than the better reference on %d of %d models", all.fewer, all.rivals)
	}
}

// rated simplifies a model with all three programs.
func rated(t *testing.T, python *reference.Python, path string) verdict {
	t.Helper()
	folder := t.TempDir()
	v := verdict{path: path}
	ours := filepath.Join(folder, "ours.onnx")
	before := processor()
	if err := simplified(t, path, ours); err != nil {
		v.refused, ours = err.Error(), ""
	}
	v.seconds = (processor() - before).Seconds()
	python.Ask(t, map[string]string{"model": path, "ours": ours, "folder": folder}, &v)
	return v
}

// simplified opens a model, simplifies it and writes the result, as the command does.
func simplified(t *testing.T, path, out string) error {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return err
	}
	workers := sessiontest.Workers(t)
	s := &shrink.Simplify{NoProof: true}
	s.Out = out
	_, err = s.Run(t.Context(), session.Env{Runtime: workers, Progress: func(session.Progress) {}}, m)
	return errors.Join(err, workers.Close())
}

// processor is the processor time of this process and its children.
func processor() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// stable reports whether the original runs and gives the same twice.
func (v verdict) stable() bool { return v.Original.Runs && v.Original.Wrong == "" }

// sound reports whether a result can take the place of the original.
func (v verdict) sound(j judged) bool {
	return j.Error == "" && (!v.Original.Loads || j.Loads && j.Wrong == "" || j.Runs && !v.stable())
}

// rivals are the references whose results are sound.
func (v verdict) rivals() []judged {
	return slices.DeleteFunc([]judged{v.Slim, v.Sim}, func(j judged) bool { return !v.sound(j) })
}

// best is the rival with the fewest nodes.
func (v verdict) best() (judged, bool) {
	all := v.rivals()
	if len(all) == 0 {
		return judged{}, false
	}
	return slices.MinFunc(all, func(a, b judged) int { return a.Nodes - b.Nodes }), true
}

// faster is the processor time of the faster rival divided by that of Lathe, or 0 if the model is not
// large.
func (v verdict) faster() float64 {
	least := 0.0
	for _, j := range v.rivals() {
		if f := j.Seconds / v.seconds; v.Original.Nodes > large && (least == 0 || f < least) {
			least = f
		}
	}
	return least
}

// faults are the reasons why the test fails for a model.
func (v verdict) faults() []string {
	var out []string
	_, rival := v.best()
	switch {
	case v.refused != "" && rival && v.Original.Loads:
		out = append(out, "refused: "+v.refused)
	case v.refused == "" && v.Original.Loads && !v.sound(v.Ours):
		out = append(out, "broken: "+v.Ours.Error+v.Ours.Wrong)
	case v.refused == "" && v.Ours.Fixed:
		out = append(out, "broken: an initializer that a caller may feed is gone")
	}
	if f := v.faster(); f > 0 && f < fasterBy {
		out = append(out, fmt.Sprintf("only %.1f times as fast as the faster reference", f))
	}
	return out
}

// String is one line: nodes before, nodes of each result (! if it is not sound), seconds, and how many
// more or fewer of each operator the result of Lathe has.
func (v verdict) String() string {
	word := "alone"
	best, rival := v.best()
	switch {
	case v.refused != "":
		word = "refused"
	case !v.sound(v.Ours):
		word = "broken"
	case rival && v.Ours.Nodes > best.Nodes:
		word = "more"
	case rival:
		word = "fine"
	}
	line := fmt.Sprintf("%-7s %6d → %s, slim %s, sim %s; %.2f s, %.2f s, %.2f s; %s", word, v.Original.Nodes,
		v.cell(v.Ours), v.cell(v.Slim), v.cell(v.Sim), v.seconds, v.Slim.Seconds, v.Sim.Seconds, v.path)
	if word == "more" {
		line += ":" + difference(v.Ours.Ops, best.Ops)
	}
	return line
}

func (v verdict) cell(j judged) string {
	switch {
	case j.Error != "":
		return "-"
	case !v.sound(j):
		return fmt.Sprintf("%d!", j.Nodes)
	}
	return fmt.Sprint(j.Nodes)
}

// difference is how many more of each operator there are in a than in b.
func difference(a, b map[string]int) string {
	var out strings.Builder
	ops := maps.Clone(a)
	maps.Copy(ops, b)
	for _, op := range slices.Sorted(maps.Keys(ops)) {
		if d := a[op] - b[op]; d != 0 {
			fmt.Fprintf(&out, " %+d %s", d, op)
		}
	}
	return out.String()
}

// tally counts verdicts.
type tally struct{ models, rivals, fewer, large, fast int }

func (c *tally) add(v verdict) {
	c.models++
	best, rival := v.best()
	if rival && v.Original.Loads {
		c.rivals++
		if v.refused == "" && v.sound(v.Ours) && v.Ours.Nodes <= best.Nodes {
			c.fewer++
		}
	}
	if f := v.faster(); f > 0 {
		c.large++
		if f >= fasterBy {
			c.fast++
		}
	}
}

func (c tally) String() string {
	return fmt.Sprintf("%d models, %d with a reference's result; no more nodes on %d; of %d large ones %d at least %d times as fast",
		c.models, c.rivals, c.fewer, c.large, c.fast, fasterBy)
}
