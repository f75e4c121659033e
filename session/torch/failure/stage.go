package failure

import (
	"strings"

	"lathe/graphops/pattern"
)

// summary matches the exception that an exporter's message repeats, because its traceback is far
// above.
var summary = pattern.New(`(?s)## Exception summary\s+<class '([\w.]+)'>: (.*?)(?:\n\s*\(Refer to the full stack trace|$)`)

// withSummaries adds the exceptions that the messages of wrappers mention, if only the wrappers
// were pasted.
func withSummaries(chain []Exception) []Exception {
	out := chain
	for _, x := range chain {
		m := summary.FindStringSubmatch(plain(x.Message))
		if m == nil {
			continue
		}
		inner := Exception{Message: strings.TrimSpace(m[2])}
		inner.named(m[1])
		known := false
		for _, other := range chain {
			known = known || other.Class == inner.Class
		}
		if !known {
			out = append(out, inner)
		}
	}
	return out
}

var missingModule = pattern.New(`No module named '([\w.]+)'`)

// missingOf returns the package that an import lacked, or "".
func missingOf(chain []Exception) string {
	for _, x := range chain {
		if x.Class == "ModuleNotFoundError" || x.Class == "ImportError" {
			if m := missingModule.FindStringSubmatch(x.Message); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// stages maps code of PyTorch to the stage at which it runs, the most specific first. The patterns
// match files, or classes with their modules.
var stages = []struct {
	at    *pattern.Pattern
	stage string
}{
	{pattern.New(`torch/onnx/_internal/exporter/_decomp|run_decompositions`), "decompose"},
	{pattern.New(`torch/onnx/_internal/exporter/_(?:building|dispatching)|_translate_fx_graph|_internal\.exporter\._errors\.(?:ConversionError|DispatchError|GraphConstructionError)`), "translate"},
	{pattern.New(`torch/_dynamo/|torch/export/_trace|torch/_export/|torch/export/__init__|torch\._dynamo\.|torch/onnx/_internal/exporter/_capture|torch\.fx\.experimental\.symbolic_shapes`), "capture"},
	{pattern.New(`torch/onnx/|torch\.onnx\.|torch/export/|torch/jit/|torch\.jit\.`), "export"},
	{pattern.New(`onnxruntime/capi/|onnxruntime\.capi|onnx/checker`), "validate"},
	{pattern.New(`torch/serialization|in load_state_dict|state_dict for `), "load"},
	{pattern.New(`torch/nn/modules/module`), "forward"},
}

// stageOfChain returns the stage at which PyTorch code raised a chain, or "" if none did.
func stageOfChain(chain []Exception) string {
	var b strings.Builder
	for _, x := range chain {
		b.WriteString(x.Module + "." + x.Class + ": " + x.Message + "\n")
		for _, f := range x.Frames {
			b.WriteString(slashed(f.File) + " in " + f.Function + "\n")
		}
	}
	said := ends(b.String())
	for _, s := range stages {
		if s.at.MatchString(said) {
			return s.stage
		}
	}
	return ""
}

// slashed converts Windows path separators to slashes.
func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }
