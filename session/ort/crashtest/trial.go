package crashtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/onnxpb"
	"lathe/session/inputs"
	"lathe/session/ort"
)

// ModelName is the name under which errors mention a model in memory. The tests run mutants, which
// are models with deliberate changes.
const ModelName = "a mutant"

// Levels are the levels of optimization at which Both runs a model.
var Levels = []ort.Optimization{ort.OptimizeDisable, ort.OptimizeAll}

// memory limits the memory of a worker, in bytes, because many mutants make the runtime allocate as
// much as it can get.
const memory = 2 << 30

// loadsPerWorker is the number of models after which a worker is replaced, because its memory grows
// with every load.
const loadsPerWorker = 200

// Trial runs models in a worker and replaces the worker when it ends.
type Trial struct {
	// Options are the options with which the next worker is started.
	Options ort.Options
	t       testing.TB
	client  *ort.Client
	loads   int
}

// New returns a trial whose workers are started by options and bounded in time and memory.
func New(t testing.TB, o ort.Options) *Trial {
	o.Limit, o.Grace, o.MemoryLimit = 2*time.Second, 2*time.Second, memory
	tr := &Trial{Options: o, t: t}
	t.Cleanup(tr.Fresh)
	return tr
}

// Fresh ends the worker, so that the next model is loaded in a new one.
func (tr *Trial) Fresh() {
	if tr.client != nil {
		_ = tr.client.Close() // it may have crashed
	}
	tr.client, tr.loads = nil, 0
}

// Worker returns the worker for the next model.
func (tr *Trial) Worker() *ort.Client {
	if tr.loads++; tr.loads > loadsPerWorker {
		tr.Fresh()
	}
	if tr.client == nil {
		client, err := ort.Start(context.Background(), tr.Options)
		if err != nil {
			tr.t.Fatalf("a fresh worker: %v", err)
		}
		tr.client = client
	}
	return tr.client
}

// Load loads a model in a session with one thread. If the worker does not survive that, the next
// model gets a new one.
func (tr *Trial) Load(model ort.Model, level ort.Optimization) (*ort.Session, error) {
	loaded, err := tr.Worker().Load(context.Background(), model, ort.SessionOptions{Optimization: level, IntraThreads: 1})
	tr.Survive(err)
	return loaded, err
}

// Survive makes the next model use a new worker if err may mean that the present one has ended.
func (tr *Trial) Survive(err error) {
	if Judge(ort.Loading, err).Fails() {
		tr.Fresh()
	}
}

// Attempt loads a model, calls run with its session, and returns how that ended.
func (tr *Trial) Attempt(model ort.Model, level ort.Optimization, run func(*ort.Session) error) Outcome {
	loaded, err := tr.Worker().Load(context.Background(), model, ort.SessionOptions{Optimization: level, IntraThreads: 1})
	phase := ort.Loading
	if err == nil {
		phase = ort.Running
		err = run(loaded)
	}
	o := Judge(phase, err)
	switch {
	case o.Fails():
		o.Killed = tr.gone()
	case loaded != nil:
		_ = loaded.Close() // the worker is replaced if it is in a bad state
	}
	return o
}

// Run loads a model in memory and runs it on generated inputs. Without optimizations all elements
// of the outputs are read; otherwise the worker only summarizes them.
func (tr *Trial) Run(model []byte, level ort.Optimization) Outcome {
	return tr.Attempt(ort.Model{Bytes: model, Name: ModelName}, level, func(loaded *ort.Session) error {
		m, err := graphops.Decode(model)
		if err != nil {
			return err
		}
		return Feed(loaded, m, level == ort.OptimizeDisable)
	})
}

// Both calls Run with a model at each of Levels and returns the outcomes in this order.
func (tr *Trial) Both(m *onnxpb.ModelProto) []Outcome {
	model, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		tr.t.Fatal(err)
	}
	var outcomes []Outcome
	for _, level := range Levels {
		outcomes = append(outcomes, tr.Run(model, level))
	}
	return outcomes
}

// Feed runs a session once on generated inputs and reads its outputs: all their elements, or
// statistics and the first few elements.
func Feed(loaded *ort.Session, m *graphops.Model, whole bool) error {
	made, err := inputs.Generate(graphops.NamedTypes(m.Graph().FeedInputs()), inputs.Options{MaxBytes: 16 << 20, Model: m})
	if err != nil {
		return err
	}
	var want []execution.Want
	for _, out := range loaded.Outputs() {
		want = append(want, execution.Want{Name: out.Name, Elements: whole, Profile: !whole, First: 8})
	}
	return loaded.Run(context.Background(), made.Feeds, want, func(execution.Got) error { return nil })
}

// gone reports whether the worker has ended. If so, the next model gets a new one.
func (tr *Trial) gone() bool {
	_, err := tr.client.Load(context.Background(), ort.Model{Bytes: ort.IdentityModel(), Name: "a probe"}, ort.SessionOptions{})
	if err == nil {
		return false
	}
	if !errors.Is(err, ort.ErrGone) {
		tr.t.Errorf("after a mutant: %v", err)
	}
	tr.Fresh()
	return true
}
