//go:build soak

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/axes"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/proof"
)

// sweepVerdict is what became of one freed axis.
type sweepVerdict string

// The verdicts on a freed axis. The last three are faults.
const (
	axisRefused  sweepVerdict = "refused with a reason"
	axisNotRun   sweepVerdict = "original does not run on generated inputs"
	axisRuns     sweepVerdict = "runs at other sizes"
	axisHeld     sweepVerdict = "held, and reported"
	axisLost     sweepVerdict = "runs at other sizes, no output has the axis, as reported"
	axisCautious sweepVerdict = "reported, though it runs"
	axisLarge    sweepVerdict = "too large or slow to be run"
	axisEmpty    sweepVerdict = "empty results are of other sizes"
	axisBroken   sweepVerdict = "FAULT: differs at the old size"
	axisMissed   sweepVerdict = "FAULT: does not run at other sizes, nothing reported"
	axisDeclared sweepVerdict = "FAULT: declares another shape than it gives"
)

func (v sweepVerdict) isFault() bool { return v == axisBroken || v == axisMissed || v == axisDeclared }

// freedAxis is one axis of an input of the main graph, and what is shown of it.
type freedAxis struct {
	model *graphops.Model
	input string
	axis  int
	old   int64
}

// freedSymbol is the symbol that the axis gets.
const freedSymbol = "freed"

func (a freedAxis) String() string { return fmt.Sprintf("%s:%d (%d)", a.input, a.axis, a.old) }

// fixedAxes are the axes of a model's inputs that have a size above 0, up to a number.
func fixedAxes(m *graphops.Model, most int) (out []freedAxis) {
	for _, v := range m.Graph().FeedInputs() {
		if v.Type().Kind != graphops.TypeTensor {
			continue
		}
		for i, d := range v.Type().Shape {
			if d.IsFixed() && d.Value > 0 && len(out) < most {
				out = append(out, freedAxis{m, v.Name(), i, d.Value})
			}
		}
	}
	return out
}

// sweep frees axes and runs what comes of it.
type sweep struct {
	t     *testing.T
	tr    *trial
	count map[sweepVerdict]int
	// judged is how many models have an axis of which something was shown.
	judged int
	runs   map[*graphops.Model]*ort.Session
}

func newSweep(t *testing.T) *sweep {
	tr := newTrial(t)
	tr.options.Limit = 20 * time.Second
	return &sweep{t: t, tr: tr, count: map[sweepVerdict]int{}, runs: map[*graphops.Model]*ort.Session{}}
}

// Run implements graphops.Runner: graphs run as they stand.
func (s *sweep) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	loaded := s.runs[m]
	if loaded == nil {
		var err error
		if loaded, err = s.load(ctx, m); err != nil {
			return s.survived(ort.Loading, err)
		}
		s.runs[m] = loaded
	}
	return s.survived(ort.Running, loaded.Run(ctx, in, want, yield))
}

func (s *sweep) load(ctx context.Context, m *graphops.Model) (*ort.Session, error) {
	o := ort.SessionOptions{Optimization: ort.OptimizeDisable, IntraThreads: 1}
	if m.HasExternalData() {
		path := filepath.Join(s.t.TempDir(), "model.onnx")
		if _, err := graphops.Save(ctx, m, path, graphops.SaveOptions{}); err != nil {
			return nil, err
		}
		return s.tr.worker().Load(ctx, ort.Model{Path: path}, o)
	}
	return s.tr.worker().Load(ctx, ort.Model{Bytes: written(m), Name: mutantName}, o)
}

// survived replaces a worker that an error has ended.
func (s *sweep) survived(phase ort.WorkerPhase, err error) error {
	if err != nil && judge(phase, err).fails() {
		s.tr.fresh()
		clear(s.runs)
	}
	return err
}

// forget closes the sessions of a model that is done with.
func (s *sweep) forget() {
	for m, loaded := range s.runs {
		_ = loaded.Close()
		delete(s.runs, m)
	}
}

// model tries all axes of a model.
func (s *sweep) model(name string, m *graphops.Model, most int) {
	defer s.forget()
	judged := 0
	for _, a := range fixedAxes(m, most) {
		v, why := s.try(a)
		s.count[v]++
		if v != axisNotRun {
			judged = 1
		}
		switch {
		case v.isFault():
			s.t.Errorf("%s: %s: %s: %s", name, a, v, why)
		case v == axisCautious || v == axisRefused:
			s.t.Logf("%s: %s: %s: %s", name, a, v, why)
		}
	}
	s.judged += judged
}

// try frees an axis, compares bits at the old size, and runs the result at others.
func (s *sweep) try(a freedAxis) (sweepVerdict, string) {
	ctx := s.t.Context()
	p := proof.Prover{Runner: s, Seeds: 1}
	sizes, err := p.Settle(ctx, a.model, nil)
	if err != nil {
		return axisNotRun, err.Error()
	}
	changed, r, err := axes.Change(ctx, a.model, axes.Options{Free: []axes.Axis{{Value: a.input, Axis: a.axis, Symbol: freedSymbol}}})
	if err != nil {
		return axisRefused, err.Error()
	}
	var late *ort.TimeoutError
	s.forget() // what draws numbers draws the same in the first runs of both
	same, err := p.SameAt(ctx, a.model, changed, sizes, nil)
	switch {
	case err != nil:
		return axisNotRun, err.Error()
	case same.Difference != nil && errors.As(same.Difference.Err, &late):
		return axisLarge, same.Difference.String()
	case same.Difference != nil && s.chances(p, a.model, sizes):
		return axisNotRun, "the original gives something else each time that it is loaded"
	case same.Difference != nil && ofNothing(same.Difference):
		return axisEmpty, same.Difference.String()
	case same.Difference != nil:
		return axisBroken, same.Difference.String()
	}
	return s.others(a, changed, r, sizes)
}

