package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"lathe/session/text"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"conv1.weight":        "conv1.weight",
		"层":                   "层",
		"é":                   "é",
		"a\x1b[2Jb":           `a\x1b[2Jb`,
		"a\x1b]0;t\x07b":      `a\x1b]0;t\x07b`,
		"a\u009b2Jb":          `a\x9b2Jb`,
		"a\x9bb":              `a\x9bb`,
		"a\rb\nc\td\x00e":     `a\x0db\x0ac\x09d\x00e`,
		"a\u202eb":            `a\u{202e}b`,
		"a\u200bb":            `a\u{200b}b`,
		"a\U000e0041b":        `a\u{e0041}b`,
		"a\ufe0fb":            `a\u{fe0f}b`,
		"a\u3164b":            `a\u{3164}b`,
		"a\xff\xfeb":          `a\xff\xfeb`,
		`a\x1bb`:              `a\\x1bb`,
		"a\u0301\u0302\u0303": "a\u0301\u0302" + `\u{303}`,
		"a\u2028b":            `a\u{2028}b`,
		"a\ufeffb":            `a\u{feff}b`,
	} {
		if got := text.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := text.CleanLine(`quoted "\x1b" and` + "\x1b"); got != `quoted "\x1b" and\x1b` {
		t.Errorf("CleanLine gives %q", got)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := text.Clean(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x07\x08\x1b\r\n\t\x7f\u009b\u202e\u200b") {
			t.Errorf("Clean(%q) lets something through: %q", s, got)
		}
	})
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{text.Bytes(0), "0 B"},
		{text.Bytes(1023), "1023 B"},
		{text.Bytes(1024), "1.0 KiB"},
		{text.Bytes(1<<20 - 1), "1.0 MiB"},
		{text.Bytes(3 << 30), "3.0 GiB"},
		{text.Bytes(-2048), "-2.0 KiB"},
		{text.Count(0), "0"},
		{text.Count(999), "999"},
		{text.Count(1234567), "1,234,567"},
		{text.Count(-1234), "-1,234"},
		{text.Short(999), "999"},
		{text.Short(1000), "1K"},
		{text.Short(1_234_567), "1.2M"},
		{text.Short(999_950), "1M"},
		{text.Plural(1, "node"), "1 node"},
		{text.Plural(2000, "node"), "2,000 nodes"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	table := text.Table{Titles: []string{"name", ">n"}}
	table.Add("层", 5)
	table.Add("ab", 12)
	if err := table.WriteText(&b, " "); err != nil {
		t.Fatal(err)
	}
	if want := " name   n\n 层     5\n ab    12\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
