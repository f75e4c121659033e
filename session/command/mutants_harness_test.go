package command

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/orttest"
)

// seedFile is the archive of mutants that are kept.
const seedFile = "testdata/mutants/seeds.txtar"

// mutantName is what errors call a mutant.
const mutantName = "a mutant"

// levels at which every mutant is tried.
var levels = []ort.Optimization{ort.OptimizeDisable, ort.OptimizeAll}

// ends of a mutant.
const (
	endFine    = "fine"
	endRefused = "refused" // an error of the runtime, or of those who feed it
	endCrash   = "crash"
	endTimeout = "timeout"
	// endBroken is what no model may bring about: the client took what the worker
	// said for nonsense.
	endBroken = "broken protocol"
)

// outcome is what became of a mutant at one level of optimization.
type outcome struct {
	end    string
	phase  ort.WorkerPhase
	signal syscall.Signal
	words  string // the last of what a crashed worker said
	err    error
	// killed says that the worker did not survive. One that was cancelled does, if
	// the runtime heeds it.
	killed bool
}

// String is what the table of seeds says, the same on every machine.
func (o outcome) String() string {
	switch {
	case o.end == endCrash && o.signal != 0:
		return unix.SignalName(o.signal) + " " + string(o.phase)
	case o.end == endTimeout && o.killed:
		return "hangs, is killed " + string(o.phase)
	case o.end == endTimeout:
		return "hangs, is cancelled " + string(o.phase)
	}
	return o.end
}

func (o outcome) fails() bool { return o.end != endFine && o.end != endRefused }

// mutantMemory is what the worker of a mutant gets: many ask for all that there is.
const mutantMemory = 2 << 30

// trial runs mutants, one after the other, in a worker that is replaced when it dies.
type trial struct {
	t       testing.TB
	version string // of the library
	options ort.Options
	client  *ort.Client
	loads   int
}

// newTrial skips the test where no runtime is found.
func newTrial(t testing.TB) *trial {
	lib, err := orttest.Find()
	if err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{
		t: t, version: lib.Version,
		options: ort.Options{
			Command: []string{self, "worker"}, Library: lib.Path,
			Limit: 2 * time.Second, Grace: 2 * time.Second, MemoryLimit: mutantMemory,
		},
	}
	t.Cleanup(tr.fresh)
	return tr
}

// fresh has the next mutant run in a new worker.
func (tr *trial) fresh() {
	if tr.client != nil {
		_ = tr.client.Close()
	}
	tr.client, tr.loads = nil, 0
}

// loadsPerWorker bounds what the sessions of one worker take.
const loadsPerWorker = 200

func (tr *trial) worker() *ort.Client {
	if tr.loads++; tr.loads > loadsPerWorker {
		tr.fresh()
	}
	if tr.client == nil {
		client, err := ort.Start(context.Background(), tr.options)
		if err != nil {
			tr.t.Fatalf("a fresh worker: %v", err)
		}
		tr.client = client
	}
	return tr.client
}

// run loads a mutant and runs it on generated inputs. What comes out is brought here
// or looked at in the worker, by the level.
func (tr *trial) run(model []byte, level ort.Optimization) outcome {
	client := tr.worker()
	loaded, err := client.Load(context.Background(), ort.Model{Bytes: model, Name: mutantName}, ort.SessionOptions{Optimization: level, IntraThreads: 1})
	phase := ort.Loading
	if err == nil {
		phase = ort.Running
		err = feed(loaded, model, level == ort.OptimizeDisable)
	}
	o := judge(phase, err)
	if o.fails() {
		o.killed = tr.gone()
	}
	return o
}

// feed runs a session once.
func feed(loaded *ort.Session, model []byte, whole bool) error {
	m, err := graphops.Decode(model)
	if err != nil {
		return err
	}
	return feedModel(loaded, m, whole)
}

// feedModel runs a session of a model once.
func feedModel(loaded *ort.Session, m *graphops.Model, whole bool) error {
	made, err := inputs.Generate(graphops.NamedTypes(m.Graph().FeedInputs()), inputs.Options{MaxBytes: 16 << 20, Model: m})
	if err != nil {
		return err
	}
	var want []graphops.Want
	for _, out := range loaded.Outputs() {
		want = append(want, graphops.Want{Name: out.Name, Elements: whole, Profile: !whole, First: 8})
	}
	return loaded.Run(context.Background(), made.Feeds, want, func(graphops.Got) error { return nil })
}

// gone reports whether the worker has ended, and replaces it then.
func (tr *trial) gone() bool {
	_, err := tr.client.Load(context.Background(), ort.Model{Bytes: ort.IdentityModel(), Name: "a probe"}, ort.SessionOptions{})
	if err == nil {
		return false
	}
	if !errors.Is(err, ort.ErrGone) {
		tr.t.Errorf("after a mutant: %v", err)
	}
	tr.fresh()
	return true
}

func judge(phase ort.WorkerPhase, err error) outcome {
	o := outcome{phase: phase, err: err}
	var crash *ort.CrashError
	var late *ort.TimeoutError
	switch {
	case err == nil:
		o.end = endFine
	case errors.As(err, &crash) && crash.Violation != nil:
		o.end = endBroken
	case errors.As(err, &crash):
		o.end, o.phase, o.signal, o.words = endCrash, crash.Phase, crash.Signal, lastLine(crash.Stderr)
	case errors.As(err, &late):
		o.end = endTimeout
	default:
		o.end = endRefused
	}
	return o
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// both runs a mutant unoptimized and optimized.
func (tr *trial) both(m *onnxpb.ModelProto) []outcome {
	model, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		tr.t.Fatal(err)
	}
	var outcomes []outcome
	for _, level := range levels {
		outcomes = append(outcomes, tr.run(model, level))
	}
	return outcomes
}
