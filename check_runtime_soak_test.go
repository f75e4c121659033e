//go:build soak

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/onnxpb"
	"lathe/graphops/reference"
	"lathe/session/ort"
)

var (
	agreeFrom    = flag.Uint64("agree-from", 1, "check: the first of the numbers that mutants are made from")
	agreeMutants = flag.Uint64("agree-mutants", 1000, "check: how many mutants are compared")
)

// agreement counts how check and ONNX Runtime answer about the same models.
type agreement struct {
	tried, right    int
	alarms, silents []string // an error of what runs; no error of what does not load
	inputs          []string // no error of what loads and does not run on generated inputs
}

// add judges one model.
func (a *agreement) add(name string, o outcome, list []check.Problem) {
	a.tried++
	says := errorsOf(list)
	switch wrong := says != ""; {
	case wrong == (o.end != endFine):
		a.right++
	case wrong:
		a.alarms = append(a.alarms, fmt.Sprintf("%s runs, check says: %.300s", name, says))
	case o.phase == ort.Loading:
		a.silents = append(a.silents, fmt.Sprintf("%s: %s in %s: %.300v", name, o.end, o.phase, o.err))
	default:
		a.inputs = append(a.inputs, fmt.Sprintf("%s: %s in %s: %.300v", name, o.end, o.phase, o.err))
	}
}

// tell writes every disagreement.
func (a *agreement) tell(t *testing.T) {
	for _, list := range [][]string{a.alarms, a.silents, a.inputs} {
		for _, line := range list {
			t.Log(line)
		}
	}
	t.Logf("%d tried, %d right, %d errors of what runs, %d silent of what does not load, %d silent of what fails on generated inputs",
		a.tried, a.right, len(a.alarms), len(a.silents), len(a.inputs))
}

// TestCheckAgreesOnModels compares check with loading and running every model that can
// be got, those that are broken on purpose included.
func TestCheckAgreesOnModels(t *testing.T) {
	tr := newTrial(t)
	corpora := []reference.Corpus{
		{Name: "testdata", Folder: "testdata"}, reference.Shared, {Name: "shared cases", Folder: "../shared/cases"}, reference.Debian,
	}
	if c := reference.Others(); c != reference.Debian {
		corpora = append(corpora, c)
	}
	for _, corpus := range corpora {
		t.Run(corpus.Name, func(t *testing.T) {
			var a agreement
			for _, path := range corpus.Models(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					continue
				}
				if info, err := os.Stat(path); err != nil || info.Size() > 64<<20 {
					continue
				}
				a.add(path, tr.runFile(path, m), tr.checked(m))
			}
			a.tell(t)
			if len(a.alarms) > 0 {
				t.Errorf("%d errors of models that run", len(a.alarms))
			}
		})
	}
}

// TestCheckAgreesOnMutants does so for models in which one point was made wrong, and for
// such that were changed at random.
func TestCheckAgreesOnMutants(t *testing.T) {
	tr := newTrial(t)
	bases := append(mutate.Bases(t), mutate.Files(t, mutate.Conformance, 16<<10)...)
	bases = append(bases, filesOutside(t, "broken", "testdata", "../shared/models")...)
	var a agreement
	for seed := *agreeFrom; seed < *agreeFrom+*agreeMutants; seed++ {
		p, name := agreeMutant(bases, seed)
		if p == nil {
			continue
		}
		content, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
		if err != nil || len(content) > 2<<20 {
			continue
		}
		m, err := graphops.Decode(content)
		if err != nil {
			continue
		}
		a.add(fmt.Sprintf("%d %s", seed, name), tr.run(content, ort.OptimizeDefault), tr.checked(m))
	}
	a.tell(t)
	if len(a.alarms)*100 > a.tried {
		t.Errorf("%d of %d mutants run, and check says they do not", len(a.alarms), a.tried)
	}
}

// agreeMutant is the mutant of a number: half of them have one mistake, half are changed
// at random.
func agreeMutant(bases []mutate.Base, seed uint64) (*onnxpb.ModelProto, string) {
	if seed%2 == 0 {
		return drawn(bases, seed)
	}
	base := drawnFrom([][]mutate.Base{bases}, seed)
	s, ok := mutate.Spoil(base, bases, seed)
	if !ok {
		return nil, ""
	}
	return s.Model, base.Name + ": " + s.Kind + ": " + s.What
}

// runFile loads a model from its file and runs it on generated inputs.
func (tr *trial) runFile(path string, m *graphops.Model) outcome {
	path, err := filepath.Abs(path)
	if err != nil {
		return outcome{end: endRefused, phase: ort.Loading, err: err}
	}
	loaded, err := tr.worker().Load(context.Background(), ort.Model{Path: path}, ort.SessionOptions{IntraThreads: 1})
	phase := ort.Loading
	if err == nil {
		phase = ort.Running
		err = feedModel(loaded, m, false)
	}
	o := judge(phase, err)
	if o.fails() {
		o.killed = tr.gone()
	} else if loaded != nil {
		_ = loaded.Close()
	}
	return o
}

// checked is what check says without reading weights.
func (tr *trial) checked(m *graphops.Model) []check.Problem {
	list, err := check.Model(context.Background(), m, check.Options{Runtime: tr.version})
	if err != nil {
		tr.t.Fatal(err)
	}
	return list
}
