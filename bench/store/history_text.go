package store

import (
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"lathe/bench"
	"lathe/session/text"
)

// plainWidth is the width of a chart in columns if the terminal's width is not known.
const plainWidth = 80

// WriteText writes the history as text for people.
func (h *History) WriteText(w io.Writer) error { return h.WriteWrapped(w, plainWidth) }

// WriteWrapped writes charts that are width columns wide, and the table of results below them.
func (h *History) WriteWrapped(w io.Writer, width int) error {
	p := text.NewPrinter(w)
	switch {
	case len(h.Results) == 0 && h.Model != "":
		p.Line("nothing measured of %s is stored in %s", text.Clean(h.Model), text.Clean(h.Folder))
	case len(h.Results) == 0:
		p.Line("nothing measured is stored in %s", text.Clean(h.Folder))
	default:
		for _, s := range seriesOf(h.wanted) {
			for _, line := range s.charts(width) {
				p.Line("%s", line)
			}
		}
		p.Table(h.table())
	}
	if h.Older > 0 {
		p.Line("%d more are older: --limit %d shows them", h.Older, h.Older+len(h.Results))
	}
	if len(h.Elsewhere) > 0 {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(h.Elsewhere)) {
			list = append(list, fmt.Sprintf("%s %d", text.Clean(name), h.Elsewhere[name]))
		}
		p.Line("results of other machines: %s; --machine NAME shows those of one machine, --all shows all", strings.Join(list, ", "))
	}
	for _, s := range h.Skipped {
		p.Line("warning: %s: %s", text.Clean(s.File), text.CleanLine(s.Reason))
	}
	return p.Err()
}

// table lists the results, the newest first.
func (h *History) table() text.Table {
	t := text.Table{Titles: []string{"when", "what", "model", "content", ">p50", ">95 % interval", "", ">size", ">SNR", ">accuracy", "settings"}}
	varied := variedOf(h.wanted)
	for _, e := range h.Results {
		size := "-"
		if e.Bytes > 0 {
			size = text.Bytes(e.Bytes)
		}
		t.Add(e.Time.Local().Format("2006-01-02 15:04"), e.Kind, text.Clean(path.Base(e.Model)), text.Clean(shortened(e.Content)),
			latencyOf(e.P50), e.interval(), e.noise(), size, e.errorText(), e.accuracyText(), text.CleanLine(e.settingsText(varied[e.Absolute])))
	}
	return withoutAccuracy(t)
}

// accuracyColumn is the column of what lathe accuracy measured.
const accuracyColumn = 9

// withoutAccuracy removes the column of accuracies if it is empty.
func withoutAccuracy(t text.Table) text.Table {
	if slices.ContainsFunc(t.Rows, func(row []string) bool { return row[accuracyColumn] != "" }) {
		return t
	}
	t.Titles = slices.Delete(t.Titles, accuracyColumn, accuracyColumn+1)
	for i, row := range t.Rows {
		t.Rows[i] = slices.Delete(row, accuracyColumn, accuracyColumn+1)
	}
	return t
}

// accuracyText formats what lathe accuracy measured. It is empty for other results.
func (e Entry) accuracyText() string {
	switch {
	case e.Top1 != nil:
		return fmt.Sprintf("%.2f %%", 100*float64(*e.Top1))
	case e.Perplexity != nil:
		return fmt.Sprintf("perplexity %.4f", float64(*e.Perplexity))
	case e.Score != nil:
		return fmt.Sprintf("score %.6g", float64(*e.Score))
	}
	return ""
}

// interval formats the interval of the median in the unit that is used for the median.
func (e Entry) interval() string {
	if e.P50 == nil {
		return "-"
	}
	return bench.IntervalText(*e.P50, e.CI95)
}

// noise returns "noisy" for a noisy measurement, otherwise "".
func (e Entry) noise() string {
	if e.Noise == "" {
		return ""
	}
	return "noisy"
}

func (e Entry) errorText() string {
	s := "-"
	switch {
	case e.SNR != nil && math.IsInf(float64(*e.SNR), 1):
		s = "equal"
	case e.SNR != nil:
		s = fmt.Sprintf("%.1f dB", float64(*e.SNR))
	}
	if e.Judged == Fail || e.Judged == Undecided {
		s += " " + e.Judged
	}
	return s
}

func latencyOf(ms *bench.Number) string {
	if ms == nil {
		return "-"
	}
	return bench.Latency(*ms)
}

// charts returns the lines of a series: its title and one line with a chart for each number that
// was measured more than once.
func (s *series) charts(width int) []string {
	var out []string
	for _, figure := range []struct {
		name  string
		of    func(Entry) *bench.Number
		write func(bench.Number) string
	}{
		{"latency", func(e Entry) *bench.Number { return e.P50 }, bench.Latency},
		{"size", func(e Entry) *bench.Number {
			n := bench.Number(e.Bytes)
			return &n
		}, func(n bench.Number) string { return text.Bytes(int64(n)) }},
		{"top-1", func(e Entry) *bench.Number { return e.Top1 }, func(n bench.Number) string { return fmt.Sprintf("%.2f %%", 100*float64(n)) }},
		{"perplexity", func(e Entry) *bench.Number { return e.Perplexity }, func(n bench.Number) string { return fmt.Sprintf("%.4f", float64(n)) }},
		{"score", func(e Entry) *bench.Number { return e.Score }, func(n bench.Number) string { return fmt.Sprintf("%.6g", float64(n)) }},
		{"SNR", func(e Entry) *bench.Number { return e.SNR }, func(n bench.Number) string { return fmt.Sprintf("%.1f dB", float64(n)) }},
	} {
		var values []float64
		for _, e := range s.entries {
			if v := figure.of(e); v != nil && !math.IsInf(float64(*v), 0) && !math.IsNaN(float64(*v)) {
				values = append(values, float64(*v))
			}
		}
		if len(values) < 2 || figure.name == "size" && slices.Min(values) == slices.Max(values) {
			continue
		}
		first, last := values[0], values[len(values)-1]
		label := fmt.Sprintf("%-8s", figure.name)
		end := fmt.Sprintf("  %s → %s", figure.write(bench.Number(first)), figure.write(bench.Number(last)))
		if first > 0 && figure.name != "SNR" {
			end += fmt.Sprintf(" (%+.1f %%)", 100*(last/first-1))
		}
		if s.ends(Entry.noise) && figure.name == "latency" {
			end += ", noisy"
		}
		out = append(out, label+sparkline(values, max(width-len(label)-len([]rune(end)), 8))+end)
	}
	if len(out) > 0 {
		out = append([]string{text.CleanLine(s.title)}, append(out, "")...)
	}
	return out
}

// ends reports whether said returns a text for the first or the last entry, which are the two that
// a chart names.
func (s *series) ends(said func(Entry) string) bool {
	return said(s.entries[0]) != "" || said(s.entries[len(s.entries)-1]) != ""
}

// sparkline draws values as a row of bars with eight possible heights, in at most columns columns.
// If there are more values than columns, neighbouring values share a column, which shows their
// median.
func sparkline(values []float64, columns int) string {
	if len(values) > columns {
		shared := make([]float64, columns)
		for i := range shared {
			of := slices.Sorted(slices.Values(values[i*len(values)/columns : (i+1)*len(values)/columns]))
			shared[i] = of[len(of)/2]
		}
		values = shared
	}
	low, high := slices.Min(values), slices.Max(values)
	var b strings.Builder
	for _, v := range values {
		height := 0
		if high > low {
			height = int(math.Round(7 * (v - low) / (high - low)))
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[height])
	}
	return b.String()
}
