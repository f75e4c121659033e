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

// Schema is the name and version of the envelope in which a result is stored.
const Schema = "lathe.result/1"

// The kinds of results. Each is the name of the command whose document is kept, or its last word.
const (
	KindBench    = "bench"
	KindValidate = "validate"
	KindQuantize = "quantize"
	KindProfile  = "profile"
	// KindSensitivity is the list of quantize sensitivity.
	KindSensitivity = "sensitivity"
	KindAccuracy    = "accuracy"
	// KindCompare is the table of quantize compare.
	KindCompare = "compare"
)

// Result is the JSON document of a command in its envelope, which says what was measured, when and
// where.
type Result struct {
	Schema string    `json:"schema"`
	Kind   string    `json:"kind"`
	Time   time.Time `json:"time"` // when it was written, in UTC
	Lathe  string    `json:"lathe"`
	// Machine is the machine on which the models ran. If there are several, it is the first.
	Machine Machine `json:"machine"`
	// Models are the models that the command used. The model that was compared with another one, or
	// that was changed, is last.
	Models []Model `json:"models"`
	// Subjects are what was measured, in the order of the document's runs. It is empty for commands
	// without subjects.
	Subjects []Subject `json:"subjects"`
	// Document is the --json output of the command.
	Document json.RawMessage `json:"result"`
	// Text is the report as it was printed, so that it can be shown again. It is empty in results of
	// older versions of Lathe.
	Text string `json:"text,omitempty"`

	// File is the file that the result was read from, or "".
	File string `json:"-"`

	trace *profile.Trace // the trace that the result was made from; usually nil
}

// Model identifies a model by its content and its location.
type Model struct {
	Path string `json:"path"` // as the user gave it
	// Absolute is the absolute path on the machine that has the file; empty if the model is not a
	// file.
	Absolute string `json:"absolute,omitempty"`
	On       string `json:"on,omitempty"` // the launcher to that machine
	Bytes    int64  `json:"bytes"`        // size of the model with its weights when saved
	graphops.Digest
	// Origin says how the model was made; nil if that is not known.
	Origin *Origin `json:"origin,omitempty"`
}

// Origin says which model another one was made from.
type Origin struct {
	graphops.Digest          // of the model that was opened
	Steps           []string `json:"steps"` // names of the steps that made the other model from it, in order
}

// Same reports whether two models have the same content according to their digests. If the weights
// of one could not be read, only the structure is compared.
func (m Model) Same(other Model) bool {
	if m.Content != "" && other.Content != "" {
		return m.Content == other.Content
	}
	return m.Structure != "" && m.Structure == other.Structure
}

// Short returns the first digits of the model's checksum, for file names and tables.
func (m Model) Short() string {
	if m.Content != "" {
		return shortened(m.Content)
	}
	return shortened(m.Structure)
}

// shortDigits is how many digits of a checksum are shown, which is enough to distinguish a user's
// models.
const shortDigits = 8

func shortened(sum string) string { return sum[:min(len(sum), shortDigits)] }

// Subject is one thing that was measured: a model with settings.
type Subject struct {
	Name  string `json:"name"`
	Model int    `json:"model"` // index into Models
	// Settings are the options that determine what is measured, by name. They also contain what the
	// options resulted in: "runtime" is the version of ONNX Runtime, and "provider" the provider
	// that was attached. Options that were left to the runtime are not included.
	Settings Settings `json:"settings"`
	// Shapes are the shapes of the inputs by name; empty if not known, as in results of older
	// versions.
	Shapes Shapes `json:"shapes,omitempty"`
}

// Shapes are the shapes of inputs, by name.
type Shapes map[string][]int64

// text returns the shape of an input as text, or "" if it is not known.
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

// Settings are the values of options, by name.
type Settings map[string]string

// Names of settings that other code refers to. SettingRuntime and SettingProvider are not options
// but what the options resulted in.
const (
	SettingRuntime  = "runtime"  // the version of ONNX Runtime
	SettingProvider = "provider" // the provider that was attached
	SettingEP       = "ep"
	SettingBatch    = "batch"
	SettingThreads  = "threads" // within an operator; missing if the runtime chose it
)

// namesOf returns the names of the settings that are in a or in b, sorted.
func namesOf(a, b Settings) []string {
	all := maps.Clone(a)
	if all == nil {
		all = Settings{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// Names returns the names of the settings in order.
func (s Settings) Names() []string { return slices.Sorted(maps.Keys(s)) }
