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

// runtimeRules are the texts that explain the codes of problems that only ONNX Runtime finds.
var runtimeRules = []Rule{
	{
		Code: RuntimeRefused, Severity: Error,
		Title: "ONNX Runtime does not load the model, and no check found the reason",
		About: `With --runtime-load, Lathe loads the model in ONNX Runtime in the same way as for a run. If ONNX
Runtime rejects it at a node where a check has found an error, both are reported together. This code
is for the other cases: the model does not load, but no check says why. The message is the reason
that ONNX Runtime gives, with the node if the message mentions one.

The cause may also be an execution provider, an optimization level or a library of custom operators.
With "--opt disable", the optimizer cannot be the cause. "--custom-ops LIB" adds operators of other
domains. "--ep cpu" uses no other providers.`,
	},
	{
		Code: RuntimeCrashed, Severity: Error,
		Title: "ONNX Runtime crashes while it loads the model",
		About: `Some models crash the process that loads them: a division by a size that is zero, an endless
recursion, an attribute that ONNX Runtime does not check. Lathe loads models in a separate process,
so such a crash is only a problem in the report. To find the responsible node, Lathe loads smaller
and smaller parts of the model.

Any other program that loads this model with this version of ONNX Runtime will crash too. Fix the
reported node, or try another version of ONNX Runtime with "--runtime PATH", or "--opt disable" if
an optimization causes the crash.`,
	},
}
