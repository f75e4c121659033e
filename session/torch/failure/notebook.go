package failure

import (
	"strconv"
	"strings"

	"lathe/graphops/pattern"
)

var (
	// notebookClass matches the first line of a traceback in a notebook: the class, and far to the
	// right the words that begin Python's tracebacks.
	notebookClass = pattern.New(`[A-Za-z_]\w*\s{2,}Traceback \(most recent call last\)`)
	notebookFile  = pattern.New(`^(?:File )?(\S.*?\.py):(\d+), in (\S+?)\(`)
	notebookOlder = pattern.New(`^((?:/|[A-Za-z]:\\)\S*\.py|<ipython-input-[^>]*>) in (\S+?)(?:\(.*)?$`)
	notebookCell  = pattern.New(`^(?:Input )?(Cell )?In\s*\[(\d+)\](?:, line (\d+)|, in )`)
	// notebookLine matches the line of code that was running, which has an arrow.
	notebookLine = pattern.New(`^-+> ?(\d+) ?(.*)$`)
)

// mostShown is more than the number of code lines that a notebook shows for a frame.
const mostShown = 20

// notebookFrame reads the frame that begins at a line of a notebook's traceback. taken is how many
// further lines it has.
func notebookFrame(lines []string, i int) (f Frame, taken int, ok bool) {
	switch line := lines[i]; {
	case notebookCell.MatchString(line):
		m := notebookCell.FindStringSubmatch(line)
		f = Frame{File: "Cell In[" + m[2] + "]", User: true}
		f.Line, _ = strconv.Atoi(m[3])
	case notebookFile.MatchString(line):
		m := notebookFile.FindStringSubmatch(line)
		f = Frame{File: m[1], Function: m[3], User: isUsers(m[1])}
		f.Line, _ = strconv.Atoi(m[2])
	case notebookOlder.MatchString(line):
		m := notebookOlder.FindStringSubmatch(line)
		f = Frame{File: m[1], Function: m[2], User: isUsers(m[1])}
	default:
		return f, 0, false
	}
	for k := i + 1; k < min(len(lines), i+mostShown); k++ {
		if m := notebookLine.FindStringSubmatch(lines[k]); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil && f.Line == 0 {
				f.Line = n
			}
			f.Code = strings.TrimSpace(m[2])
			return f, k - i, true
		}
		if strings.TrimSpace(lines[k]) == "" || raisedLine.MatchString(lines[k]) {
			return f, k - i - 1, true
		}
	}
	return f, 0, true
}
