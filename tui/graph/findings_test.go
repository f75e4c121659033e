package graph

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/tui/cells"
)

// TestFindingsOfLongNames leaves room for the message beside a long name, and says if not all of it
// is shown.
func TestFindingsOfLongNames(t *testing.T) {
	f := Finding{Spot: Spot{Place: &graphops.Place{}, Row: 0}, Where: "Add model/" + strings.Repeat("layer/", 20) + "add", Text: "needs seq where axis 3 is 7"}
	if got := f.Line(80); !strings.Contains(got, f.Text) || !strings.Contains(got, "/add  ") || !strings.HasPrefix(got, "Add …/") {
		t.Errorf("the line is %q", got)
	}
	f.Text = strings.Repeat("as long as a sentence ", 4)
	for _, w := range []int{48, 54, 60, 80, 120} {
		name, _, _ := strings.Cut(f.Line(w), "  ")
		if n := cells.Width(name); n > max(w/2, cells.LeastName) || n <= max(w/2, cells.LeastName)-len("layer/") {
			t.Errorf("in %d cells the name has %d", w, n)
		}
	}
	f.Text = "needs seq where axis 3 is 7"
	short := Finding{Where: "Add a", Text: "is " + strings.Repeat("long ", 40)}
	if got := short.Line(40); !strings.HasPrefix(got, "Add a  is long long") {
		t.Errorf("the line is %q", got)
	}
	f.Note = strings.Repeat("words that go on ", 20)
	for n := 1; n < 12; n++ {
		lines := f.Explained(60, n)
		if isCut := strings.HasSuffix(lines[len(lines)-1], cells.Ellipsis); len(lines) > n || isCut != (n < len(f.Explained(60, 100))) {
			t.Errorf("%d lines of %d, cut: %t", len(lines), n, isCut)
		}
	}
}
