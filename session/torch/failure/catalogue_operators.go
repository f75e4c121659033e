package failure

import (
	"slices"
	"strconv"
	"strings"

	"lathe/graphops/pattern"
)

// ofOperators are failures because something that an operator needs is missing.
var ofOperators = []entry{
	{
		id:      "no-onnx-function",
		matches: func(r raised) (string, bool) { return strings.Join(r.raw.MissingOps, ", "), len(r.raw.MissingOps) > 0 },
		meaning: "the new exporter has no ONNX function for an operator",
		next:    withFunction,
	},
	{
		id:      "packed-weights",
		matches: hasPacked,
		meaning: "modules that torch.ao has quantized keep their weights packed, which the exporter cannot read",
		next:    withoutPacked,
	},
	{
		id:      "no-fake",
		matches: wantsFake,
		meaning: "an operator has no fake implementation, which returns the shape and type of its result without computing it",
		next:    withFake,
	},
	{
		id:      "old-exporter-lacks",
		matches: says(`(?:Exporting the operator '([^']+)' to ONNX opset version|unrecognized namespace ([\w:]+))`),
		meaning: "the old exporter has no symbolic function for an operator, at least at this opset",
		next:    withSymbolic,
	},
	{
		id:      "old-exporter-refuses",
		matches: says(`(?:Unsupported: ONNX export of (?:operator )?|ONNX does not support )([^.\[\n]*[^.\[\n\s])`),
		line:    refusedBy,
		meaning: "the old exporter knows the operator, but not in this use",
		next:    always(flags("use the new exporter", "--strategy", "non-strict,strict"), code("write that line with other operators")),
	},
	{
		id:      "no-kernel",
		matches: lacksKernel,
		meaning: "it was exported, but this ONNX Runtime has no kernel for an operator in that type",
		next:    always(flags("accept it; another provider may run it", "--no-check"), code("compute in float32: call model.float() before the export if the model is in that type, and remove casts to it, such as .to(torch.bfloat16) or torch.autocast")),
	},
}

func withFunction(r raised) []Suggestion {
	if space, _, ok := strings.Cut(r.about, "."); ok && space != "aten" && space != "prims" {
		return []Suggestion{
			flags("translate it with your own table, {torch.ops."+r.about+": function}", "--translations", "FILE.py:TABLE"),
			code("write it with operators of PyTorch"),
		}
	}
	return append(r.upgraded("a newer exporter may have it"),
		flags("translate it with your own table", "--translations", "FILE.py:TABLE"),
		flags("use the old exporter", "--strategy", "legacy"),
	)
}

// packedModules matches the files of torch.ao's modules with packed weights. Its reference modules
// are not among them, since they are ordinary modules.
var packedModules = pattern.New(`torch/ao/nn/(?:intrinsic/)?quantized/(?:dynamic/)?modules/`)

var (
	packedSays = says(`torch\.classes\.(?:quantized|rnn)\.(\w+) [^\n]*does not have a field`, `Exporting the operator '(quantized::\w+)' to ONNX`, `_unpack_quantized_weights\(\): incompatible`)
	capturing  = []string{"capture", "decompose", "translate", "export"}
)

func hasPacked(r raised) (string, bool) {
	if about, ok := packedSays(r); ok {
		return about, true
	}
	return "", slices.Contains(capturing, r.stage) && packedModules.MatchString(r.all)
}

// withoutPacked suggests to quantize after the export. The old exporter supports modules that are
// quantized statically.
func withoutPacked(r raised) []Suggestion {
	out := []Suggestion{code("export the float model, and quantize the exported model with lathe quantize dynamic")}
	if r.raw.Strategy != "legacy" && !strings.HasPrefix(r.about, "quantized::") {
		out = append(out, flags("use the old exporter, which knows some of them", "--strategy", "legacy"))
	}
	return out
}

var fakeSays = says(
	`no fake impl registered for <CustomOpDef\(([\w:.]+)\)>`,
	`([\w:.]+): attempted to run this operator with Meta tensors`,
	`(?s)does not support running with fake tensors.*?unsupported operator: ([\w:.]+)`,
	`UnsupportedOperatorException: ([\w:.]+)`,
	`Could not run '([\w:.]+)' with arguments from the 'Meta' backend`,
)

// wantsFake matches an operator whose result type PyTorch cannot determine. Some texts name it with
// its overload, which is removed.
func wantsFake(r raised) (string, bool) {
	about, ok := fakeSays(r)
	if space, rest, dotted := strings.Cut(about, "."); dotted && !strings.Contains(about, "::") {
		name, _, _ := strings.Cut(rest, ".")
		about = space + "::" + name
	}
	return about, ok
}

func withFake(r raised) []Suggestion {
	if isATen(r.about) {
		return []Suggestion{flags("use the old exporter, which runs the operator", "--strategy", "legacy"), code("write it with other operators of PyTorch")}
	}
	return []Suggestion{code(`register one: @torch.library.register_fake("` + r.about + `") on a function that returns an empty tensor of the result's shape and type`)}
}

// isATen reports whether an operator is PyTorch's own, and not one of a package or the user.
func isATen(op string) bool {
	return strings.HasPrefix(op, "aten::") || strings.HasPrefix(op, "prim::") || strings.HasPrefix(op, "prims::")
}

// newestSymbolic is the last opset that the old exporter supports.
const newestSymbolic = 20

var opsetText = pattern.New(`to ONNX opset version (\d+) is not supported`)

func withSymbolic(r raised) []Suggestion {
	if !isATen(r.about) {
		return []Suggestion{
			flags("register a symbolic function", "--symbolic", "FILE.py:REGISTER"),
			flags("let the new exporter translate it with your own table, {torch.ops."+strings.Replace(r.about, "::", ".", 1)+".default: function}", "--translations", "FILE.py:TABLE"),
		}
	}
	var out []Suggestion
	if m := opsetText.FindStringSubmatch(r.all); m != nil {
		if opset, err := strconv.Atoi(m[1]); err == nil && opset < newestSymbolic {
			out = append(out, flags("a later opset may have it", "--opset", strconv.Itoa(newestSymbolic)))
		}
	}
	return append(out, flags("use the new exporter", "--strategy", "non-strict,strict"), flags("register a symbolic function", "--symbolic", "FILE.py:REGISTER"))
}

var refusalText = pattern.New(`(?:Unsupported: )?(ONNX (?:export of|does not support) [^.\[\n]+)`)

// refusedBy returns the first sentence of a message that rejects an operator. It leaves out the
// request to report the problem, and the value that caused it.
func refusedBy(message string) string {
	if m := refusalText.FindStringSubmatch(message); m != nil {
		said := strings.TrimSpace(m[1])
		if strings.HasPrefix(said, "ONNX export of") {
			said += " is not supported"
		}
		return said
	}
	return ""
}

var kernelSays = says(`Could not find an implementation for (\w[\w.:]*\(\d+\))`, `NOT_IMPLEMENTED`)

func lacksKernel(r raised) (string, bool) {
	if r.stage != "run" {
		return "", false
	}
	return kernelSays(r)
}
