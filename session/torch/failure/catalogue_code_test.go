package failure

import "testing"

// TestScript: the line that TorchScript does not compile is in its message, drawn; on the stack is
// who called torch.jit.script.
func TestScript(t *testing.T) {
	const (
		lambda = "Lambda aren't supported:\n  File \"/home/user/net.py\", line 5\n    def forward(self, x):\n        d = {\"a\": x}\n        return [v for k, v in sorted(d.items(), key=lambda kv: kv[0])]\n" +
			"                                                    ~ <--- HERE\n"
		typed = "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!):\nCould not match type int to t in argument 'el'.\n:\n  File \"/home/user/net.py\", line 13\n        y=[]\n        y.append(x)\n        y.append(3)\n        ~~~~~~~~ <--- HERE\n        return y\n"
		lines = "z is not defined in the false branch:\n  File \"/home/user/net.py\", line 25\n    def forward(self,x):\n        if x.sum()>0:\n        ~~~~~~~~~~~~~\n            z=x\n            ~~~ <--- HERE\n        return z\n" +
			"and was used here:\n  File \"/home/user/net.py\", line 27\n            z=x\n        return z\n               ~ <--- HERE\n"
		ofPackage = "import statements aren't supported:\n  File \"/venv/lib/python3.11/site-packages/timm/net.py\", line 33\n        import numpy as np\n        ~~~~~~ <--- HERE\n"
		run       = "The following operation failed in the TorchScript interpreter.\nTraceback of TorchScript (most recent call last):\n  File \"/home/user/net.py\", line 44, in forward\n    assert x.sum()>1e9\n    ~~~~~~~~~~~~~~~~~~ <--- HERE\n\nmore"
	)
	next := []string{"code: rewrite that line with what TorchScript supports", "code: do not use torch.jit.script: the new exporter reads Python"}
	caller := Frame{File: "/home/user/net.py", Line: 60, Function: "make", Code: "return torch.jit.script(M())", User: true}
	frontend := raising("load", "UnsupportedNodeError", lambda, caller)
	frontend.Chain[0].Module = "torch.jit.frontend"
	bare := raising("load", "NotSupportedError", "Compiled functions can't take it", caller)
	bare.Chain[0].Module = "torch.jit.frontend"
	const called = "/home/user/net.py:60 in make: return torch.jit.script(M())"
	checkKnown(t, map[string]known{
		"a node":        {frontend, "script", "", "Lambda aren't supported", "/home/user/net.py:5: return [v for k, v in sorted(d.items(), key=lambda kv: kv[0])]", next},
		"a type":        {raising("load", "RuntimeError", typed, caller), "script", "", "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!): Could not match type int to t in argument 'el'.", "/home/user/net.py:13: y.append(3)", next},
		"several lines": {raising("load", "RuntimeError", lines, caller), "script", "", "z is not defined in the false branch", "/home/user/net.py:25: if x.sum()>0:", next},
		"of a package":  {raising("load", "UnsupportedNodeError", ofPackage, caller), "script", "", "import statements aren't supported", called, next},
		"nothing drawn": {bare, "script", "", "Compiled functions can't take it", called, next},
		"what it ran": {
			raising("forward", "Error", run, own(60, "return ok(x)")), "forward", "",
			"The following operation failed in the TorchScript interpreter. Traceback of TorchScript (most recent call last): File \"/home/user/net.py\", line 44, in forward assert x.sum()>1e9 ~~~~~~~~~~~~~~~~~~ <--- HERE",
			"/home/user/net.py:60 in forward: return ok(x)",
			[]string{"code: give an example that fits: --input NAME=f32[…]"},
		},
	})
}

// TestDataDependent: what is suggested goes with the line that wants a value.
func TestDataDependent(t *testing.T) {
	const (
		said   = "Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).  (Size-like symbols: none)"
		choose = "code: choose between values with torch.where, or between code with torch.cond"
		check  = "code: state what a value can be with torch._check, such as torch._check(n >= 2)"
		fix    = "code: a branch that is the same for all inputs of this model can be fixed by an argument that is not a tensor"
		loop   = "code: replace the loop by operations on the whole tensor, such as scores[keep] * 2"
		legacy = "flags: the line is in torchvision; tracing follows one path through it: --strategy legacy"
	)
	list := map[string]known{}
	for line, next := range map[string][]string{
		"if h.sum() > 0:":            {choose, fix},
		"if n.item() > 2:":           {choose, check, fix},
		"for i in keep:":             {loop},
		"n = int(x.max())":           {check, fix},
		"k = n.item()":               {check, fix},
		"print(x[: n])":              {choose, check, fix},
		"y = a if int(n) > 0 else b": {choose, check, fix},
	} {
		list[line] = known{raising("export", "GuardOnDataDependentSymNode", said, own(6, line)), "data-dependent", "Eq(u0, 1)", said, "/home/user/net.py:6 in forward: " + line, next}
	}
	boxes := Frame{File: "/venv/lib/python3.11/site-packages/torchvision/ops/boxes.py", Line: 103, Function: "batched_nms", Code: "if boxes.numel() > 4000:"}
	list["of a package"] = known{
		raising("export", "GuardOnDataDependentSymNode", said, boxes), "data-dependent", "Eq(u0, 1)", said,
		"torchvision/ops/boxes.py:103 in batched_nms: if boxes.numel() > 4000:",
		[]string{legacy, fix},
	}
	list["nowhere"] = known{raising("export", "GuardOnDataDependentSymNode", said), "data-dependent", "Eq(u0, 1)", said, "", []string{choose, check, fix}}
	checkKnown(t, list)
}

