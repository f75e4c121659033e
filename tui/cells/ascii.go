package cells

import (
	"strings"
)

// inASCII holds the ASCII replacements of the characters that the workbench draws with.
var inASCII = map[rune]string{
	'│': "|", '─': "-", '╭': "+", '╮': "+", '╰': "+", '╯': "+", '├': "+", '┤': "+", '┬': "+", '┴': "+", '┼': "+",
	'╵': "|", '╷': "|", '╴': "-", '╶': "-", '━': "=", '┃': "|", '┏': "+", '┓': "+", '┗': "+", '┛': "+",
	'●': "*", '○': "o", '◎': "@", '◆': "#", '▣': "%", '◁': "<", '›': ">", '‹': "<", '▌': "|", '▸': ">", '▾': "v",
	'…': "~", '·': ".", '×': "x", '→': ">", '←': "<", '↑': "^", '↓': "v", '–': "-", '—': "-", '±': "+", 'ƒ': "f", 'µ': "u", '≤': "<", '≠': "!", '≥': ">",
	'█': "#", '▓': "#", '▒': "+", '░': ".", '▁': "_", '▂': "_", '▃': "-", '▄': "-", '▅': "=", '▆': "=", '▇': "#", '′': "'",
}

// ASCII rewrites a frame in ASCII, cell for cell: characters that the workbench draws with have a
// replacement, any other character becomes as many question marks as it is wide.
func ASCII(frame string) string {
	if !strings.ContainsFunc(frame, func(r rune) bool { return r >= 0x80 }) {
		return frame
	}
	var b strings.Builder
	b.Grow(len(frame))
	for _, r := range frame {
		switch s, ok := inASCII[r]; {
		case r < 0x80:
			b.WriteRune(r)
		case ok:
			b.WriteString(s)
		default:
			b.WriteString(strings.Repeat("?", Width(string(r))))
		}
	}
	return b.String()
}
