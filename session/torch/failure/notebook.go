package failure

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	// notebookClass opens a traceback in a notebook: the class, and far to the right what Python
	// begins with.
	notebookClass = regexp.MustCompile(`[A-Za-z_]\w*\s{2,}Traceback \(most recent call last\)`)
	notebookFile  = regexp.MustCompile(`^(?:File )?(\S.*?\.py):(\d+), in (\S+?)\(`)
	notebookOlder = regexp.MustCompile(`^((?:/|[A-Za-z]:\\)\S*\.py|<ipython-input-[^>]*>) in (\S+?)(?:\(.*)?$`)
	notebookCell  = regexp.MustCompile(`^(?:Input )?(Cell )?In\s*\[(\d+)\](?:, line (\d+)|, in )`)
	// notebookLine is the line of code that was running, which an arrow points at.
	notebookLine = regexp.MustCompile(`^-+> ?(\d+) ?(.*)$`)
)

// mostShown is how many lines of code a notebook shows of a frame, and more.
const mostShown = 20

// notebookFrame is the frame that a line of a notebook's traceback begins, with how many more
// lines it takes.
func notebookFrame(lines []string, i int) (f Frame, taken int, ok bool) {
	switch line := lines[i]; {
	case notebookCell.MatchString(line):
		m := notebookCell.FindStringSubmatch(line)
		f = Frame{File: "Cell In[" + m[2] + "]", User: true}
		f.Line, _ = strconv.Atoi(m[3])
	case notebookFile.MatchString(line):
		m := notebookFile.FindStringSubmatch(line)
		f = Frame{File: m[1], Function: m[3], User: IsUsers(m[1])}
		f.Line, _ = strconv.Atoi(m[2])
	case notebookOlder.MatchString(line):
		m := notebookOlder.FindStringSubmatch(line)
		f = Frame{File: m[1], Function: m[2], User: IsUsers(m[1])}
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
