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
	if f == nil || !strings.HasSuffix(f.File, ".py") || f.Code == "" {
		return nil
	}
	info, err := os.Stat(f.File)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil
	}
	file, err := os.Open(f.File)
	if err != nil {
		return nil
	}
	defer file.Close()
	var out []SourceLine
	found := false
	lines := bufio.NewScanner(io.LimitReader(file, maxSource))
	for n := 1; lines.Scan() && n <= f.Line+around; n++ {
		if n < f.Line-around {
			continue
		}
		found = found || n == f.Line && strings.TrimSpace(lines.Text()) == f.Code
		out = append(out, SourceLine{n, lines.Text()})
	}
	if !found {
		return nil
	}
	return out
}
