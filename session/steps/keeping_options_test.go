package steps

import (
	"slices"
	"strings"
	"testing"

	"lathe/session/flags"
	"lathe/session/timing"
)

// incidental has, for each step that measures, the options that do not decide what is measured:
// limits, where results go, and the machine, which results record themselves. Two measurements that
// differ in any other option are not compared.
var incidental = map[string]string{
	"bench":    "seconds precision warmup runs no-memory save force baseline max-regression different no-store on send start-timeout timeout memory-limit",
	"profile":  "seconds runs limit peaks save-trace force no-store on send start-timeout timeout memory-limit",
	"validate": "reduce out reduce-time force save-failing no-store on send start-timeout timeout memory-limit",
	"accuracy": "no-store on send start-timeout timeout memory-limit",
	"quantize": "no-check timeout memory-limit no-store out force",
	// Nodes are measured one by one, whichever of them are listed.
	"quantize sensitivity": "include exclude include-ops time estimate timeout memory-limit no-store",
	// A trial is of one assignment, whatever is searched for.
	"quantize compare": "seconds timeout memory-limit keep no-store",
	"quantize auto":    "target minimize types choose include exclude include-ops timeout memory-limit no-store point out force",
}

// TestIncidentalOptions fails if a step that measures gets a new option. It must then be decided
// whether the option affects what is measured. If not, it belongs in the table incidental.
func TestIncidentalOptions(t *testing.T) {
	for _, s := range All() {
		kind, _, _ := strings.Cut(s.Name(), " ")
		want, measures := incidental[s.Name()]
		if !measures {
			want, measures = incidental[kind]
		}
		var got []string
		for _, o := range s.Options() {
			if !o.Measures && !o.Operand {
				got = append(got, o.Name)
			}
		}
		wanted := strings.Fields(want)
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) && measures {
			t.Errorf("%s: %q do not decide what is measured, expected %q", s.Name(), got, wanted)
		}
	}
}

// TestSettingsOf checks which options are recorded with a measurement, and by which names.
func TestSettingsOf(t *testing.T) {
	b := &timing.Benchmark{Models: []string{"a.onnx"}, Seconds: 3, Batch: "1,8", EP: []string{"cuda", "cpu"}}
	b.Data, b.Opt, b.Timeout = "folder/x.npz", "basic", 5
	got := flags.SettingsOf(b)
	want := map[string]string{"batch": "1,8", "ep": "cuda, cpu", "data": "x.npz", "opt": "basic"}
	if len(got) != len(want) {
		t.Errorf("%v, expected %v", got, want)
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is %q, expected %q", k, got[k], v)
		}
	}
}
