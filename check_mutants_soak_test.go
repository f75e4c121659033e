//go:build soak

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest/mutate"
	"lathe/session/ort"
	"lathe/session/ort/fault"
)

var (
	spoilFrom = flag.Uint64("spoil-from", 1, "check: the first of the numbers that mutants are made from")
	spoiledTo = flag.String("spoiled", "", "check: write the mutants that the runtime refuses to this `folder`")
)

// What the mutants that `check` is measured by have to be.
const (
	wantedMutants = 240
	wantedReasons = 15
	maxOfReason   = wantedMutants * 6 / 100
	maxAlikeSpoil = 2       // of one reason, mistake and base
	maxSpoilTries = 60_000  // before it is given up
	maxSpoilBase  = 2 << 20 // bytes of a base
)

// refusedMutant is a model that loaded before a mistake was made in it.
type refusedMutant struct {
	name    string
	spoiled mutate.Spoiled
	bytes   []byte
	model   *graphops.Model
	reason  string // kind of fault, as the runtime's words are read
	words   string
	// guilty are the node or nodes that were changed, and the one that the runtime
	// names.
	guilty map[fault.Site]bool
}

// TestCheckNamesMutants holds what `check` finds against models in which one point
// was made wrong and that ONNX Runtime therefore refuses: in nine of ten an error
// names the node at fault, without a runtime.
func TestCheckNamesMutants(t *testing.T) {
	tr := newTrial(t)
	mutants := spoil(t, tr)
	found, missed := 0, map[string]int{}
	for _, m := range mutants {
		list, err := check.Model(t.Context(), m.model, check.Options{Runtime: tr.version})
		if err != nil {
			t.Fatal(err)
		}
		if m.namedIn(list) {
			found++
			continue
		}
		missed[m.reason]++
		t.Logf("missed %s (%s): %s: %s\n\truntime: %.300s\n\tcheck: %.300s", m.name, m.reason, m.spoiled.Kind, m.spoiled.What, m.words, errorsOf(list))
	}
	t.Logf("%d of %d named; missed by reason: %v", found, len(mutants), missed)
	if found*10 < len(mutants)*9 {
		t.Errorf("check names the node of %d mutants of %d, want 90 %%", found, len(mutants))
	}
}

// namedIn reports whether an error is about a guilty node, or about no node and the
// constant or port that was changed.
func (m *refusedMutant) namedIn(list []check.Problem) bool {
	return slices.ContainsFunc(list, func(p check.Problem) bool {
		switch {
		case p.Severity != check.Error || p.Place == nil:
			return false
		case p.Node < 0:
			return p.Value != "" && p.Value == m.spoiled.Value
		}
		return m.guilty[fault.Site{Place: p.Place, Index: p.Node}]
	})
}

func errorsOf(list []check.Problem) string {
	var lines []string
	for _, p := range list {
		if p.Severity == check.Error {
			lines = append(lines, p.Code+" "+p.String())
		}
	}
	return strings.Join(lines, " | ")
}

// spoil makes mutants, the same in every run, until there are enough of every sort.
func spoil(t *testing.T, tr *trial) []*refusedMutant {
	groups := [][]mutate.Base{
		loading(tr, mutate.Bases(t)),
		loading(tr, mutate.Files(t, mutate.Conformance, 16<<10)),
		loading(tr, filesOutside(t, "broken", "testdata", "../shared/models")),
	}
	bases := slices.Concat(groups...)
	var mutants []*refusedMutant
	reasons, alike := map[string]int{}, map[string]int{}
	for seed := *spoilFrom; seed < *spoilFrom+maxSpoilTries && len(mutants) < wantedMutants; seed++ {
		base := drawnFrom(groups, seed)
		s, ok := mutate.Spoil(base, bases, seed)
		if !ok {
			continue
		}
		m := tr.refused(s)
		if m == nil || len(m.guilty) == 0 {
			continue
		}
		m.name = fmt.Sprintf("%d-%s", seed, base.Name)
		sort := m.reason + " " + s.Kind + " " + base.Name
		if reasons[m.reason] >= maxOfReason || alike[sort] >= maxAlikeSpoil {
			continue
		}
		reasons[m.reason]++
		alike[sort]++
		mutants = append(mutants, m)
	}
	t.Logf("%d mutants of %d bases, by reason: %v", len(mutants), len(bases), reasons)
	if len(reasons) < wantedReasons || len(mutants) < wantedMutants {
		t.Errorf("%d mutants of %d sorts, want %d of %d", len(mutants), len(reasons), wantedMutants, wantedReasons)
	}
	keepSpoiled(t, mutants)
	return mutants
}

