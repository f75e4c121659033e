package failure

import (
	"strconv"
	"strings"

	"lathe/graphops/pattern"
)

// crashedText matches a line of a traceback by faulthandler, which lists the innermost frame first.
var crashedText = pattern.New(`(?m)^  File "([^"\n]+)", line (\d+) in (\S+)$`)

// frameCrashed returns the innermost wanted frame of the thread in which native code crashed.
func frameCrashed(said string, wanted func(Frame) bool) *Frame {
	_, said, crashed := strings.Cut(said, "Current thread ")
	if !crashed {
		return nil
	}
	said, _, _ = strings.Cut(said, "\n\n")
	for _, m := range crashedText.FindAllStringSubmatch(said, -1) {
		f := Frame{File: m[1], Function: m[3], User: isUsers(m[1])}
		f.Line, _ = strconv.Atoi(m[2]) // digits only
		if f.Code = LineOf(f.File, f.Line); wanted(f) {
			return &f
		}
	}
	return nil
}
