package session_test

import (
	"testing"

	"lathe/session"
	"lathe/session/steps"
)

func TestSplit(t *testing.T) {
	o := session.Option{}.Naming(session.NamesValue, "=")
	for v, want := range map[string][2]string{"a": {"a", ""}, "a=b": {"a", "=b"}, "a=b=": {"a=b", "="}, "": {"", ""}, "=": {"", "="}} {
		if name, rest := o.Split(v); [2]string{name, rest} != want {
			t.Errorf("Split(%q) = %q, %q, want %q", v, name, rest, want)
		}
	}
	if name, rest := (session.Option{}).Split("a=b"); name != "a=b" || rest != "" {
		t.Errorf("without a sign: %q, %q", name, rest)
	}
}

// TestDefaults checks the defaults of real options as forms and --help show them.
func TestDefaults(t *testing.T) {
	want := map[string]string{
		"prune out": "nothing is written", "export output": "the model's outputs", "bench seconds": "5, at least 6 runs", "bench precision": "1",
		"quantize dynamic weight-type": "int8", "bench threads": "chosen by ONNX Runtime", "bench max-regression": "5%", "validate rtol": "depends on the type",
		"metadata of": "model", "insert before": "all readers", "constants value": "all that can be moved", "prune output": "",
	}
	for _, s := range steps.All() {
		for _, o := range s.Options() {
			key := s.Name() + " " + o.Name
			if w, ok := want[key]; ok && o.Default != w {
				t.Errorf("%s: the default is %q, want %q", key, o.Default, w)
			}
			delete(want, key)
		}
	}
	for key := range want {
		t.Errorf("there is no %s", key)
	}
}
