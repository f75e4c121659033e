package failure

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// SourceLine is a line of a file.
type SourceLine struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

const (
	around    = 3       // lines on either side
	maxSource = 4 << 20 // bytes of a file that is looked into
)

// Around are the lines around that of a frame, where its file is here and still has that line;
// nil elsewhere. The path may be of another machine, or a lie: nothing but a regular file of
// Python's is looked into, and only where the line is what the frame says.
func Around(f *Frame) []SourceLine {
	if f == nil || f.Code == "" {
		return nil
	}
	out := linesAround(f.File, f.Line)
	for _, l := range out {
		if l.Number == f.Line && strings.TrimSpace(l.Text) == f.Code {
			return out
		}
	}
	return nil
}

// linesAround are the lines around one of a file of Python's, as far as it has them.
func linesAround(path string, number int) []SourceLine {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource || !strings.HasSuffix(path, ".py") {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	var out []SourceLine
	lines := bufio.NewScanner(io.LimitReader(file, maxSource))
	for n := 1; lines.Scan() && n <= number+around; n++ {
		if n >= number-around {
			out = append(out, SourceLine{n, lines.Text()})
		}
	}
	return out
}

// LineOf is a line of a file of Python's that is here, without its indentation; "" where there is
// none.
func LineOf(path string, number int) string {
	for _, l := range linesAround(path, number) {
		if l.Number == number {
			return strings.TrimSpace(l.Text)
		}
	}
	return ""
}
