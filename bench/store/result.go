package store

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"lathe/bench/profile"
	"lathe/graphops"
)

// Schema names the version of the envelope.
const Schema = "lathe.result/1"

// The kinds of results: the commands whose documents are kept.
const (
	KindBench    = "bench"
	KindValidate = "validate"
	KindQuantize = "quantize"
	KindProfile  = "profile"
)

// Result is a document of a command, and what was measured where.
type Result struct {
	Schema string    `json:"schema"`
	Kind   string    `json:"kind"`
	Time   time.Time `json:"time"` // when it was written, in UTC
	Lathe  string    `json:"lathe"`
	// Machine is where the models ran, the first of several.
	Machine Machine `json:"machine"`
	// Models are those that the command was about, the judged or changed one last.
	Models []Model `json:"models"`
	// Subjects are what was measured, in the order of the document's runs; empty of a
	// command that has none.
	Subjects []Subject `json:"subjects"`
	// Document is what the command answered.
	Document json.RawMessage `json:"result"`

	// File is where the result was read from; "" of one that was not.
	File string `json:"-"`

	trace *profile.Trace // that the result was made of, nil for most
}

// Model is a model by its content and where it was.
type Model struct {
	Path string `json:"path"` // as it was named
	// Absolute is the path from the root, on the machine that the file lies on; "" of a
	// model that is no file.
	Absolute string `json:"absolute,omitempty"`
	On       string `json:"on,omitempty"` // the launcher that leads to that machine
	Bytes    int64  `json:"bytes"`        // of the model with its weights, as it would be saved
	graphops.Digest
}

// Same reports whether two models hold the same, as far as their digests tell:
// where one lies out of reach, by the structure alone.
func (m Model) Same(other Model) bool {
	if m.Content != "" && other.Content != "" {
		return m.Content == other.Content
	}
	return m.Structure != "" && m.Structure == other.Structure
}

// Short is what of the content stands in names and tables.
func (m Model) Short() string {
	if m.Content != "" {
		return shortened(m.Content)
	}
	return shortened(m.Structure)
}

// shortDigits is how much of a sum tells files apart.
const shortDigits = 8

func shortened(sum string) string { return sum[:min(len(sum), shortDigits)] }

// Subject is one thing that was measured: a model under settings.
type Subject struct {
	Name  string `json:"name"`
	Model int    `json:"model"` // its place among Models
	// Settings are what decides what is measured, by the names of the options, and what came
	// of it: "runtime", "provider". What is left to the runtime is not among them.
	Settings Settings `json:"settings"`
	// Shapes are those of the inputs that it ran on, by name; empty where they are not known, as in
	// results of older versions.
	Shapes Shapes `json:"shapes,omitempty"`
}

// Shapes are sizes by the names of inputs.
type Shapes map[string][]int64

// text writes the shape of an input, "" for one that is not known.
func (s Shapes) text(input string) string {
	sizes, known := s[input]
	if known && len(sizes) == 0 {
		return "scalar"
	}
	words := make([]string, len(sizes))
	for i, n := range sizes {
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, "×")
}

// Settings are values by name.
type Settings map[string]string

// Names of settings that are no options.
const (
	SettingRuntime  = "runtime"  // the version of ONNX Runtime
	SettingProvider = "provider" // the one that attached
	SettingEP       = "ep"
	SettingBatch    = "batch"
)

// names of all settings of two.
func namesOf(a, b Settings) []string {
	all := maps.Clone(a)
	if all == nil {
		all = Settings{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// Names are those of the settings, in order.
func (s Settings) Names() []string { return slices.Sorted(maps.Keys(s)) }
