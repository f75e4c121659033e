package command

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lathe/graphops/pattern"
	"lathe/session/text"
)

// screen writes the text of a report to a terminal or another program. Everything that is not printable
// is escaped here once more, so that a report that forgets to clean a name sends no control character
// to a terminal, also not through a pipe. It wraps lines and colours the words that give
// the result, such as "pass" or "error". A table asks it for the number of columns, and is made
// narrow enough to need no wrapping.
type screen struct {
	w       io.Writer
	columns int  // 0 for no limit
	colored bool // otherwise the text is not changed
	rest    []byte
}

// Columns implements text.Wide.
func (s *screen) Columns() int { return s.columns }

// Write implements io.Writer.
func (s *screen) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	for {
		line, rest, found := bytes.Cut(s.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		s.rest = rest
		if _, err := io.WriteString(s.w, s.shown(string(line))+"\n"); err != nil {
			return 0, err
		}
	}
}

// Flush writes a last line that does not end with a line break.
func (s *screen) Flush() error {
	_, err := io.WriteString(s.w, s.shown(string(s.rest)))
	s.rest = nil
	return err
}

// shown returns a line in the form that is written to the terminal.
func (s *screen) shown(line string) string {
	line = text.CleanLine(line)
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	isRow := strings.Contains(line[len(indent):], "  ")
	lines := []string{line}
	if !isRow && ansi.StringWidth(line) > s.columns {
		lines = text.Wrap(line, s.columns, indent+"  ")
	}
	if s.colored {
		for i, l := range lines {
			lines[i] = paint(l, i == 0)
		}
	}
	return strings.Join(lines, "\n")
}

// The escape sequences of colours.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain  = "\x1b[39m"
)

// labels are words that give the result when a line begins with them, and their colours.
var labels = map[string]string{
	"error": red, "fail": red, "FAIL": red, "different": red, "mismatch": red,
	"warning": yellow, "slower": yellow, "undecided": yellow, "conditional": yellow, "noisy": yellow,
	"pass": green, "ok": green, "equal": green, "faster": green,
}

var (
	label = pattern.New(`^( *)([a-zA-Z]+)(:| because\b)`)
	// heading matches a line that begins a list in the output of lathe diff.
	heading = pattern.New(`^[a-z ]+ (added|removed)$`)
	change  = pattern.New(`^ *([+−-]) `)
)

// places are expressions for words that give the result within a line. Their first group is
// coloured. Each expression includes words that only Lathe writes, because names from a model can
// contain words such as "ok".
var places = []struct {
	words *pattern.Pattern
	color string
}{
	{pattern.New(`  (ok|pass)$`), green}, // the last column of a table
	{pattern.New(`  (FAIL|fail)$`), red},
	{pattern.New(`; (noisy)(?::|$)`), yellow},
	{pattern.New(` (takes [0-9.]+ (?:% more time than|times as long as)) .* \(ratio `), yellow},
	{pattern.New(` (takes [0-9.]+ % less time than|is [0-9.]+ times as fast as) .* \(ratio `), green},
}

// paint colours the words of a line that give the result.
func paint(line string, isFirst bool) string {
	var at []span
	if isFirst {
		at = beginning(line)
	}
	for _, p := range places {
		if m := p.words.FindStringSubmatchIndex(line); m != nil {
			at = append(at, span{m[2], m[3], p.color})
		}
	}
	// Insert from the end, so that earlier positions stay valid.
	slices.SortFunc(at, func(a, b span) int { return cmp.Compare(b.from, a.from) })
	for _, s := range at {
		line = line[:s.from] + s.color + line[s.from:s.to] + plain + line[s.to:]
	}
	return line
}

// span is a coloured part of a line.
type span struct {
	from, to int
	color    string
}

// beginning returns the coloured part at the beginning of a line: its label, or the whole line if
// it begins a list.
func beginning(line string) []span {
	if m := label.FindStringSubmatchIndex(line); m != nil && labels[line[m[4]:m[5]]] != "" {
		return []span{{m[4], m[5], labels[line[m[4]:m[5]]]}}
	}
	m := heading.FindStringSubmatch(line)
	if m == nil {
		m = change.FindStringSubmatch(line)
	}
	if m == nil {
		return nil
	}
	if m[1] == "added" || m[1] == "+" {
		return []span{{0, len(line), green}}
	}
	return []span{{0, len(line), red}}
}

// The values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// hasColor reports whether text written to a stream gets colours.
func (a *app) hasColor(stream any) bool {
	switch a.color {
	case colorAlways:
		return true
	case colorNever:
		return false
	}
	return isTerminal(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// screen returns the writer for reports.
func (a *app) screen() *screen {
	return &screen{w: a.out, columns: widthOf(a.out.w), colored: a.hasColor(a.out.w)}
}

// screenOn returns the writer for text on another stream.
func (a *app) screenOn(w io.Writer) *screen {
	return &screen{w: w, columns: widthOf(w), colored: a.hasColor(w)}
}

// complain prints the error that ended the command to standard error.
func (a *app) complain(line string) {
	name := "lathe:"
	if a.hasColor(a.errOut) {
		name = red + name + plain
	}
	fmt.Fprintln(a.errOut, name, shortened(text.CleanLine(line)))
}

// remark prints a note or warning about the command to standard error, after a label.
func (a *app) remark(label, line string) {
	_, _ = io.WriteString(a.screenOn(a.errOut), label+": "+text.CleanLine(line)+"\n") // an error could not be reported
}

// maxError is the largest number of bytes of an error. Names in it come from models and can be long.
const maxError = 2000

// shortened returns an error line of at most about maxError bytes. It leaves out the middle, because
// the beginning says what failed and the end what to do.
func shortened(line string) string {
	if len(line) <= maxError {
		return line
	}
	head, tail := line[:maxError/2], line[len(line)-maxError/2:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf(" … %d bytes … ", len(line)-maxError) + strings.ToValidUTF8(tail, "")
}
