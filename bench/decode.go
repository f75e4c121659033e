package bench

import (
	"fmt"
	"io"
	"strings"

	"lathe/session/text"
)

// Decode says which work of a language model the runs are, with the keys of `lathe bench --json`.
type Decode struct {
	// Test is the work in the words of llama-bench: "pp512" is a prompt of 512 tokens, and "tg128" the
	// generation of 128 tokens, one in each run. Depth is the number of positions in the caches before.
	Test   string `json:"test"`
	Tokens int64  `json:"tokens"` // of each sequence in one run
	Depth  int64  `json:"depth"`
	// DepthBy is how the caches came to the depth: "prompt", or "random values". It is empty at depth 0.
	DepthBy string `json:"depth_by,omitempty"`
	// PerS is how many tokens per second all sequences together have, by the median of a run, and CI95
	// its interval. Tokens of a prompt are those that are read, others those that are chosen.
	PerS Number     `json:"tokens_per_s"`
	CI95 *[2]Number `json:"tokens_per_s_ci95"`
	// Cache is how the present of a run becomes the past of the next one: "shared", "swapped" or
	// "copied". CacheKept has the number of caches if they differ.
	Cache      string `json:"cache"`
	CacheKept  string `json:"cache_kept"`
	CacheBytes int64  `json:"cache_bytes"` // of the caches at the end of the test, one of the two if they are swapped
	OnDevice   bool   `json:"cache_on_device"`
	// Chosen is where the token with the best score is chosen. On a device, neither scores nor ids are
	// copied to the host, only the numbers of the tokens.
	Chosen string `json:"chosen_on"`
	// Lathe is the part of a run, in the median, in which not ONNX Runtime works but Lathe: it prepares
	// inputs, and chooses the token, if this does not happen on a device.
	Lathe Number `json:"lathe_ms"`
}

// The values of Decode.Chosen.
const (
	ChosenOnHost   = "host"
	ChosenOnDevice = "device"
)

// IsPrompt reports whether runs read a prompt.
func (d *Decode) IsPrompt() bool { return strings.HasPrefix(d.Test, "pp") }

// Work is what the runs of a language model do: "prompt" or "token". It is "" for other models. Runs
// of one kind take many times as long as those of the other, so that they are not drawn together.
func (f *Facts) Work() string {
	switch {
	case f.Decode == nil:
		return ""
	case f.Decode.IsPrompt():
		return "prompt"
	}
	return "token"
}

// Name is the test with its depth, as llama-bench writes it: "tg128 @ d2048".
func (d *Decode) Name() string {
	if d.Depth == 0 {
		return d.Test
	}
	return fmt.Sprintf("%s @ d%d", d.Test, d.Depth)
}

// Timed returns d with the tokens per second of a run. d may be nil.
func (d *Decode) Timed(r *Run) *Decode {
	if d == nil {
		return nil
	}
	out := *d
	tokens := Number(d.Tokens * max(r.Batch, 1) * 1000)
	out.PerS = tokens / r.P50
	if r.CI95 != nil {
		out.CI95 = &[2]Number{tokens / r.CI95[1], tokens / r.CI95[0]}
	}
	return &out
}

// String says how the caches are kept and how long Lathe itself takes.
func (d *Decode) String() string {
	s := fmt.Sprintf("cache %s, %s", text.Clean(d.CacheKept), text.Bytes(d.CacheBytes))
	if d.OnDevice {
		s += " on the device"
		if d.Chosen == ChosenOnDevice {
			s += ", where tokens are chosen"
		}
	}
	if d.DepthBy != "" {
		s += fmt.Sprintf(", at depth %d by %s", d.Depth, text.Clean(d.DepthBy))
	}
	return s + fmt.Sprintf("; %s of a run is Lathe's own work", Latency(d.Lathe))
}

// rate formats tokens per second.
func (d *Decode) rate() string {
	return PerSecond(d.PerS) + " t/s" + strings.TrimSuffix(" ("+d.interval()+")", " (-)")
}

func (d *Decode) interval() string {
	if d.CI95 == nil {
		return "-"
	}
	return PerSecond(d.CI95[0]) + " … " + PerSecond(d.CI95[1])
}

