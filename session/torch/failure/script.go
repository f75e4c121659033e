package failure

import (
	"strconv"
	"strings"

	"lathe/graphops/pattern"
)

// scriptText matches TorchScript's report of what it cannot compile: the file and line, source
// lines, and marks below the relevant line.
var scriptText = pattern.New(`File "([^"\n]+)", line (\d+)[^\n]*\n(?:[^\n]*\n){0,30}?([^\n]*)\n[ \t]*~[~ \t]*(?:<--- HERE)?[ \t]*(?:\n|$)`)

// drawn reports whether a message comes from TorchScript's compiler, which prints the source with
// marks below the line. The TorchScript interpreter prints it too, but its errors occur when the
// model runs.
func drawn(message string) bool {
	return strings.Contains(message, "<--- HERE") && !strings.Contains(message, "failed in the TorchScript interpreter")
}

// frameDrawn returns the line that TorchScript cannot compile, if it is wanted. It is not in the
// traceback, which ends at the call of torch.jit.script.
func frameDrawn(list []Exception, wanted func(Frame) bool) *Frame {
	for _, x := range list {
		if !drawn(x.Message) {
			continue
		}
		// The first match is the function that cannot be compiled; its callers follow.
		if m := scriptText.FindStringSubmatch(plain(x.Message)); m != nil {
			f := Frame{File: m[1], Code: strings.TrimSpace(m[3]), User: isUsers(m[1])}
			f.Line, _ = strconv.Atoi(m[2])
			if wanted(f) {
				return &f
			}
		}
	}
	return nil
}

// sentenceDrawn returns the message of TorchScript's compiler without the source.
func sentenceDrawn(message string) string {
	said, _, found := strings.Cut(message, `  File "`)
	if !found || !drawn(message) {
		return ""
	}
	return strings.TrimRight(joined(said), ": ")
}
