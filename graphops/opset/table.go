package opset

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed steps.txt
var stepsText string

// verdict says how nodes are converted in a step.
type verdict string

const (
	same    verdict = "same"    // it keeps its meaning unchanged
	adapted verdict = "adapter" // it is rewritten
	none    verdict = "none"    // it cannot be converted
)

// change identifies a step: an operator, and the version in which it changed.
type change struct {
	op    string
	since int64
}

// row is what steps.txt says about a step.
type row struct {
	verdict verdict
	why     string
}

// table returns the rows of steps.txt, which is parsed on first use. A mistake in the text causes a
// panic, because the text is part of the program.
var table = sync.OnceValue(func() map[change]row {
	rows := map[change]row{}
	for line := range strings.Lines(stepsText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		at, r, err := parseRow(line)
		if _, twice := rows[at]; err != nil || twice {
			panic(fmt.Sprintf("opset: steps.txt: %q: twice, or %v", line, err))
		}
		rows[at] = r
	}
	return rows
})

func parseRow(line string) (change, row, error) {
	fields := strings.SplitN(line, " ", 4)
	if len(fields) < 3 {
		return change{}, row{}, fmt.Errorf("the row has %d fields, expected three", len(fields))
	}
	since, err := strconv.ParseInt(fields[1], 10, 64)
	r := row{verdict: verdict(fields[2])}
	if len(fields) == 4 {
		r.why = fields[3]
	}
	switch r.verdict {
	case same, adapted, none:
	default:
		err = fmt.Errorf("verdict %q", fields[2])
	}
	return change{fields[0], since}, r, err
}
