package text

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		in     string
		width  int
		indent string
		want   []string
	}{
		{"", 10, "  ", []string{""}},
		{"one two three", 0, "  ", []string{"one two three"}},
		{"one two three", 13, "  ", []string{"one two three"}},
		{"one two three", 12, "  ", []string{"one two", "  three"}},
		{"one two three", 7, "    ", []string{"one two", "    three"}},
		{"    hint: a b c", 11, "    ", []string{"    hint: a", "    b c"}},
		{"averylongword b", 5, "  ", []string{"averylongword", "  b"}},
		{"図図図 図図", 7, "", []string{"図図図", "図図"}},
	} {
		if got := Wrap(tt.in, tt.width, tt.indent); !slices.Equal(got, tt.want) {
			t.Errorf("Wrap(%q, %d): %q, want %q", tt.in, tt.width, got, tt.want)
		}
	}
}

func TestParagraphs(t *testing.T) {
	got := Paragraphs("one two\nthree four\n\n  kept as it is, however long\nfive", 10)
	want := []string{"one two", "three four", "", "  kept as it is, however long", "five"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzWrap looks for words that are lost, and for lines that are too long though
// they could be broken.
func FuzzWrap(f *testing.F) {
	f.Add("error: value-undefined: node \"a b\" (Add)", 20)
	f.Add(" \x00 図\t é", 3)
	f.Fuzz(func(t *testing.T, s string, width int) {
		s = CleanLine(s)
		lines := Wrap(s, width, "  ")
		if got, want := strings.Fields(strings.Join(lines, " ")), strings.Fields(s); !slices.Equal(got, want) {
			t.Errorf("words %q, want %q", got, want)
		}
		for _, l := range lines {
			if width > 0 && ansi.StringWidth(l) > width && len(strings.Fields(l)) > 1 && s != l {
				t.Errorf("%q is wider than %d", l, width)
			}
		}
	})
}

// wide is a writer with room for some columns.
type wide struct {
	strings.Builder
	columns int
}

func (w *wide) Columns() int { return w.columns }

// TestTableFits cuts long names in the middle if that makes the table fit, and nothing otherwise.
func TestTableFits(t *testing.T) {
	table := Table{Titles: []string{"name", ">ms", "verdict"}}
	table.Add("/model/layers.0/attention/query/MatMul", "1,234.5", "ok")
	table.Add("short", "2", "FAIL")
	for columns, want := range map[int]string{
		0:  "name                                         ms  verdict\n/model/layers.0/attention/query/MatMul  1,234.5  ok\nshort                                         2  FAIL\n",
		42: "name                           ms  verdict\n…/layers.0/…query/MatMul  1,234.5  ok\nshort                           2  FAIL\n",
		30: "name                                         ms  verdict\n/model/layers.0/attention/query/MatMul  1,234.5  ok\nshort                                         2  FAIL\n",
	} {
		w := &wide{columns: columns}
		if err := table.WriteText(w, ""); err != nil {
			t.Fatal(err)
		}
		if got := w.String(); got != want {
			t.Errorf("%d columns:\n%s\nexpected\n%s", columns, got, want)
		}
	}
}
