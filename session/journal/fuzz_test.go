package journal

import (
	"testing"
	"time"

	"lathe/session"
)

// FuzzDecode checks that decoding does not panic, and that a decoded entry can be written again.
func FuzzDecode(f *testing.F) {
	e := Entry{
		Model: "fuzz_test.go", Job: "lathe inspect x", View: View{"a": {"b"}},
		History: []session.Past{{Call: session.Call{Step: "prune"}, Changed: true}},
	}
	b, err := encode(e, time.Unix(1, 0))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, content []byte) {
		_, e, err := decode(content)
		if err != nil {
			return
		}
		e.Model, e.Folder = "fuzz_test.go", ""
		b, err := encode(e, time.Unix(1, 0))
		if err != nil {
			return // too large
		}
		if _, again, err := decode(b); err != nil || len(again.History) != len(e.History) || again.Job != e.Job {
			t.Errorf("%q: %v", b, err)
		}
	})
}
