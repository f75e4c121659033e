//go:build parity

package opschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// saidKernel is a kernel as the package has it.
type saidKernel struct {
	Provider, Domain, Name string
	Since, Until           int64
	Types                  map[string][]string
}

// TestKernelTableIsWhatTheScriptWrites makes the table again.
func TestKernelTableIsWhatTheScriptWrites(t *testing.T) {
	made := string(python(t, "make_kernels.py"))
	known := slices.ContainsFunc(kernelTables, func(k kernelSource) bool { return *k.text == made })
	if !known {
		t.Error("make_kernels.py writes another table; run `make generate` and look at the difference")
	}
}

// TestKernelsParity compares what the kernels of the package take, one choice of
// types after the other, with what those of the table take.
func TestKernelsParity(t *testing.T) {
	in := json.NewDecoder(bytes.NewReader(python(t, "testdata/kernels.py")))
	var version string
	if err := in.Decode(&version); err != nil {
		t.Fatal(err)
	}
	if from := implemented(version).from["onnxruntime"]; from != version {
		t.Errorf("the table is made from onnxruntime %s, here is %s; run `make generate`", from, version)
	}
	want := map[string]bool{}
	for {
		var k saidKernel
		if err := in.Decode(&k); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		k.choices(want)
	}
	got := inTable(version)
	if !maps.Equal(got, want) {
		t.Errorf("the table takes %d choices of types, the package %d", len(got), len(want))
	}
	t.Logf("%d choices of types", len(want))
}

// choices are the combinations of types that a kernel takes.
func (k saidKernel) choices(into map[string]bool) {
	if k.Until == math.MaxInt32 {
		k.Until = math.MaxInt64
	}
	list := []string{fmt.Sprint(k.Provider, " ", k.Domain, "::", k.Name, " ", k.Since, "-", k.Until)}
	for _, name := range slices.Sorted(maps.Keys(k.Types)) {
		var longer []string
		for _, typ := range k.Types[name] {
			typ = strings.ReplaceAll(typ, " ", "")
			for _, l := range list {
				longer = append(longer, l+" "+name+"="+typ)
			}
		}
		list = longer
	}
	for _, l := range list {
		into[l] = true
	}
}

func inTable(version string) map[string]bool {
	all := map[string]bool{}
	for o := range implemented(version).kernels {
		for _, k := range Kernels(version, o.domain, o.name) {
			types := map[string][]string{}
			for _, c := range k.Constraints {
				for _, typ := range c.Types {
					types[c.Name] = append(types[c.Name], kernelSpelling(onnxText(typ)))
				}
			}
			saidKernel{k.Provider, o.domain, o.name, k.Since, k.Until, types}.choices(all)
		}
	}
	return all
}

// kernelSpelling is a type as kernels write it: the values of a map are tensors.
func kernelSpelling(typ string) string {
	before, inner, isMap := strings.Cut(typ, "map(")
	key, rest, _ := strings.Cut(inner, ",")
	elem, after, _ := strings.Cut(rest, ")")
	if !isMap {
		return typ
	}
	return before + "map(" + key + ",tensor(" + elem + "))" + after
}