// others runs a changed model at twice and three times the old size, and one more.
func (s *sweep) others(a freedAxis, changed *graphops.Model, r *axes.Report, sizes map[string]int64) (sweepVerdict, string) {
	told := ""
	for _, p := range r.Pins {
		told += fmt.Sprintf("%s needs %s where %q is %d; ", p.Place.Graph.Nodes()[p.Node].OpType(), p.Needs, p.Value, p.Constant)
	}
	for _, w := range r.Warnings {
		told += w + "; "
	}
	for _, n := range []int64{2 * a.old, 3 * a.old, a.old + 1} {
		err := s.runAt(a.model, changed, sizes, n)
		var wrong *misdeclared
		var late *ort.TimeoutError
		switch {
		case err == nil:
		case errors.Is(err, errLarge), errors.As(err, &late), outOfMemory(err):
			return axisLarge, ""
		case told != "":
			return axisHeld, told
		case errors.As(err, &wrong):
			return axisDeclared, fmt.Sprintf("at %d: %s", n, err)
		default:
			return axisMissed, fmt.Sprintf("at %d: %.400s", n, err)
		}
	}
	switch {
	case told == "":
		return axisRuns, ""
	case len(r.Pins) == 0 && len(r.Warnings) == 1 && strings.HasPrefix(told, "no output depends on"):
		return axisLost, told
	default:
		return axisCautious, told
	}
}

// outOfMemory reports whether a run took more memory than its worker may.
func outOfMemory(err error) bool {
	return strings.Contains(err.Error(), "bad_alloc") || strings.Contains(err.Error(), "allocate memory")
}

// chances reports whether a model gives something else when it is loaded anew, as one
// does that draws numbers or reads what nobody wrote.
func (s *sweep) chances(p proof.Prover, m *graphops.Model, sizes map[string]int64) bool {
	again, err := graphops.Decode(written(m))
	if err != nil {
		return false
	}
	for range 3 {
		s.forget()
		same, err := p.SameAt(s.t.Context(), m, again, sizes, nil)
		if err != nil || same.Difference != nil {
			return true
		}
	}
	return false
}

// written is the file of a model; empty of one that cannot be written.
func written(m *graphops.Model) []byte {
	var b bytes.Buffer
	if err := graphops.Write(&b, m); err != nil {
		return nil
	}
	return b.Bytes()
}

// ofNothing reports whether all that differs are the sizes of a tensor without elements. A
// Loop that runs no time makes one of the sizes that its body declares, with 0 for a
// symbol.
func ofNothing(d *proof.Difference) bool {
	got, want, ok := strings.Cut(d.Reason, ", expected ")
	empty := regexp.MustCompile(`[ ×]0(×|$)`)
	return ok && empty.MatchString(got) && empty.MatchString(want)
}

var errLarge = errors.New("inputs of that size are too large to be tried")

// misdeclared is an output of another shape than is declared.
type misdeclared struct{ text string }

func (e *misdeclared) Error() string { return e.text }

// runAt runs a changed model where the freed axis has a size.
func (s *sweep) runAt(original, changed *graphops.Model, sizes map[string]int64, n int64) error {
	at := maps.Clone(sizes)
	at[freedSymbol] = n
	types := graphops.NamedTypes(changed.Graph().FeedInputs())
	made, err := inputs.Generate(types, inputs.Options{Model: original, Dims: at, MaxBytes: 64 << 20})
	if err != nil {
		return errLarge
	}
	got, err := s.values(changed, made.Feeds)
	if err != nil {
		return err
	}
	for _, v := range changed.Graph().Outputs() {
		if is := got[v.Name()]; is.IsTensor() && !allows(v.Type(), is.Tensor.Shape, n) {
			return &misdeclared{fmt.Sprintf("output %q is %s, declared %s", v.Name(), graphops.FixedShape(is.Tensor.Shape), v.Type().Shape)}
		}
	}
	return nil
}

// allows reports whether a declared type agrees with a shape where the freed axis has a
// size; what depends on other symbols is not looked at.
func allows(t graphops.Type, is []int64, n int64) bool {
	if t.Kind != graphops.TypeTensor || t.Shape == nil {
		return true
	}
	if len(t.Shape) != len(is) {
		return false
	}
	for i, d := range t.Shape {
		said := shape.SizeFromFile(d).Subst(func(symbol string) (dim.Dim, bool) { return dim.Number(n), symbol == freedSymbol })
		if number, known := said.Number(); known && number != is[i] {
			return false
		}
	}
	return true
}

// openedAt opens a file that is small enough to be run often; nil if it cannot be.
func openedAt(path string) *graphops.Model {
	if info, err := os.Stat(path); err != nil || info.Size() > mostBytes {
		return nil
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return nil
	}
	return m
}

// modelName names a file: conformance models are called by their folder.
func modelName(path string) string {
	if name := filepath.Base(path); name != "model.onnx" {
		return name
	}
	return filepath.Base(filepath.Dir(path))
}
