package cut

import (
	"fmt"
	"io"
	"strings"

	"lathe/session/proof"
	"lathe/session/text"
)

// writeProof writes the result of a proof in one line. The line begins with "proved" only if all
// items of all outputs were shown to be equal, at other sizes of every dynamic axis.
func writeProof(w io.Writer, p *proof.Axes) {
	if p == nil {
		return
	}
	at := ""
	if len(p.Sizes) > 0 {
		at = " at " + proof.FormatSizes(p.Sizes)
	}
	first := "equal to the original" + at
	if p.Whole() {
		first = "proved: bit-equal to the original" + at
	}
	line := []string{first}
	for _, a := range p.Freed {
		line = append(line, a.Text())
	}
	if len(p.Together) > 0 {
		line = append(line, fmt.Sprintf("the same at %s together", proof.FormatSizes(p.Together)))
	}
	fmt.Fprintln(w, text.CleanLine(strings.Join(line, "; ")))
}
