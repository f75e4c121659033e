//go:build cgo && torch

package torch

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/session/runtime"
	"lathe/session/sides"
	"lathe/session/torch"
)

var (
	faultCount = flag.Int("faults", 1, "how many faults to plant in each file")
	faultSeed  = flag.Int("faults-seed", 1, "what faults are drawn by")
	faultNet   = flag.String("net", "", "the one program to plant faults in")
)

// plantedFile is a program as an exporter wrote it, and variants with one fault each.
type plantedFile struct {
	Program, Way, File, Refused string

	Faults []plantedFault
}

// plantedFault is a file with a fault. The first value that differs is computed in one of Modules.
type plantedFault struct {
	File, Kind, What, Node string
	Modules                []string
}

// TestTorchFaults compares right exports and files with a planted fault with PyTorch. The right
// ones must pass, the others must fail, and the module that is named must be the one with the
// fault.
func TestTorchFaults(t *testing.T) {
	folder := t.TempDir()
	tally := &faultTally{count: map[string]int{}}
	files := map[string][]plantedFile{}
	for _, p := range plantedFiles(t, folder) {
		if p.Refused != "" {
			t.Logf("%s: %s does not export it: %s", p.Program, p.Way, p.Refused)
			continue
		}
		files[p.Program] = append(files[p.Program], p)
	}
	t.Run("files", func(t *testing.T) {
		for program, of := range files {
			t.Run(program, func(t *testing.T) {
				t.Parallel()
				beside := besideTorch(t, program)
				for _, p := range of {
					if r := beside(filepath.Join(folder, p.File)); r.Verdict != compare.Pass {
						tally.add("right files that do not pass")
						t.Errorf("%s: a right file does not pass: %s", p.File, r.Verdict)
					} else {
						tally.add("right files that pass")
					}
					for _, f := range p.Faults {
						tally.hold(t, f, beside(filepath.Join(folder, f.File), string(inputs.Seeds)))
					}
				}
			})
		}
	})
	for _, k := range slices.Sorted(maps.Keys(tally.count)) {
		t.Logf("%4d %s", tally.count[k], k)
	}
	if *faultNet == "" {
		tally.judge(t)
	}
}

// plantedFiles writes the files.
func plantedFiles(t *testing.T, folder string) []plantedFile {
	t.Helper()
	python, err := torchRuntime(t).Python()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-B", "../../../testdata/torch/faults/plant.py", folder, fmt.Sprint(*faultCount), fmt.Sprint(*faultSeed)}
	if *faultNet != "" {
		args = append(args, *faultNet)
	}
	cmd := exec.CommandContext(t.Context(), python.Path, args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("plant.py: %v: %s", err, said.String())
	}
	var all []plantedFile
	for line := range bytes.Lines(out) {
		var p plantedFile
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// besideTorch makes a program in Python, and returns a function that compares a file with it on
// inputs of some families, or of all.
func besideTorch(t *testing.T, program string) func(file string, cases ...string) *sides.Report {
	t.Helper()
	env := torchRuntime(t)
	nets, err := filepath.Abs("../../../testdata/torch/faults/nets.py")
	if err != nil {
		t.Fatal(err)
	}
	child, err := flags.TorchChild(env, t.TempDir(), runtime.Execution{})
	if err != nil {
		t.Fatal(err)
	}
	target := flags.TorchTarget{Target: nets + ":" + program}
	bridge, err := target.Open(t.Context(), child, torch.Opening{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bridge.Close() })
	return func(file string, cases ...string) *sides.Report {
		v := &sides.Comparison{A: file, Torch: target.Target, Opened: bridge}
		v.NoStore, v.Cases = true, cases
		r, err := v.Run(t.Context(), env)
		if err != nil {
			t.Fatal(err)
		}
		return r.Report.(*sides.Report)
	}
}

// faultTally counts the results.
type faultTally struct {
	mu    sync.Mutex
	count map[string]int
}

// The keys for modules that were named rightly, not at all, and wrongly.
const (
	namedRight  = "faults: the right module"
	notCompared = "faults: not compared"
	namedWrong  = "faults: a wrong module"
	notFound    = "faults that pass"
)

func (c *faultTally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count[what]++
}

// hold counts what is reported about a file with a fault, and fails if that is wrong.
func (c *faultTally) hold(t *testing.T, f plantedFault, r *sides.Report) {
	t.Helper()
	about := fmt.Sprintf("%s: %s at %s, in %q", f.File, f.What, f.Node, f.Modules)
	switch m := r.Modules; {
	case r.Verdict != compare.Fail:
		c.add(notFound)
		t.Errorf("%s: is %s", about, r.Verdict)
	case m == nil || m.First == nil:
		c.add(notCompared)
		t.Logf("%s: %s", about, m.Line())
	case !slices.Contains(f.Modules, m.First.Module):
		c.add(namedWrong)
		t.Errorf("%s: %s", about, m.Line())
	default:
		c.add(namedRight)
	}
}

// judge fails if too few faults were traced to a module.
func (c *faultTally) judge(t *testing.T) {
	right, of := c.count[namedRight], c.count[namedRight]+c.count[notCompared]+c.count[namedWrong]+c.count[notFound]
	if of < 60 || 20*right < 19*of {
		t.Errorf("%d of %d faults have the right module, expected 19 of 20 and at least 60 faults", right, of)
	}
}
