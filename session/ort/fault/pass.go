package fault

import "regexp"

// applying are the lines that the runtime's log has, at its most verbose level,
// before and after each optimization.
var applying = regexp.MustCompile(`Applying graph transformer (\S+) on step \d+|GraphTransformer (\S+) modified: `)

// Pass reads the log of a load that crashed or hung: the optimization that was
// under way, empty where none was. Loading without it, or at a lower level, may
// succeed. Lines of any severity may stand in between.
func Pass(log string) string {
	under := ""
	for _, m := range applying.FindAllStringSubmatch(log, -1) {
		switch {
		case m[1] != "":
			under = m[1]
		case m[2] == under:
			under = ""
		}
	}
	return under
}
