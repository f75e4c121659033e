package origin

import (
	"strconv"
	"strings"
)

// Frame is one call on the call stack that led to an operation.
type Frame struct {
	File     string
	Line     int
	Function string
	Source   string // the source line without indentation; "" if unknown
}

// stackFrames parses a Python traceback, outermost call first. Lines that do not belong to a frame
// are skipped. ok is false if there are no frames.
func stackFrames(s string) ([]Frame, bool) {
	var out []Frame
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if f, ok := frameHead(line); ok {
			out = append(out, f)
			continue
		}
		// lines of only these characters mark a part of the source line
		if len(out) > 0 && strings.Trim(line, "^~ ") != "" {
			last := &out[len(out)-1]
			last.Source = strings.TrimPrefix(last.Source+"\n"+line, "\n")
		}
	}
	return out, len(out) > 0
}

// frameHead parses `File "model.py", line 46, in forward`. The name of a file may contain any
// characters, so the line is parsed from both ends.
func frameHead(line string) (Frame, bool) {
	rest, ok := strings.CutPrefix(line, `File "`)
	if !ok {
		return Frame{}, false
	}
	i := strings.LastIndex(rest, `", line `)
	if i < 0 {
		return Frame{}, false
	}
	number, function, _ := strings.Cut(rest[i+len(`", line `):], ", in ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return Frame{}, false
	}
	return Frame{File: rest[:i], Line: n, Function: function}, true
}
