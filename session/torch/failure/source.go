package failure

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// SourceLine is a line of a source file, with its number.
type SourceLine struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

const (
	around    = 3       // lines on either side
	maxSource = 4 << 20 // largest file that is read, in bytes
)

// Around returns the lines around a frame, if its file exists on this machine and still has that
// line; otherwise nil. The path may come from another machine or be made up. So only regular Python
// files are read, and the result is used only if the line agrees with the frame.
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

// linesAround returns the lines around one in a Python file, as far as they exist.
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

// LineOf returns a line of a Python file on this machine, without its indentation, or "".
func LineOf(path string, number int) string {
	for _, l := range linesAround(path, number) {
		if l.Number == number {
			return strings.TrimSpace(l.Text)
		}
	}
	return ""
}
