package check

// The codes of problems that only ONNX Runtime finds. The caller that loads the model with it
// reports them.
const (
	RuntimeRefused = "runtime-refused"
	RuntimeCrashed = "runtime-crashed"
)

// IsRuntimes reports whether a code is that of a problem that only ONNX Runtime finds.
func IsRuntimes(code string) bool {
	return code == RuntimeRefused || code == RuntimeCrashed
}

// runtimeRules explain these codes.
var runtimeRules = []Rule{
	{
		Code: RuntimeRefused, Severity: Error,
		Title: "ONNX Runtime does not load the model, and no check tells why",
		About: `With --runtime-load the model is loaded in ONNX Runtime as it would be to run it. Where that refuses it and one of the checks has found
an error at the same node, the two are told together. This code stands for the rest: a model that does not load though nothing here says
so. What it says is ONNX Runtime's own reason, with the node that it is about as far as its words tell.

A provider, a level of optimization or a library of operators can be the cause as well as the model. "--opt disable" tells the work of an
optimizer from the model; "--custom-ops LIB" brings operators of other domains; "--ep cpu" leaves providers out.`,
	},
	{
		Code: RuntimeCrashed, Severity: Error,
		Title: "ONNX Runtime crashes while it loads the model",
		About: `Some models end the process that loads them: a division by a size that is zero, a recursion without end, an attribute that nobody checks.
Lathe loads models in a process of its own, so that a crash there is a line of the report here, and looks for the node without which there
is no crash by loading ever smaller parts of the model.

Whatever program loads this model crashes as Lathe's worker did. Mend the node that is named, or try another version of ONNX Runtime with
"--runtime PATH", or "--opt disable" where an optimization is what crashes.`,
	},
}
