package modes

import (
	"lathe/bench"
	"lathe/graphops/tensor"
	"lathe/session/accuracy"
	"lathe/session/compare"
	"lathe/session/quantization"
	"lathe/session/reporting"
	"lathe/session/timing"
)

// Report is the comparison of the modes.
type Report struct {
	Schema   string `json:"schema"`
	Model    string `json:"model"`
	Provider string `json:"provider"` // as requested
	Original *Row   `json:"original"`
	Rows     []*Row `json:"rows"`
	// Inputs says what the errors are from: "generated inputs" or the name of the data.
	Inputs string `json:"inputs"`
	OnData bool   `json:"on_data"`
	// Labels says where the labels come from. It is "" without labels.
	Labels string `json:"labels,omitempty"`
	// Advice says which mode to take and why, as far as the numbers show it.
	Advice []Advice       `json:"advice"`
	Bench  *timing.Report `json:"bench"` // nil if nothing was timed
	// Stopped says why not all was measured, or "".
	Stopped string   `json:"stopped,omitempty"`
	Notes   []string `json:"notes"`
	Folder  string   `json:"folder,omitempty"` // of --keep
	reporting.Kept
}

// Row is a mode, or the original.
type Row struct {
	Mode string `json:"mode"`
	// Failed says why there is no result, or why it is not to be used. It is "" if there is one.
	Failed string `json:"failed"`
	// NotApplied is set if nothing failed: the mode has nothing to do in this model.
	NotApplied bool `json:"not_applied"`
	// Bytes is the size of the file, and Ratio its share of the original's.
	Bytes int64         `json:"bytes"`
	Ratio tensor.Number `json:"ratio"`
	// Quantized counts the nodes that the mode changed.
	Quantized int `json:"quantized_nodes"`
	// Calibrated says what static found its ranges on. It is "" for other modes.
	Calibrated string             `json:"calibrated_on,omitempty"`
	Error      *Error             `json:"error"`
	Time       *Time              `json:"time"`
	Accuracy   *accuracy.Score    `json:"accuracy"`
	Here       *quantization.Here `json:"here"`
	Notes      []string           `json:"notes"`
	Warnings   []string           `json:"warnings"`
	// Command makes and writes the result. It is "" if no command makes the same one.
	Command string               `json:"command,omitempty"`
	File    *reporting.SavedFile `json:"file,omitempty"`
}

// Error is how far the outputs of a result are from those of the original.
type Error struct {
	compare.Judged
	Headline string `json:"headline"`
	// SNR is the signal-to-noise ratio over all cases at Output, the output where it is lowest. Worst is
	// that of its worst case.
	SNR    *tensor.Number `json:"snr_db"`
	Worst  *tensor.Number `json:"worst_snr_db"`
	Output string         `json:"output"`
	// MaxAbs is the largest difference of an element, at MaxOutput in case MaxCase. MaxIndex is nil if
	// another element uses more of its tolerance, because the place of this one is then not known.
	MaxAbs    *tensor.Number `json:"max_abs"`
	MaxOutput string         `json:"max_output"`
	MaxCase   string         `json:"max_case"`
	MaxIndex  []int64        `json:"max_index"`
}

// Time is the latency of a model.
type Time struct {
	P50  tensor.Number     `json:"p50_ms"`
	CI95 *[2]tensor.Number `json:"ci95_ms"`
	// Ratio is that to the original's, from rounds in which both were measured. It is nil for the original.
	Ratio     *tensor.Number    `json:"ratio"`
	RatioCI95 *[2]tensor.Number `json:"ratio_ci95"`
	// Significant says that the latencies differ with 99 % confidence.
	Significant bool   `json:"significant"`
	Noise       string `json:"noise,omitempty"`
}

// Advice is a mode to take, with the reason.
type Advice struct {
	For  string `json:"for"`  // what it is best for, one of the constants below, or ""
	Mode string `json:"mode"` // "" if no mode is to be taken
	Text string `json:"text"`
}

// ran reports whether the row is a result that ran.
func (r *Row) ran() bool { return r.Failed == "" && r.Error != nil }

// timeOf returns the time of a run, compared with the original if c is not nil.
func timeOf(b *timing.Report, run bench.Run, c *bench.Comparison) *Time {
	t := &Time{P50: run.P50, CI95: run.CI95}
	if c == nil {
		t.Noise = b.Noise(run.Name)
		return t
	}
	ratio := tensor.Number(c.Centre())
	t.Ratio, t.RatioCI95, t.Significant, t.Noise = &ratio, c.CI95, c.Significant, b.PairNoise(*c)
	return t
}
