package profile

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// sessionOf is the events of a session: a node ran so many times, and longer in the first.
func sessionOf(name string, took int, runs int) []string {
	events := []string{session("model_loading_uri", 1, 2), session(sessionEvent, 0, 5)}
	for i := range runs {
		start, d := 1000*(i+1), took
		if i == 0 && runs > 1 {
			d = 20 * took
		}
		events = append(events, node(name, "Relu", 0, start, d), session(runEvent, start-1, d+10))
	}
	return events
}

// otherwise is a trace in another form of JSON.
func otherwise(t *testing.T, text string, form func([]any) any, indent string) string {
	t.Helper()
	var list []any
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(form(list), "", indent)
	if err != nil {
		t.Fatal(err)
	}
	if indent == "" {
		return strings.ReplaceAll(string(b), "\n", "")
	}
	return string(b)
}

// TestReadWritten reads traces in whatever form they reach a file.
func TestReadWritten(t *testing.T) {
	plain := trace(sessionOf("a", 10, 4)...)
	two := plain + trace(sessionOf("b", 30, 4)...)
	list := func(l []any) any { return l }
	for name, c := range map[string]struct {
		text           string
		runs, sessions int
		cut            bool
	}{
		"as it is":              {plain, 3, 1, false},
		"CRLF":                  {strings.ReplaceAll(plain, "\n", "\r\n"), 3, 1, false},
		"one run":               {trace(sessionOf("a", 10, 1)...), 1, 1, false},
		"no bracket at the end": {strings.TrimSuffix(plain, "\n]\n"), 3, 1, true},
		"a comma at the end":    {strings.TrimSuffix(plain, "\n]\n") + ",\n", 3, 1, true},
		"cut in an event":       {plain[:len(plain)-60], 2, 1, true},
		"two files":             {two, 3, 2, false},
		"two files, cut":        {two[:len(two)-90], 3, 2, true},
		"two sessions":          {trace(append(sessionOf("a", 10, 4), sessionOf("b", 30, 2)...)...), 3, 2, false},
		"one that did not run":  {trace(append(sessionOf("b", 10, 0), sessionOf("a", 10, 4)...)...), 3, 2, false},
		"on one line":           {otherwise(t, plain, list, ""), 3, 1, false},
		"indented":              {otherwise(t, plain, list, "  "), 3, 1, false},
		"indented, cut":         {otherwise(t, plain, list, "  ")[:len(plain)], 1, 1, true},
		"traceEvents":           {otherwise(t, plain, func(l []any) any { return map[string]any{"a": 1, "traceEvents": l, "z": 2} }, " "), 3, 1, false},
	} {
		got, err := ReadWritten(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "indented, cut" {
			c.runs = got.Runs // wherever that ends
		}
		if got.Runs != c.runs || got.Sessions != c.sessions || got.Cut != c.cut {
			t.Errorf("%s: %d runs, %d sessions, cut %v; want %d, %d, %v", name, got.Runs, got.Sessions, got.Cut, c.runs, c.sessions, c.cut)
		}
		if r := got.Summary(); len(r.Nodes) != 1 || r.Nodes[0].Name != "a" || r.Nodes[0].US != 10 || r.Nodes[0].Share != 1 || r.Nodes[0].Provider != "cpu" || r.Ops["Relu"].US != 10 {
			t.Errorf("%s: %+v", name, r.Nodes)
		}
	}
	for name, text := range map[string]string{
		"no run": trace(sessionOf("a", 10, 0)...), "nothing": "[\n]\n", "of another program": `[{"cat":"cpu_op","name":"aten::mm","ts":1,"dur":2,"ph":"X"}]`, "numbers": "[1,2]",
	} {
		if _, err := ReadWritten(strings.NewReader(text)); !errors.Is(err, ErrNoRuns) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{"an object": `{"a": [1]}`, "text": "hello", "empty": "", "a number": "1"} {
		if _, err := ReadWritten(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "holds no list of events") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzReadWritten: a file is anybody's.
func FuzzReadWritten(f *testing.F) {
	plain := trace(sessionOf("a", 10, 3)...)
	for _, s := range []string{plain, plain + plain, plain[:200], `[{"cat":"Session","name":"model_run","ts":1,"dur":2}]`, `{"traceEvents":[{}]}`, "[\n[\n]\n]", "[]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ReadWritten(strings.NewReader(s))
		if err != nil {
			return
		}
		if r := got.Summary(); got.Runs < 1 || r.Runs != got.Runs || len(r.Nodes) != len(got.Nodes) {
			t.Errorf("%d runs, %d of %d nodes", got.Runs, len(r.Nodes), len(got.Nodes))
		}
	})
}
