package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A judge says of each outcome of a row whether its result is right.
type judge interface {
	verdicts(ctx context.Context, b *bench, r row, outcomes []outcome) []string
}

// right begins every verdict that is not a complaint.
const right = "right"

// finished accepts what ended with code 0: a tool that judges by itself.
type finished struct{}

func (finished) verdicts(_ context.Context, _ *bench, _ row, outcomes []outcome) []string {
	out := make([]string, len(outcomes))
	for i := range out {
		out[i] = right
	}
	return out
}

// counted accepts what printed the number of nodes of the main graph.
type counted struct{}

var number = regexp.MustCompile(`(?m)^(?:\s*nodes\s+)?(\d[\d,]*)\b`)

func (counted) verdicts(_ context.Context, _ *bench, r row, outcomes []outcome) []string {
	out := make([]string, len(outcomes))
	for i, o := range outcomes {
		out[i] = "wrong: it does not print the number of nodes"
		for _, m := range number.FindAllStringSubmatch(o.output, -1) {
			if n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", "")); err == nil && n == r.nodes {
				out[i] = right
			}
		}
	}
	return out
}

// computed accepts a file if ONNX Runtime says that its model computes what the original does, or that
// it has the original's outputs.
type computed struct {
	kind, place string
	tolerance   float64
}

func (c computed) verdicts(ctx context.Context, b *bench, r row, outcomes []outcome) []string {
	script := filepath.Join(b.places["sources"], "right.py")
	line := []string{b.python, script, c.kind, b.modelFile(r), b.inputsFile(r), fmt.Sprint(c.tolerance)}
	for i := range outcomes {
		line = append(line, b.given(r, i)[c.place])
	}
	o := b.process(ctx, line, judgeLimit)
	var said []string
	for text := range strings.Lines(o.output) {
		if strings.HasPrefix(text, "ok ") || strings.HasPrefix(text, "wrong: ") {
			said = append(said, c.verdict(strings.TrimSpace(text)))
		}
	}
	for len(said) < len(outcomes) {
		said = append(said, "not judged: "+o.failed)
	}
	return said
}

// verdict turns a line of right.py into what stands in the table.
func (c computed) verdict(text string) string {
	words := strings.Fields(text)
	if words[0] != "ok" || len(words) != 3 {
		return text
	}
	bytes, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return text
	}
	if c.kind == "values" {
		return right + ", error " + words[1]
	}
	return fmt.Sprintf("%s, error %s, %s MB", right, words[1], megabytes(bytes))
}
