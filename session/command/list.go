package command

import (
	"slices"

	"github.com/spf13/cobra"
)

// The groups of commands in --help.
const (
	groupLook   = "look"
	groupChange = "change"
	groupEdit   = "edit"
	groupRun    = "run"
	groupMore   = "more"
)

var groups = []*cobra.Group{
	{ID: groupLook, Title: "Look"},
	{ID: groupChange, Title: "Cut and convert"},
	{ID: groupEdit, Title: "Edit"},
	{ID: groupRun, Title: "Run and compare"},
	{ID: groupMore, Title: "More"},
}

// listing has the group and the example with which a step appears in the help.
type listing struct {
	group   string
	example string
	// files maps the file names in the example to files in testdata, for the test that runs it.
	// model.onnx is testdata/digits.onnx unless the map has it.
	files map[string]string
}

// aliases are other names for commands that people are likely to type.
var aliases = map[string][]string{
	"inspect": {"info", "show"}, "bench": {"benchmark"}, "validate": {"compare"}, "export": {"convert"},
	"quantize float16": {"fp16", "f16"}, "quantize bfloat16": {"bf16"},
}

// commandOf returns the command that a word names, directly or as an alias.
func commandOf(word string) string {
	for name, others := range aliases {
		if slices.Contains(others, word) {
			return name
		}
	}
	return word
}

// on makes the map of an example's files from pairs: a name and a file in testdata.
func on(pairs ...string) map[string]string {
	files := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = pairs[i+1]
	}
	return files
}

var listings = map[string]listing{
	"inspect":              {groupLook, "lathe inspect model.onnx --nodes --filter 'op:Conv,Gemm params>1K'", nil},
	"check":                {groupLook, "lathe check model.onnx --weights", nil},
	"prune":                {groupChange, "lathe prune model.onnx --output features -o features.onnx", nil},
	"axes":                 {groupChange, "lathe axes model.onnx --dynamic input:0=batch -o dynamic.onnx", nil},
	"annotate":             {groupEdit, "lathe annotate model.onnx --value input=f32[batch,1,8,8] -o annotated.onnx", nil},
	"attribute":            {groupEdit, "lathe attribute model.onnx --node /fc1/Gemm --set alpha=0.5 -o scaled.onnx", nil},
	"bypass":               {groupEdit, "lathe bypass model.onnx --node /Relu_1 -o bypassed.onnx", nil},
	"constants":            {groupEdit, "lathe constants to-nodes model.onnx -o nodes.onnx", nil},
	"delete":               {groupEdit, "lathe delete model.onnx --node largest --downstream -o deleted.onnx", on("model.onnx", "scalar_f16.onnx")},
	"insert":               {groupEdit, "lathe insert model.onnx --value logits --at-output --op cast --to f16 -o cast.onnx", nil},
	"merge":                {groupEdit, "lathe merge model.onnx --with next.onnx -o both.onnx", on("model.onnx", "external.onnx", "external.data", "external.data", "next.onnx", "function.onnx")},
	"metadata":             {groupEdit, "lathe metadata model.onnx --set task=digits --doc 'reads one digit' -o described.onnx", nil},
	"rename":               {groupEdit, "lathe rename model.onnx --value input=image --value logits=scores -o renamed.onnx", nil},
	"replace":              {groupEdit, "lathe replace model.onnx --node /layers.0/Div --node /layers.0/Erf --node /layers.0/Add_1 --node /layers.0/Mul --node /layers.0/Mul_1 --op com.microsoft::Gelu -o gelu.onnx", on("model.onnx", "text_classifier.onnx")},
	"export":               {groupChange, "lathe export model.onnx --output features -o features.onnx", nil},
	"torch export":         {"", "lathe torch export model.py:resnet --dynamic input:0=batch -o resnet.onnx", on("model.py", "torch/models.py")},
	"torch task":           {"", "lathe torch task text-classification model.py:own --quantize -o classifier.onnx", on("model.py", "torch/tasks.py")},
	"simplify":             {groupChange, "lathe simplify model.onnx --fuse -o small.onnx", on("model.onnx", "text_classifier.onnx")},
	"optimize":             {groupChange, "lathe optimize model.onnx --opt extended -o optimized.onnx", on("model.onnx", "digits_batch1.onnx")},
	"quantize dynamic":     {"", "lathe quantize dynamic model.onnx -o model.int8.onnx", nil},
	"quantize static":      {"", "lathe quantize static model.onnx --data samples.npz -o model.int8.onnx", on("samples.npz", "digits_test.npz")},
	"quantize float16":     {"", "lathe quantize float16 model.onnx -o model.f16.onnx", nil},
	"quantize bfloat16":    {"", "lathe quantize bfloat16 model.onnx -o model.bf16.onnx", nil},
	"quantize nbits":       {"", "lathe quantize nbits model.onnx --bits 8 -o model.nbits.onnx", on("model.onnx", "text_classifier.onnx")},
	"quantize sensitivity": {"", "lathe quantize sensitivity model.onnx --mode nbits --bits 4 --data samples.npz", on("model.onnx", "text_classifier.onnx", "samples.npz", "text_test.npz")},
	"quantize auto":        {"", "lathe quantize auto model.onnx --target 'snr>=35dB' --data samples.npz --samples 20", on("samples.npz", "digits_test.npz")},
	"quantize compare":     {"", "lathe quantize compare model.onnx --data samples.npz --seconds 1", on("samples.npz", "digits_test.npz")},
	"run-model":            {groupRun, "lathe run-model model.onnx --value features", nil},
	"validate":             {groupRun, "lathe validate model.onnx model.int8.onnx --data samples.npz", nil},
	"accuracy":             {groupRun, "lathe accuracy model.onnx model.int8.onnx --data samples.npz", on("samples.npz", "digits_test.npz")},
	"diff":                 {groupRun, "lathe diff model.onnx other.onnx --weights", nil},
	"profile":              {groupRun, "lathe profile model.onnx --seconds 1", nil},
	"bench":                {groupRun, "lathe bench model.onnx model.int8.onnx --seconds 5", nil},
	"report":               {groupRun, "lathe report base.json model.json -o report.html", nil},
}
