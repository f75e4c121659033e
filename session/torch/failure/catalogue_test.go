package failure

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// known is a failure and what the catalogue is to tell of it.
type known struct {
	raw   Raw
	entry string
	about string
	line  string   // the error
	at    string   // the user's line
	next  []string // each with its kind
}

// raising is a failure of one exception at a stage.
func raising(stage, class, message string, frames ...Frame) Raw {
	return Raw{Stage: stage, Chain: []Exception{{Class: class, Message: message, Frames: frames}}}
}

// own is a line of the user's.
func own(line int, code string) Frame {
	return Frame{File: "/home/user/net.py", Line: line, Function: "forward", Code: code, User: true}
}

// checkKnown holds what is told of failures against what is to be told.
func checkKnown(t *testing.T, list map[string]known) {
	t.Helper()
	for name, c := range list {
		f := Distil(c.raw)
		got := known{raw: c.raw, entry: f.Entry, about: f.About, line: f.Error}
		if f.UserFrame != nil {
			got.at = f.UserFrame.String()
		}
		for _, n := range f.Next {
			got.next = append(got.next, n.Kind+": "+n.String())
			if n.Kind != "flags" && len(n.Flags) > 0 {
				t.Errorf("%s: %+v", name, n)
			}
		}
		if diff := cmp.Diff(c, got, cmp.AllowUnexported(known{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestDocumented: the table of docs/torch.md has the entries, in their order, with what is known.
func TestDocumented(t *testing.T) {
	b, err := os.ReadFile("../../../docs/torch.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "| entry | what is known |\n|---|---|\n")
	var want strings.Builder
	for _, e := range catalogue {
		want.WriteString("| `" + e.id + "` | " + e.meaning + " |\n")
	}
	rows := strings.Join(regexp.MustCompile(`(?m)^\| .*\n`).FindAllString(table, -1), "")
	if diff := cmp.Diff(want.String(), rows); diff != "" {
		t.Error(diff)
	}
}
