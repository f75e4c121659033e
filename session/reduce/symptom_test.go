package reduce

import (
	"math"
	"syscall"
	"testing"

	"lathe/session/ort"
	"lathe/session/ort/fault"
)

// Another fault is told apart, the same one in a smaller model is not.
func TestSame(t *testing.T) {
	load := func(kind fault.Kind, op, name, words string) Symptom {
		return Symptom{Kind: Refused, Stage: ort.Loading, Fault: kind, Words: words, Nodes: []Suspect{{Op: op, Name: name}}}
	}
	crash := func(s syscall.Signal, words string) Symptom {
		return Symptom{Kind: Crash, Stage: ort.Running, Signal: s, Words: words}
	}
	off := func(class string, strain float64) Symptom {
		return Symptom{Kind: Differs, Class: class, Strain: strain}
	}
	for name, c := range map[string]struct {
		a, b Symptom
		same bool
	}{
		"the same node":            {load(fault.TypeMismatch, "Add", "n", "x"), load(fault.TypeMismatch, "Add", "n", "y"), true},
		"a node without a name":    {load(fault.TypeMismatch, "Add", "n", "x"), load(fault.TypeMismatch, "Add", "", "y"), true},
		"another node":             {load(fault.TypeMismatch, "Add", "n", "x"), load(fault.TypeMismatch, "Add", "m", "x"), false},
		"another operator":         {load(fault.TypeMismatch, "Add", "n", "x"), load(fault.TypeMismatch, "Mul", "n", "x"), false},
		"another kind":             {load(fault.TypeMismatch, "Add", "n", "x"), load(fault.ShapeMismatch, "Add", "n", "x"), false},
		"other words of no kind":   {load(fault.Unrecognized, "Add", "n", "x"), load(fault.Unrecognized, "Add", "n", "y"), false},
		"loading and running":      {crash(syscall.SIGSEGV, ""), Symptom{Kind: Crash, Stage: ort.Loading, Signal: syscall.SIGSEGV}, false},
		"another signal":           {crash(syscall.SIGSEGV, ""), crash(syscall.SIGABRT, ""), false},
		"other words before one":   {crash(syscall.SIGFPE, "a"), crash(syscall.SIGFPE, "b"), true},
		"another assertion":        {crash(syscall.SIGABRT, "a"), crash(syscall.SIGABRT, "b"), false},
		"as far off":               {off(classNumbers, 1e4), off(classNumbers, 1e3), true},
		"rounding":                 {off(classNumbers, 1e4), off(classNumbers, 2), false},
		"a little off":             {off(classNumbers, 1.2), off(classNumbers, 1.1), true},
		"integers made of numbers": {off(classExactness, 3), off(classNumbers, 50), true},
		"NaN and numbers":          {off(classFiniteness, math.Inf(1)), off(classNumbers, 50), false},
		"an error and a crash":     {load(fault.TypeMismatch, "Add", "n", "x"), crash(syscall.SIGSEGV, ""), false},
		"NaN and infinities":       {Symptom{Kind: NotFinite, Class: "NaN"}, Symptom{Kind: NotFinite, Class: "infinite elements"}, false},
	} {
		if got := c.a.same(c.b); got != c.same {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestPlain(t *testing.T) {
	a := plain(`Node ("a1") 'x' of shape {2,4} at 0x7ffe12: (tensor(float)) in 12 of 3`)
	b := plain(`Node ("b22") 'yy' of shape {8,1} at 0x55aa: (tensor(float)) in 7 of 99`)
	if a != b {
		t.Errorf("%q is not %q", a, b)
	}
}
