package text_test

import (
	"strings"
	"testing"

	"lathe/session/text"
)

// TestDropEmpty removes the columns in which no row has a text.
func TestDropEmpty(t *testing.T) {
	table := text.Table{Titles: []string{"a", "b", ">c"}}
	table.Add("1", "", "")
	table.Add("2", "", "x")
	table.DropEmpty()
	var b strings.Builder
	if err := table.WriteText(&b, ""); err != nil || b.String() != "a  c\n1\n2  x\n" {
		t.Errorf("%v: %q", err, b.String())
	}
}

// TestTablePadding: one long cell does not make every other row as long as itself.
func TestTablePadding(t *testing.T) {
	const padding = 256
	var table text.Table
	table.Add("many", strings.Repeat("r", 100_000), "end")
	for range 1_000 {
		table.Add("one", "r", "end")
	}
	var b strings.Builder
	if err := table.WriteText(&b, ""); err != nil {
		t.Fatal(err)
	}
	if most := 100_000 + 1_001*(padding+20); b.Len() > most {
		t.Errorf("%d bytes, expected at most %d", b.Len(), most)
	}
	if want := "one   " + "r" + strings.Repeat(" ", padding-1) + "  end\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("the last row ends in %q", b.String()[b.Len()-300:])
	}
}
