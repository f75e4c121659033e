//go:build cgo && soak

package axes_test

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
	"lathe/graphops/execution"
	"lathe/graphops/shape"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/crashtest"
	"lathe/session/ort/workertest"
	"lathe/session/proof"
)

// sweepVerdict is the result of making one axis dynamic.
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

// freedAxis is an axis of an input of the main graph.
type freedAxis struct {
	model *graphops.Model
	input string
	axis  int
	old   int64
}

// freedSymbol is the symbol that the axis gets.
const freedSymbol = "freed"

func (a freedAxis) String() string { return fmt.Sprintf("%s:%d (%d)", a.input, a.axis, a.old) }

// fixedAxes are the first axes of a model's inputs that have a size above 0.
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

// sweep makes axes dynamic and runs the results.
type sweep struct {
	t     *testing.T
	tr    *crashtest.Trial
	count map[sweepVerdict]int
	// judged is how many models run and have an axis.
	judged int
	runs   map[*graphops.Model]*ort.Session
}

func newSweep(t *testing.T) *sweep {
	tr := crashtest.New(t, workertest.Options(t))
	tr.Options.Limit = 20 * time.Second
	return &sweep{t: t, tr: tr, count: map[sweepVerdict]int{}, runs: map[*graphops.Model]*ort.Session{}}
}

// Run implements execution.Runner. Graphs run without optimizations.
func (s *sweep) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error {
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
		return s.tr.Worker().Load(ctx, ort.Model{Path: path}, o)
	}
	return s.tr.Worker().Load(ctx, ort.Model{Bytes: written(m), Name: crashtest.ModelName}, o)
}

// survived replaces the worker if the error means that it may have ended.
func (s *sweep) survived(phase ort.WorkerPhase, err error) error {
	if err != nil && crashtest.Judge(phase, err).Fails() {
		s.tr.Fresh()
		clear(s.runs)
	}
	return err
}

// forget closes all sessions.
func (s *sweep) forget() {
	for m, loaded := range s.runs {
		_ = loaded.Close()
		delete(s.runs, m)
	}
}

// model tries the first axes of a model.
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

// try makes an axis dynamic, compares bits at the old size, and runs the result at other sizes.
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
	s.forget() // a model that draws random numbers draws the same ones in its first run
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

// outOfMemory reports whether a run needed more memory than its worker may use.
func outOfMemory(err error) bool {
	return strings.Contains(err.Error(), "bad_alloc") || strings.Contains(err.Error(), "allocate memory")
}

// chances reports whether a model gives another result each time it is loaded, because it draws
// random numbers or reads uninitialized memory.
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

// written is the file of a model, or empty if it cannot be written.
func written(m *graphops.Model) []byte {
	var b bytes.Buffer
	if err := graphops.Write(&b, m); err != nil {
		return nil
	}
	return b.Bytes()
}

// ofNothing reports whether only the sizes of an empty tensor differ. A Loop without iterations
// makes one with the sizes that its body declares, and 0 for a symbol.
func ofNothing(d *proof.Difference) bool {
	got, want, ok := strings.Cut(d.Reason, ", expected ")
	empty := regexp.MustCompile(`[ ×]0(×|$)`)
	return ok && empty.MatchString(got) && empty.MatchString(want)
}

var errLarge = errors.New("inputs of that size are too large to try")

// misdeclared is the error of an output whose shape is not the declared one.
type misdeclared struct{ text string }

func (e *misdeclared) Error() string { return e.text }

// runAt runs a changed model at a size of the freed axis.
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

// allows reports whether a declared type agrees with a shape at size n of the freed axis. It ignores
// axes that depend on other symbols.
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

// openedAt opens a file that is small enough to run often. It returns nil for others, and for files
// that cannot be opened.
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

// modelName is the name of a file, or of its folder if that holds one conformance model.
func modelName(path string) string {
	if name := filepath.Base(path); name != "model.onnx" {
		return name
	}
	return filepath.Base(filepath.Dir(path))
}