// TestBranches: what differs between branches is told, and what a branch does besides is told from
// it.
func TestBranches(t *testing.T) {
	const (
		captured = "This higher order operator doesn't work unless it is captured completely with torch.compile. Got graph break/error:\n\n"
		begins   = "This higher order operator doesn't work unless it is captured completely with torch.compile. Got graph break/error: "
		operator = "\n  Higher Order Operator: torch.cond\n"
		debug    = "\n  Hint: Please open an issue.\n\n  Developer debug context: detected at nodes l_args_3_0_\n"
		fake     = "RuntimeError when making fake tensor call\n  Explanation: Dynamo failed to run FX node with fake tensors: call_function cond(*(FakeTensor(..., size=(), dtype=torch.bool), GraphModule(), GraphModule(), (FakeTensor(..., size=(2, 4)),)), **{}): got "
		eager    = "\n  Hint: Your code may result in an error when running in eager.\n\n  Developer debug context: \n"
		pair     = "pair[1] differ in 'dtype: torch.float64 vs torch.float32', where lhs is FakeTensor(..., size=(2, 4), dtype=torch.float64)"
		same     = "code: let both branches return the same number of tensors, of the same shapes and types"
		anew     = "code: return x.clone() if a branch returns its argument"
		outside  = "code: do the rest before or after it"
		changed  = "code: compute a new value instead of changing one, such as x.add(1) for x.add_(1)"
	)
	raises := func(message string) Raw { return raising("forward", "TorchRuntimeError", message) }
	scrolled := Raw{Stage: "export", Chain: []Exception{
		{Class: "UncapturedHigherOrderOpError", Message: "Cond doesn't work unless it is captured completely with torch.compile. Scroll up to find out what causes the graph break.\n\nfrom user code:"},
		{Class: "Unsupported", Message: "Encountered aliasing during higher order op tracing\n  Explanation: Higher order ops do not support aliasing. Found in cond" + debug},
	}}
	checkKnown(t, map[string]known{
		"types": {
			raises(fake + `RuntimeError("When merging two branches' output in torch.cond,  expected same dtype but got torch.float32 and torch.float64.")` + eager),
			"branches-differ", "expected same dtype but got torch.float32 and torch.float64",
			"When merging two branches' output in torch.cond, expected same dtype but got torch.float32 and torch.float64.", "",
			[]string{same, anew},
		},
		"ranks": {
			raises(fake + `RuntimeError("When merging two branches' output in torch.cond,  expected same dim but got 2 and 1.")` + eager),
			"branches-differ", "expected same dim but got 2 and 1", "When merging two branches' output in torch.cond, expected same dim but got 2 and 1.", "",
			[]string{same, anew},
		},
		"structures": {
			raises(captured + "torch.cond: differing branch outputs" + operator + "  Explanation: Expected branches to return the same pytree structure." + debug),
			"branches-differ", "Expected branches to return the same pytree structure",
			begins + "torch.cond: differing branch outputs: Expected branches to return the same pytree structure.", "",
			[]string{same, anew},
		},
		"as many": {
			raises(fake + `RuntimeError('Unmatched output spec from torch.cond branches: true branch tree_spec TreeSpec(tuple, None, [*]).')` + eager),
			"branches-differ", "Unmatched output spec", "Unmatched output spec from torch.cond branches: true branch tree_spec TreeSpec(tuple, None, [*]).", "",
			[]string{same, anew},
		},
		"an input": {
			raises(captured + "Encountered aliasing during higher order op tracing" + operator + "  Explanation: Higher order ops do not support aliasing. Found in cond" + debug),
			"branches-differ", "Encountered aliasing during higher order op tracing",
			begins + "Encountered aliasing during higher order op tracing: Higher order ops do not support aliasing.", "",
			[]string{anew, same},
		},
		"an input, told elsewhere": {
			scrolled, "branches-differ", "Encountered aliasing during higher order op tracing",
			"Encountered aliasing during higher order op tracing: Higher order ops do not support aliasing.", "",
			[]string{anew, same},
		},
		"no tensor": {
			raises(fake + `AssertionError("expected both a and b to be FakeTensor, got a=<class 'FakeTensor'>, b=<class 'int'>")` + eager),
			"branches-differ", "", "expected both a and b to be FakeTensor, got a=<class 'FakeTensor'>, b=<class 'int'>", "",
			[]string{same, anew},
		},
		"a loop": {
			raises("Expected body_fn_output and carried_inputs to have same metadata but found:\n" + pair + "\n  Higher Order Operator: torch.while_loop\n\nfrom user code:"),
			"branches-differ", "dtype: torch.float64 vs torch.float32", "Expected body_fn_output and carried_inputs to have same metadata but found: " + pair, "",
			[]string{same, anew},
		},
		"nothing told": {raises(captured), "branches-differ", "", "This higher order operator doesn't work unless it is captured completely with torch.compile. Got graph break/error:", "", []string{same, anew}},
		"an input is changed": {
			raises(captured + "Encountered input mutation during higher order op tracing" + operator + "  Explanation: Higher order ops do not support input mutation. Found in cond" + debug),
			"branch-does-more", "Higher order ops do not support input mutation",
			begins + "Encountered input mutation during higher order op tracing: Higher order ops do not support input mutation.", "",
			[]string{outside, changed},
		},
		"another function": {
			raises(captured + "Attempted to call function marked as skipped" + operator + "  Explanation: Dynamo does not know how to trace the builtin `posix.getpid.` This function is either a Python builtin or an extension." + debug),
			"branch-does-more", "Dynamo does not know how to trace the builtin `posix.getpid.`",
			begins + "Attempted to call function marked as skipped: Dynamo does not know how to trace the builtin `posix.getpid.`", "",
			[]string{outside, changed},
		},
	})
}
