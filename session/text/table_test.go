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
