package opschema

import (
	"math"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// kernelsOf reads the whole of a table of kernels.
func kernelsOf(text string) (map[operator][]*Kernel, error) {
	t, err := indexKernels(text)
	if err != nil {
		return nil, err
	}
	all := map[operator][]*Kernel{}
	for o, entries := range t.kernels {
		for _, e := range entries {
			k, err := t.parseKernel(e)
			if err != nil {
				return nil, err
			}
			all[o] = append(all[o], k)
		}
	}
	return all, nil
}

// TestKernelTable reads every line of the embedded table, and finds that each
// constraint is one of a variable or parameter of the operator.
func TestKernelTable(t *testing.T) {
	for _, table := range kernelTables {
		t.Run(table.release, func(t *testing.T) { readKernelTable(t, table) })
	}
}

func readKernelTable(t *testing.T, table kernelSource) {
	all, err := kernelsOf(*table.text)
	if err != nil {
		t.Fatal(err)
	}
	if from := table.index().from["onnxruntime"]; !strings.HasPrefix(from, table.release+".") {
		t.Errorf("the table of %s is made from onnxruntime %s", table.release, from)
	}
	kernels, types := 0, 0
	for o, list := range all {
		kernels += len(list)
		for _, k := range list {
			types += len(k.Constraints)
			// The schemas of the one domain are within ONNX Runtime, and those of the other are of one
			// release.
			isNewer := o.domain == graphops.MicrosoftDomain && CompareReleases(table.release, standing().from["onnxruntime"]) > 0
			if o.domain != "com.microsoft.nchwc" && !isNewer {
				knows(t, o, k)
			}
		}
	}
	if want := strings.Count(*table.text, "\nkernel "); kernels != want {
		t.Errorf("%d kernels of %d are in the index", kernels, want)
	}
	if want := strings.Count(*table.text, "\ntype "); types != want {
		t.Errorf("%d types of %d belong to a kernel", types, want)
	}
}

func knows(t *testing.T, o operator, k *Kernel) {
	t.Helper()
	implemented := slices.DeleteFunc(Versions(o.domain, o.name), func(s *Schema) bool { return !k.Implements(s) })
	for _, s := range implemented {
		for _, c := range k.Constraints {
			named := func(p Param) bool { return p.Type == c.Name || p.Name == c.Name }
			if !slices.ContainsFunc(s.Inputs, named) && !slices.ContainsFunc(s.Outputs, named) {
				t.Errorf("%s-%d has no variable or parameter %q of a kernel", s.Name, s.Since, c.Name)
			}
		}
	}
}

func TestKernelImplements(t *testing.T) {
	open, closed := Kernel{Since: 7, Until: math.MaxInt64}, Kernel{Since: 7, Until: 12}
	for _, c := range []struct {
		since        int64
		open, closed bool
	}{{6, false, false}, {7, true, true}, {9, false, true}, {12, false, true}, {13, false, false}} {
		s := &Schema{Since: c.since}
		if open.Implements(s) != c.open || closed.Implements(s) != c.closed {
			t.Errorf("version %d: %t, %t, expected %t, %t", c.since, open.Implements(s), closed.Implements(s), c.open, c.closed)
		}
	}
}

func TestKernelTakes(t *testing.T) {
	of := func(e tensor.DType) graphops.Type { return graphops.Type{Kind: graphops.TypeTensor, Elem: e} }
	var unknown graphops.Type
	for _, c := range []struct {
		name, op string
		version  int64
		in, out  []graphops.Type
		want     bool
	}{
		{"a type that has one", "Softmax", 13, []graphops.Type{of(tensor.F32)}, nil, true},
		{"one that has none", "Softmax", 13, []graphops.Type{of(tensor.BF16)}, nil, false},
		{"by its output", "EyeLike", 9, []graphops.Type{of(tensor.F32)}, []graphops.Type{of(tensor.I16)}, false},
		{"unknown", "Softmax", 13, []graphops.Type{unknown}, nil, true},
		{"left out", "Clip", 13, []graphops.Type{of(tensor.F32), unknown, of(tensor.F32)}, nil, true},
		{"a parameter's name", "GatherND", 13, []graphops.Type{of(tensor.F32), of(tensor.I32)}, nil, false},
		{"none of this version", "Add", 6, []graphops.Type{of(tensor.F32), of(tensor.F32)}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, ok := Find("", c.op, c.version)
			if !ok {
				t.Fatal("no such operator")
			}
			got := slices.ContainsFunc(Kernels("", "", c.op), func(k *Kernel) bool {
				_, _, takes := k.Takes(s, c.in, c.out)
				return k.Implements(s) && takes
			})
			if got != c.want {
				t.Errorf("a kernel: %t, expected %t", got, c.want)
			}
		})
	}
}

func TestMalformedKernels(t *testing.T) {
	const start = "domain d 1\nprovider P d\n"
	for _, c := range []struct{ table, want string }{
		{"provider P d\n", `line 1: provider "P d": needs a name and a domain that is stated above`},
		{"domain d 1\nkernel A 1\n", `line 2: kernel "A 1": needs a name and versions, below a provider`},
		{start + "kernel A\n", `line 3: kernel "A": needs a name and versions, below a provider`},
		{start + "kernel A 1 2 3\n", `line 3: kernel "A 1 2 3": needs a name and versions, below a provider`},
		{start + "kernel A x\n", `line 3: the versions of "A": strconv.ParseInt: parsing "x": invalid syntax`},
		{start + "kernel A 2 1\n", `line 3: the versions of "A": 2 to 1 is not a range`},
		{start + "kernel A 0\n", `line 3: the versions of "A": 0 is not a range`},
		{"type T tensor(float)\n", `line 1: "type T tensor(float)" is outside of a kernel`},
		{start + "kernel A 1\n\ntype T tensor(float)\n", `line 5: "type T tensor(float)" is outside of a kernel`},
		{start + "kernel A 1\ntype T @S\n", `line 4: type of A: there is no set "S"`},
		{start + "kernel A 1\ntype T tensor(float)\ntype T tensor(float)\n", `line 5: type of A: "T" occurs twice`},
		{start + "kernels A 1\n", `line 3: "kernels A 1" is outside of a kernel`},
	} {
		if _, err := kernelsOf(c.table); err == nil || err.Error() != c.want {
			t.Errorf("%q:\n  %v\nexpected\n  %s", c.table, err, c.want)
		}
	}
}

func BenchmarkFirstKernels(b *testing.B) {
	for b.Loop() {
		t, err := indexKernels(kernels132)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := t.parseKernel(t.kernels[operator{"", "If"}][0]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKernels(b *testing.B) {
	for b.Loop() {
		if len(Kernels("", "", "Conv")) == 0 {
			b.Fatal("none")
		}
	}
}
