package origin

import (
	"strconv"
	"strings"
)

// Frame is one call on the way to an operation.
type Frame struct {
	File     string
	Line     int
	Function string
	Source   string // the line as it was in the file, without its indentation; "" if not told
}

// stackFrames reads a Python traceback, outermost call first. Lines that belong to
// no frame are passed over; a text without any frame is not understood.
func stackFrames(s string) ([]Frame, bool) {
	var out []Frame
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if f, ok := frameHead(line); ok {
			out = append(out, f)
			continue
		}
		if len(out) > 0 && strings.Trim(line, "^~ ") != "" { // those underline a part of the source
			last := &out[len(out)-1]
			last.Source = strings.TrimPrefix(last.Source+"\n"+line, "\n")
		}
	}
	return out, len(out) > 0
}

// frameHead reads `File "model.py", line 46, in forward`. A file's name may hold
// whatever it likes, so the line is read from both ends.
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