// filesOutside are the models below folders that do not lie in a folder of a name.
func filesOutside(t *testing.T, name string, folders ...string) (bases []mutate.Base) {
	for _, folder := range folders {
		inside := mutate.Files(t, filepath.Join(folder, name), maxSpoilBase)
		bases = append(bases, slices.DeleteFunc(mutate.Files(t, folder, maxSpoilBase), func(b mutate.Base) bool {
			return slices.ContainsFunc(inside, func(other mutate.Base) bool { return other.Name == b.Name })
		})...)
	}
	return bases
}

// drawnFrom is the base of a number, from each group as often.
func drawnFrom(groups [][]mutate.Base, number uint64) mutate.Base {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g []mutate.Base) bool { return len(g) == 0 })
	rng := rand.New(rand.NewPCG(number, 1))
	group := groups[rng.IntN(len(groups))]
	return group[rng.IntN(len(group))]
}

// loading are the bases that the runtime takes.
func loading(tr *trial, bases []mutate.Base) []mutate.Base {
	return slices.DeleteFunc(bases, func(b mutate.Base) bool {
		content, err := proto.Marshal(b.Model)
		return err != nil || tr.load(content, ort.OptimizeDefault) != nil
	})
}

// load tells what the runtime says of a model, nil where it takes it.
func (tr *trial) load(model []byte, level ort.Optimization) error {
	loaded, err := tr.worker().Load(context.Background(), ort.Model{Bytes: model, Name: mutantName}, ort.SessionOptions{Optimization: level, IntraThreads: 1})
	if err == nil {
		return loaded.Close()
	}
	if judge(ort.Loading, err).fails() {
		tr.fresh()
	}
	return err
}

// refused is the mutant with what the runtime says of it; nil where it is taken, or
// where the runtime does not survive it.
func (tr *trial) refused(s mutate.Spoiled) *refusedMutant {
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(s.Model)
	if err != nil {
		return nil
	}
	m, err := graphops.Decode(content)
	if err != nil {
		return nil
	}
	mutant := &refusedMutant{spoiled: s, bytes: content, model: m, guilty: map[fault.Site]bool{}}
	for _, level := range []ort.Optimization{ort.OptimizeDefault, ort.OptimizeDisable} {
		var said *ort.Error
		if err := tr.load(content, level); !errors.As(err, &said) {
			if level == ort.OptimizeDefault {
				return nil
			}
			continue
		}
		f := fault.Parse(int(said.Code), said.Message)
		if sites := fault.Locate(f, m).Sites; len(sites) == 1 {
			mutant.guilty[sites[0]] = true
		}
		if mutant.words == "" {
			mutant.reason, mutant.words = string(f.Kind), said.Message
		}
	}
	for _, at := range s.Sites {
		p := m.Places()[at.Place]
		mutant.guilty[fault.Site{Place: p, Index: at.Node}] = true
	}
	return mutant
}

// keepSpoiled writes the mutants to a folder, with what is known of them.
func keepSpoiled(t *testing.T, mutants []*refusedMutant) {
	if *spoiledTo == "" {
		return
	}
	type truth struct {
		Mistake, What, Reason, Words string
		Guilty                       []string
	}
	table := map[string]truth{}
	for _, m := range mutants {
		file := strings.NewReplacer("/", "_", "+", "_").Replace(strings.TrimSuffix(m.name, ".onnx")) + ".onnx"
		var guilty []string
		for site := range maps.Keys(m.guilty) {
			guilty = append(guilty, site.String())
		}
		slices.Sort(guilty)
		table[file] = truth{m.spoiled.Kind, m.spoiled.What, m.reason, m.words, guilty}
		if err := os.WriteFile(filepath.Join(*spoiledTo, file), m.bytes, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := json.MarshalIndent(table, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.Join(*spoiledTo, "truth.json"), content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
