package failure

import (
	"slices"
	"strconv"
	"strings"

	"lathe/graphops/pattern"
)

// The first line of a traceback. In a notebook the class precedes it.
const (
	opening  = "Traceback (most recent call last)"
	mostRead = 50 // maximum number of exceptions read from a text
)

var (
	frameLine     = pattern.New(`^(\s*)File "([^"]*)", line (\d+)(?:, in (.*))?$`)
	exceptionLine = pattern.New(`^([A-Za-z_][\w.<>]*)(?:: (.*))?$`)
	// raisedLine matches an exception that cannot be mistaken for code or prose.
	raisedLine = pattern.New(`^((?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Unsupported)|GuardOnDataDependentSymNode|Unsupported))(?:: (.*))?$`)
)

// joints are the lines between the exceptions of a chain.
var joints = []string{"The above exception was the direct cause of the following exception", "During handling of the above exception, another exception occurred"}

// tracebacks reads a text that contains one chain of exceptions. Python prints the cause first. The
// result has the opposite order: the exception that was raised last comes first.
func tracebacks(s string) []Exception {
	var out []Exception
	for _, chain := range chains(s) {
		out = append(slices.Clone(chain), out...)
	}
	return out[:min(len(out), mostRead)]
}

// chains returns the chains of exceptions in a text, in order. Two tracebacks belong to one chain
// if a joint is between them.
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

// partsOf returns the lines of each traceback in a text, without prefixes of the lines.
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

// traceback reads the lines of one traceback, including its first line. If it is cut off before its
// last line, the frames are known but not the class.
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

// named sets the class and the module from a qualified name.
func (x *Exception) named(name string) {
	words := strings.Split(name, ".")
	x.Class, x.Module = words[len(words)-1], strings.Join(words[:len(words)-1], ".")
}

// messageOf returns the message of an exception from the lines after it.
func messageOf(lines []string) string {
	for i, line := range lines {
		if isJoint(line) || endsPaste(line) {
			return strings.Join(lines[:i], "\n")
		}
	}
	return strings.Join(lines, "\n")
}

// endsPaste reports whether a line belongs to the page that a traceback was pasted into.
func endsPaste(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~~") && strings.Trim(line, "~") == "" && len(line) < 6 ||
		strings.HasPrefix(line, "### ") || strings.HasPrefix(line, "</details>") || strings.HasPrefix(line, "</pre>") || strings.HasPrefix(line, "[/code]")
}

// frameAt reads the frame that begins at a line. taken is how many further lines it has.
func frameAt(lines []string, i int) (f Frame, taken int, ok bool) {
	if f, taken, ok := notebookFrame(lines, i); ok {
		return f, taken, true
	}
	m := frameLine.FindStringSubmatch(lines[i])
	if m == nil {
		return f, 0, false
	}
	f = Frame{File: m[2], Function: strings.TrimSpace(m[4]), User: isUsers(m[2])}
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

// bare reads an exception without the first line of a traceback: the end of a traceback, or a
// single line.
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

// leading matches quotation marks at the start of a line.
var leading = pattern.New(`^(?:[>|] ?)*`)
