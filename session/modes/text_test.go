package modes

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lathe/bench"
	"lathe/graphops/tensor"
	"lathe/session/accuracy"
	"lathe/session/compare"
	"lathe/session/proportion"
)

var update = flag.Bool("update", false, "write testdata/table-*.txt")

// screen is a writer of a certain width.
type screen struct {
	bytes.Buffer
	width int
}

// Columns implements text.Wide.
func (s *screen) Columns() int { return s.width }

// example has a row of each kind: complete, inexact, not applied, failed, not timed.
func example(labels bool) *Report {
	number := func(f float64) *tensor.Number { n := tensor.Number(f); return &n }
	row := func(mode string, bytes int64, p50, ratio, db float64) *Row {
		x := newRow(mode)
		x.Bytes, x.Ratio = bytes, tensor.Number(float64(bytes)/556_000)
		x.Time = &Time{P50: tensor.Number(p50), CI95: &[2]tensor.Number{tensor.Number(0.95 * p50), tensor.Number(1.1 * p50)}}
		if db == 0 {
			return x
		}
		x.Time.Ratio, x.Time.RatioCI95 = number(ratio), &[2]tensor.Number{tensor.Number(0.97 * ratio), tensor.Number(1.03 * ratio)}
		x.Time.Significant = ratio < 0.97 || ratio > 1.04
		x.Error = &Error{Judged: compare.Pass.Judged(), Headline: "pass", SNR: number(db), Output: "logits", MaxAbs: number(0.0107), MaxOutput: "logits", MaxIndex: []int64{0, 2}}
		return x
	}
	r := &Report{Model: "digits.onnx", Provider: "cpu", Inputs: "digits_test.npz", OnData: true, Original: row(originalRow, 556_000, 20.68, 1, 0)}
	f16, dynamic, static, reduced := row("float16", 279_000, 22.15, 1.05, 72.6), row("dynamic", 145_000, 41, 2, 41.7), row("static", 146_000, 15.16, 0.77, 26.5), row("static-reduced", 146_100, 15.1, 0.76, 38.2)
	dynamic.Error.Judged, dynamic.Error.Headline, dynamic.Error.MaxIndex = compare.Fail.Judged(), "fail: output \"logits\" in case \"seed 1\"", nil
	dynamic.Warnings = []string{"2 Conv became ConvInteger"}
	static.Notes = []string{"on cpu, 6 of 10 nodes compute with quantized values: 2 QGemm"}
	reduced.Notes, reduced.Time = static.Notes, nil
	reduced.Warnings = []string{"its latency could not be measured: a\x1b[31mb\nc"}
	none, broken := newRow("nbits-8"), newRow("nbits-4")
	none.Failed, none.NotApplied = "nothing to quantize: the model has no MatMul", true
	broken.Failed = "the result does not load: no kernel for MatMulNBits(1)"
	r.Rows = []*Row{f16, dynamic, static, reduced, none, broken}
	if labels {
		for i, x := range []*Row{r.Original, f16, dynamic, static, reduced} {
			top := proportion.Of(int64(352-4*i), 360)
			x.Accuracy = &accuracy.Score{Top1: &top}
			if i > 0 {
				d := proportion.Pairs{OnlyA: int64(4 * i), Of: 360}.Compare()
				x.Accuracy.Against = &d
			}
		}
	}
	r.settle()
	return r
}

// TestTable compares the table at several widths with files. No line of the table is wider than the screen,
// and no control character of a name gets there.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		width  int
		labels bool
	}{{0, true}, {80, true}, {80, false}, {120, true}, {120, false}} {
		name := fmt.Sprintf("table-%d.txt", c.width)
		if c.labels {
			name = fmt.Sprintf("table-%d-labels.txt", c.width)
		}
		w := &screen{width: c.width}
		if err := example(c.labels).WriteText(w); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, w.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || string(want) != w.String() {
			t.Errorf("%s, %v: got\n%s", name, err, w.String())
		}
		if strings.ContainsAny(w.String(), "\x1b\r") {
			t.Errorf("%s has a control character", name)
		}
		for line := range strings.Lines(w.String()) {
			if cells := strings.HasPrefix(line, "static") || strings.HasPrefix(line, "mode"); cells && c.width > 0 && ansi.StringWidth(strings.TrimRight(line, "\n")) > c.width {
				t.Errorf("%s: the row %q is wider than %d", name, line, c.width)
			}
		}
	}
}

// TestRatioOfPairs: the ratio of two medians that is not the one in the table is explained.
func TestRatioOfPairs(t *testing.T) {
	r := example(false)
	r.Rows[1].Time.P50 = 39
	var b strings.Builder
	if err := r.WriteText(&b); err != nil || !strings.Contains(b.String(), "\n"+bench.RatioOfPairs+"\n") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}
