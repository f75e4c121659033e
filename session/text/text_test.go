package text_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"lathe/graphops/graphtest"
	"lathe/session/text"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"conv1.weight":        "conv1.weight",
		"层":                   "层",
		"é":                   "é",
		"a\x1b[2Jb":           `a\x1b[2Jb`,
		"a\x1b]0;t\x07b":      `a\x1b]0;t\x07b`,
		"a\u009b2Jb":          `a\u{9b}2Jb`,
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

// TestJoined escapes what joins the rune before it from the third on.
func TestJoined(t *testing.T) {
	for _, join := range []rune{0x0301, 0x20dd, 0x0903, 0x1161, 0x11a8, 0xd7b0, 0x1f3fb} {
		escaped := fmt.Sprintf(`\u{%x}`, join)
		two := "가" + strings.Repeat(string(join), 2)
		if got, want := text.Clean(strings.Repeat(two+string(join), 2)), strings.Repeat(two+escaped, 2); got != want {
			t.Errorf("Clean gives %q, want %q", got, want)
		}
	}
}

// TestCleanIsLinear cleans a quarter of a megabyte of each kind of trouble in the time that its
// length asks for; what grows with its square would take minutes.
func TestCleanIsLinear(t *testing.T) {
	for _, unit := range []string{"\x1b", "\u0301", "\xff", `\`, "\U000e0041"} {
		in := strings.Repeat(unit, 1<<18/len(unit))
		if got := text.Clean(in); len(got) > 12*len(in) {
			t.Errorf("%q: %d bytes became %d", unit, len(in), len(got))
		}
	}
}

var escape = regexp.MustCompile(`\\(?:\\|x([0-9a-f]{2})|u\{([0-9a-f]+)\})`)

// original takes the escapes of Clean back.
func original(s string) string {
	return escape.ReplaceAllStringFunc(s, func(e string) string {
		m := escape.FindStringSubmatch(e)
		n, err := strconv.ParseUint(m[1]+m[2], 16, 32)
		switch {
		case err != nil:
			return `\`
		case m[1] != "":
			return string([]byte{byte(n)})
		default:
			return string(rune(n))
		}
	})
}

// FuzzClean holds Clean to what prints, to losing nothing, so that no two names
// look alike, and CleanLine to changing nothing twice.
func FuzzClean(f *testing.F) {
	for _, payload := range graphtest.Hostile {
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := text.Clean(s)
		if at := graphtest.Unprintable(got); at != "" {
			t.Errorf("Clean(%q) lets %s through: %q", s, at, got)
		}
		if back := original(got); back != s {
			t.Errorf("Clean(%q) = %q means %q", s, got, back)
		}
		line := text.CleanLine(s)
		if at := graphtest.Unprintable(line); at != "" {
			t.Errorf("CleanLine(%q) lets %s through: %q", s, at, line)
		}
		if again := text.CleanLine(line); again != line {
			t.Errorf("CleanLine(%q) = %q, and of that %q", s, line, again)
		}
	})
}

// FuzzEscapeJSON holds it to what prints, and to the meaning of the document, in
// whatever pieces that is written.
func FuzzEscapeJSON(f *testing.F) {
	for i, payload := range graphtest.Hostile {
		f.Add(payload, i)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		doc, err := json.Marshal(map[string]string{s: s})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w := text.EscapeJSON(&b)
		cut = max(0, cut) % len(doc)
		for _, part := range [][]byte{doc[:cut], doc[cut:]} {
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if at := graphtest.Unprintable(b.String()); at != "" {
			t.Errorf("%q lets %s through: %q", s, at, &b)
		}
		var want, got map[string]string
		if err := errors.Join(json.Unmarshal(doc, &want), json.Unmarshal(b.Bytes(), &got)); err != nil || !maps.Equal(want, got) {
			t.Errorf("%q became %q, %v", want, got, err)
		}
	})
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{text.Bytes(math.MinInt64), "-8192.0 PiB"},
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

// TestLines covers text of several lines, whole and byte by byte.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		in, want string
		changed  bool
	}{
		{"plain\n  text \\ \"é\"\n", "plain\n  text \\ \"é\"\n", false},
		{"\x1b[2J\r\t", `\x1b[2J\x0d\x09`, true},
		{"a\u202eb\u200bc", `a\u{202e}b\u{200b}c`, true},
		{"\xff\xc3(é\xe2\x82", `\xff\xc3(é`, true},
	} {
		for _, size := range []int{1, len(c.in)} {
			var b strings.Builder
			l := text.Lines{W: &b}
			for in := []byte(c.in); len(in) > 0; in = in[min(size, len(in)):] {
				if _, err := l.Write(in[:min(size, len(in))]); err != nil {
					t.Fatal(err)
				}
			}
			if b.String() != c.want || l.Changed != c.changed {
				t.Errorf("%q by %d: %q %v, want %q %v", c.in, size, b.String(), l.Changed, c.want, c.changed)
			}
		}
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 90 * time.Minute: "1 hour ago",
		47 * time.Hour: "47 hours ago", 49 * time.Hour: "2 days ago",
	} {
		if got := text.Ago(d); got != want {
			t.Errorf("Ago(%v) = %q, want %q", d, got, want)
		}
	}
}
