package main

import (
	"fmt"
	"math"
	"strings"
)

// An aim is what a measured value should be.
type aim struct {
	text    string
	unit    string
	bound   float64
	atLeast bool
	value   func(rs results) float64
}

var aims = []aim{
	{"`version`, beside a Go program that prints a line", "×", 2.5, false, func(rs results) float64 {
		return rs.seconds("start", "", 0) / rs.seconds("start", "", 1)
	}},
	{"`inspect` of 1 GiB, more than `version`", "ms", 3, false, func(rs results) float64 {
		return 1000 * (rs.seconds("inspect", "large", 0) - rs.seconds("start", "", 0))
	}},
	{"`quantize dynamic` of 1 GiB, faster than ONNX Runtime's", "×", 12, true, faster("quantize dynamic", "large")},
	{"the same, its memory", "MB", 60, false, memory("quantize dynamic", "large")},
	{"`quantize float16` of 1 GiB, faster than ONNX Runtime's", "×", 20, true, faster("quantize float16", "large")},
	{"the same, its memory", "MB", 60, false, memory("quantize float16", "large")},
	{"`inspect` of 200,000 nodes, faster than onnx.load", "×", 4, true, faster("inspect", "chain")},
	{"`check` of 200,000 nodes", "s", 0.8, false, chain("check")},
	{"`simplify --no-check` of 200,000 nodes", "s", 1.2, false, chain("simplify")},
	{"`export --opset 20 --no-check` of 200,000 nodes", "s", 1.2, false, chain("convert to opset 20")},
	{"`quantize float16 --no-check --no-scan` of 200,000 nodes", "s", 1.5, false, chain("quantize float16")},
}

func faster(job, model string) func(results) float64 {
	return func(rs results) float64 { return rs.ratio(job, model) }
}

func memory(job, model string) func(results) float64 {
	return func(rs results) float64 { return rs.megabytes(job, model) }
}

func chain(job string) func(results) float64 {
	return func(rs results) float64 { return rs.seconds(job, "chain", 0) }
}

// line is a row of the table of aims.
func (a aim) line(value float64) string {
	than, met := "at most", value <= a.bound
	if a.atLeast {
		than, met = "at least", value >= a.bound
	}
	said := map[bool]string{true: "met", false: "not met"}[met]
	if math.IsNaN(value) {
		return fmt.Sprintf("| %s | %s %g %s | – | not measured |\n", a.text, than, a.bound, a.unit)
	}
	return fmt.Sprintf("| %s | %s %g %s | %.3g %s | %s |\n", a.text, than, a.bound, a.unit, value, a.unit, said)
}

// aimTable holds what was measured against the aims.
func aimTable(rs results, cold []coldRow) string {
	var b strings.Builder
	b.WriteString("| what | aim | measured | |\n|---|---|--:|---|\n")
	for _, a := range aims {
		b.WriteString(a.line(a.value(rs)))
	}
	for _, c := range cold {
		a := aim{text: c.name() + ", not in the page cache: share of the speed of `cat` or `dd`", unit: "%", bound: 90, atLeast: true}
		b.WriteString(a.line(100 * c.share()))
	}
	return b.String()
}