// DecodeMemory says what the memory of a language model that generates is for, in bytes.
type DecodeMemory struct {
	Weights int64 `json:"weights_bytes"` // as stored in the model
	Cache   int64 `json:"cache_bytes"`   // with all positions; one of the two if they are swapped
	// Workspace is by how much the memory grew after the model was loaded, without the cache: of the
	// device if it counts its memory, otherwise of the process. Null means not known.
	Workspace *int64 `json:"workspace_bytes"`
}

// NewDecodeMemory divides the memory in use.
func NewDecodeMemory(m *Memory, weights, cache int64) *DecodeMemory {
	out := &DecodeMemory{Weights: weights, Cache: cache}
	before, after := m.Load.Resident, m.Steady.Resident
	if m.Load.Device != nil && m.Steady.Device != nil {
		before, after = m.Load.Device, m.Steady.Device
	}
	if before != nil && after != nil {
		rest := max(*after-*before-cache, 0)
		out.Workspace = &rest
	}
	return out
}

// String describes the parts.
func (d *DecodeMemory) String() string {
	s := fmt.Sprintf("weights %s, cache %s", text.Bytes(d.Weights), text.Bytes(d.Cache))
	if d.Workspace != nil {
		s += fmt.Sprintf(", workspace %s", text.Bytes(*d.Workspace))
	}
	return s
}

// Decodes reports whether the runs are those of language models that generate.
func (r *Report) Decodes() bool { return len(r.Runs) > 0 && r.Runs[0].Decode != nil }

// DecodeHeadlines returns for each model how fast it reads a prompt and generates, at the first depth.
func (r *Report) DecodeHeadlines() (lines []string) {
	seen := map[Place]int{}
	var names [][]string
	depth := r.Runs[0].Decode.Depth
	for _, run := range r.Runs {
		d, at := run.Decode, run.Place
		at.Test = 0
		i, ok := seen[at]
		if !ok {
			i = len(lines)
			seen[at] = i
			names = append(names, nil)
			name := strings.TrimSuffix(run.Name, " "+d.Name())
			lines = append(lines, fmt.Sprintf("%s: %s cache%s", text.Clean(name), text.Clean(d.Cache), run.conditions()))
		}
		if d.Depth != depth {
			continue
		}
		lines[i] += fmt.Sprintf("; %s %s", text.Clean(d.Name()), d.rate())
		if d.IsPrompt() {
			lines[i] += ", first token after " + Latency(run.P50)
		} else {
			lines[i] += ", " + Latency(run.P50) + " a token"
		}
		names[i] = append(names[i], run.Name)
	}
	for i := range lines {
		lines[i] = withNoise(lines[i], r.Noise(names[i]...))
	}
	return lines
}

// WriteDecode writes the table of tokens per second, and below it everything else that is known.
func (r *Report) WriteDecode(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("")
	p.Table(decodeTable(r.Runs))
	if advice := r.Advice(); advice != "" {
		p.Line("%s", advice)
	}
	if err := p.Err(); err != nil {
		return err
	}
	return r.writeFacts(w)
}

// decodeTable has the columns that llama-bench has, as far as they differ between runs.
func decodeTable(runs []Run) text.Table {
	t := text.Table{Titles: []string{"", "test", ">depth", ">t/s", ">95 % interval", ">time", "of"}}
	names := make([]Run, len(runs))
	for i, run := range runs {
		names[i] = run
		names[i].Name = strings.TrimSuffix(run.Name, " "+run.Decode.Name())
	}
	labels := map[string]string{}
	var distinctRuns []Run
	for _, run := range names {
		if _, ok := labels[run.Name]; !ok {
			labels[run.Name] = ""
			distinctRuns = append(distinctRuns, run)
		}
	}
	for i, label := range Labels(distinctRuns, labelWidth) {
		labels[distinctRuns[i].Name] = label
	}
	for i, run := range runs {
		d, of := run.Decode, "a token"
		if d.IsPrompt() {
			of = "the prompt"
		}
		t.Add(labels[names[i].Name], text.Clean(d.Test), text.Count(d.Depth), PerSecond(d.PerS), d.interval(), Latency(run.P50), of)
	}
	return t
}

// Merge adds the runs of another measurement of the same machine.
func (r *Report) Merge(o *Report) {
	r.Runs = append(r.Runs, o.Runs...)
	r.Comparisons = append(r.Comparisons, o.Comparisons...)
}
