package failure

import (
	"regexp"
	"strconv"
	"strings"
)

// scriptText is where TorchScript says that it cannot compile: the file and line, lines of the
// source, and marks below the one that is meant.
var scriptText = regexp.MustCompile(`File "([^"\n]+)", line (\d+)[^\n]*\n(?:[^\n]*\n){0,30}?([^\n]*)\n[ \t]*~[~ \t]*(?:<--- HERE)?[ \t]*(?:\n|$)`)

// drawn reports whether a message is of TorchScript's compiler, which draws the source. Its
// interpreter does so too, of what was compiled and failed later.
func drawn(message string) bool {
	return strings.Contains(message, "<--- HERE") && !strings.Contains(message, "failed in the TorchScript interpreter")
}

// frameDrawn is the line that TorchScript does not compile, if it is wanted. It is on no stack:
// there is the caller of torch.jit.script.
func frameDrawn(list []Exception, wanted func(Frame) bool) *Frame {
	for _, x := range list {
		if !drawn(x.Message) {
			continue
		}
		// What called the function that is not compiled is drawn behind it.
		if m := scriptText.FindStringSubmatch(plain(x.Message)); m != nil {
			f := Frame{File: m[1], Code: strings.TrimSpace(m[3]), User: IsUsers(m[1])}
			f.Line, _ = strconv.Atoi(m[2])
			if wanted(f) {
				return &f
			}
		}
	}
	return nil
}

// sentenceDrawn is what TorchScript's compiler says, without the source that it draws.
func sentenceDrawn(message string) string {
	said, _, found := strings.Cut(message, `  File "`)
	if !found || !drawn(message) {
		return ""
	}
	return strings.TrimRight(joined(said), ": ")
}
