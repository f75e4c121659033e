package command

import "github.com/spf13/cobra"

// Groups of commands, as --help shows them.
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

// listing is how a step stands among the commands: its group, and a line that
// runs on models in testdata.
type listing struct{ group, example string }

var listings = map[string]listing{
	"inspect":      {groupLook, "lathe inspect testdata/digits.onnx --nodes --filter 'op:Conv,Gemm params>1K'"},
	"check":        {groupLook, "lathe check testdata/digits.onnx --weights"},
	"prune":        {groupChange, "lathe prune testdata/digits.onnx --output features -o features.onnx"},
	"axes":         {groupChange, "lathe axes testdata/digits.onnx --dynamic input:0=batch -o dynamic.onnx"},
	"annotate":     {groupEdit, "lathe annotate testdata/digits.onnx --value input=f32[batch,1,8,8] -o annotated.onnx"},
	"attribute":    {groupEdit, "lathe attribute testdata/digits.onnx --node /fc1/Gemm --set alpha=0.5 -o scaled.onnx"},
	"bypass":       {groupEdit, "lathe bypass testdata/digits.onnx --node /Relu_1 -o bypassed.onnx"},
	"constants":    {groupEdit, "lathe constants to-nodes testdata/digits.onnx -o nodes.onnx"},
	"delete":       {groupEdit, "lathe delete testdata/scalar_f16.onnx --node largest --downstream --unused -o deleted.onnx"},
	"insert":       {groupEdit, "lathe insert testdata/digits.onnx --value logits --at-output --op cast --to f16 -o cast.onnx"},
	"merge":        {groupEdit, "lathe merge testdata/external.onnx --with testdata/function.onnx -o both.onnx"},
	"metadata":     {groupEdit, "lathe metadata testdata/digits.onnx --set task=digits --doc 'reads one digit' -o described.onnx"},
	"rename":       {groupEdit, "lathe rename testdata/digits.onnx --value input=image --value logits=scores -o renamed.onnx"},
	"export":       {groupChange, "lathe export testdata/digits.onnx --output features -o features.onnx"},
	"torch export": {"", "lathe torch export testdata/torch/mlp.py:make --dynamic x.dense:0=batch --dynamic x.more.0:0=batch --dynamic x.more.1:0=batch --dynamic mask:0=batch -o mlp.onnx"},
	"torch task":   {"", "lathe torch task text-classification testdata/torch/tasks.py:own --quantize -o own.onnx"},
	"simplify":     {groupChange, "lathe simplify testdata/text_classifier.onnx --fuse -o small.onnx"},
	"optimize":     {groupChange, "lathe optimize testdata/digits_batch1.onnx --level extended -o optimized.onnx"},
	"quantize":     {groupChange, "lathe quantize dynamic testdata/digits.onnx -o digits.int8.onnx"},
	"run-model":    {groupRun, "lathe run-model testdata/digits.onnx --values features"},
	"validate":     {groupRun, "lathe validate testdata/digits.onnx digits.int8.onnx --data testdata/digits_test.npz"},
	"diff":         {groupRun, "lathe diff testdata/digits.onnx testdata/digits_batch1.onnx --weights"},
	"profile":      {groupRun, "lathe profile testdata/digits.onnx --seconds 1"},
	"bench":        {groupRun, "lathe bench testdata/digits.onnx digits.int8.onnx --seconds 5"},
	"report":       {groupRun, "lathe report base.json digits.json -o report.html"},
}
