package failure

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What opens a traceback: of Python, and of a notebook, which has the class in front.
const (
	opening  = "Traceback (most recent call last)"
	mostRead = 50 // exceptions of a text
)

var (
	frameLine     = regexp.MustCompile(`^(\s*)File "([^"]*)", line (\d+)(?:, in (.*))?$`)
	exceptionLine = regexp.MustCompile(`^([A-Za-z_][\w.<>]*)(?:: (.*))?$`)
	// raisedLine is an exception that cannot be taken for a line of code or of prose.
	raisedLine = regexp.MustCompile(`^((?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Unsupported)|GuardOnDataDependentSymNode|Unsupported))(?:: (.*))?$`)
)

// joints stand between an exception and the next one of a chain.
var joints = []string{"The above exception was the direct cause of the following exception", "During handling of the above exception, another exception occurred"}

// tracebacks are the exceptions of a text that is one chain, as Python writes them with the cause
// in front: the one that was raised last comes first here.
func tracebacks(s string) []Exception {
	var out []Exception
	for _, chain := range chains(s) {
		out = append(slices.Clone(chain), out...)
	}
	return out[:min(len(out), mostRead)]
}

// chains are the chains of exceptions of a text, in its order. Two tracebacks belong to one chain
// where a joint stands between them.
func chains(s string) [][]Exception {
	var out [][]Exception
	joined := false
	for _, part := range partsOf(s) {
		x, ok := traceback(part)
		if !ok {
			continue
		}
		if !joined || len(out) == 0 {
			out = append(out, nil)
		}
		last := &out[len(out)-1]
		*last = append([]Exception{x}, *last...)
		joined = endsInJoint(part)
		if len(out) == mostRead || len(*last) == mostRead {
			break
		}
	}
	return out
}

func endsInJoint(lines []string) bool {
	return slices.ContainsFunc(lines, isJoint)
}

func isJoint(line string) bool {
	return slices.ContainsFunc(joints, func(j string) bool { return strings.Contains(line, j) })
}

// partsOf are the lines of each traceback of a text, without what is in front of each line.
func partsOf(s string) [][]string {
	lines := strings.Split(s, "\n")
	var starts []int
	for i, line := range lines {
		if strings.Contains(line, opening) {
			starts = append(starts, i)
		}
	}
	var out [][]string
	for i, start := range starts {
		end := len(lines)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		mark := opening
		if class := notebookClass.FindString(lines[start]); class != "" {
			mark = strings.TrimLeft(class, " ")
		}
		out = append(out, unquoted(lines[start:end], mark))
	}
	return out
}

// traceback reads the lines of one, the first of which opens it. Of one that is cut off before its
// last line the frames are known, and no class.
func traceback(lines []string) (Exception, bool) {
	var x Exception
	for i := 1; i < len(lines); i++ {
		line := lines[i]
		if isJoint(line) || endsPaste(line) {
			break
		}
		if f, taken, ok := frameAt(lines, i); ok {
			x.Frames = append(x.Frames, f)
			i += taken
			continue
		}
		if m := exceptionLine.FindStringSubmatch(line); m != nil && len(x.Frames) > 0 {
			x.named(m[1])
			x.Message = strings.TrimSpace(m[2] + "\n" + messageOf(lines[i+1:]))
			return x, true
		}
	}
	return x, len(x.Frames) > 0
}

// named sets the class and the module of a qualified name.
func (x *Exception) named(name string) {
	words := strings.Split(name, ".")
	x.Class, x.Module = words[len(words)-1], strings.Join(words[:len(words)-1], ".")
}

// messageOf is what of the lines behind an exception it says.
func messageOf(lines []string) string {
	for i, line := range lines {
		if isJoint(line) || endsPaste(line) {
			return strings.Join(lines[:i], "\n")
		}
	}
	return strings.Join(lines, "\n")
}

// endsPaste reports whether a line is the page's own that a traceback was pasted into.
func endsPaste(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~~") && strings.Trim(line, "~") == "" && len(line) < 6 ||
		strings.HasPrefix(line, "### ") || strings.HasPrefix(line, "</details>") || strings.HasPrefix(line, "</pre>") || strings.HasPrefix(line, "[/code]")
}

// frameAt is the frame that a line begins, with how many more lines it takes.
func frameAt(lines []string, i int) (f Frame, taken int, ok bool) {
	if f, taken, ok := notebookFrame(lines, i); ok {
		return f, taken, true
	}
	m := frameLine.FindStringSubmatch(lines[i])
	if m == nil {
		return f, 0, false
	}
	f = Frame{File: m[2], Function: strings.TrimSpace(m[4]), User: IsUsers(m[2])}
	f.Line, _ = strconv.Atoi(m[3])
	if i+1 == len(lines) {
		return f, 0, true
	}
	next := lines[i+1]
	indented := strings.HasPrefix(next, m[1]+" ") && strings.TrimSpace(next) != ""
	lost := m[1] == "" && !raisedLine.MatchString(next) && !frameLine.MatchString(next) && !isJoint(next) && !endsPaste(next) && strings.TrimSpace(next) != ""
	if indented && !frameLine.MatchString(next) || lost {
		f.Code = strings.TrimSpace(next)
		taken = 1
	}
	return f, taken, true
}

// bare are exceptions of a text without the line that opens a traceback: its end alone, or one
// line that says what was raised.
func bare(s string) []Exception {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		quote := leading.FindString(line)
		if frameLine.MatchString(line[len(quote):]) {
			from := slices.Concat([]string{quote + opening}, lines[i:])
			if x, ok := traceback(unquoted(from, opening)); ok {
				return []Exception{x}
			}
			return nil
		}
		if m := raisedLine.FindStringSubmatch(line[len(quote):]); m != nil && m[2] != "" {
			x := Exception{Message: strings.TrimSpace(m[2] + "\n" + messageOf(lines[i+1:]))}
			x.named(m[1])
			return []Exception{x}
		}
	}
	return nil
}

// leading are the signs of a quotation in front of a line.
var leading = regexp.MustCompile(`^(?:[>|] ?)*`)
