package failure

import "testing"

// TestExits: a script that ends Python is told from a model that raises.
func TestExits(t *testing.T) {
	main := `code: put the script part below if __name__ == "__main__":`
	without := "code: let the exported callable return the model without reading a command line"
	parse := Frame{File: "/home/user/train.py", Line: 4, Function: "<module>", Code: "args = p.parse_args()", User: true}
	checkKnown(t, map[string]known{
		"with a code":   {raising("load", "SystemExit", "2", parse), "exits", "", "2", "/home/user/train.py:4 in <module>: args = p.parse_args()", []string{main, without}},
		"with words":    {raising("load", "SystemExit", "usage: give a file"), "exits", "", "usage: give a file", "", []string{main, without}},
		"while it runs": {raising("forward", "SystemExit", ""), "forward", "", "", "", []string{"code: give an example that fits: --input NAME=f32[…]"}},
	})
}

// TestWeightsOnly: of what torch.load refuses the global is told, which stands behind much advice.
func TestWeightsOnly(t *testing.T) {
	const (
		advice = "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps only if you trust the source of the checkpoint\x1b[0m. \n" +
			"\t(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code execution.\n" +
			"\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following error message.\n\tWeightsUnpickler error: "
		behind  = "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
		begins  = "Weights only load failed. WeightsUnpickler error: "
		weights = "code: save only the weights in the file: torch.save(model.state_dict(), path), and model.load_state_dict(torch.load(path))"
	)
	checkKnown(t, map[string]known{
		"a class": {
			raising("load", "UnpicklingError", advice+"Unsupported global: GLOBAL net.Cfg was not an allowed global by default. Please use `torch.serialization.add_safe_globals([net.Cfg])` or the `torch.serialization.safe_globals([net.Cfg])` context manager to allowlist this global if you trust this class/function."+behind),
			"weights-only", "net.Cfg", begins + "Unsupported global: GLOBAL net.Cfg was not an allowed global by default.", "",
			[]string{weights, "code: if you trust the file: torch.serialization.add_safe_globals([net.Cfg]) before torch.load"},
		},
		"a command": {
			raising("load", "UnpicklingError", advice+"Trying to load unsupported GLOBAL posix.system whose module posix is blocked."+behind),
			"weights-only", "posix.system", begins + "Trying to load unsupported GLOBAL posix.system whose module posix is blocked.", "",
			[]string{weights},
		},
		"no checkpoint": {
			raising("load", "UnpicklingError", "Weights only load failed. In PyTorch 2.6, we changed the default value of the `weights_only` argument.\nPlease file an issue with the following: WeightsUnpickler error: \nUnsupported operand 60"+behind),
			"weights-only", "", begins + "Unsupported operand 60", "",
			[]string{"code: check that the file is complete and written by torch.save: a download may be an error page", weights},
		},
	})
}

// TestStateDict: names and sizes of weights that differ are counted, and what brings them together
// is suggested.
func TestStateDict(t *testing.T) {
	const (
		begins   = "Error(s) in loading state_dict for Net:\n\t"
		options  = "code: create the model with the options that the weights were saved with"
		loosely  = "code: strict=False ignores what does not fit: missing weights keep their initial values"
		sizes    = "code: create the model with the sizes in the file, such as its number of classes"
		mismatch = "size mismatch for head.weight: copying a param with shape torch.Size([5, 4]) from checkpoint, the shape in current model is torch.Size([3, 4]).\n\t" +
			"size mismatch for head.bias: copying a param with shape torch.Size([5]) from checkpoint, the shape in current model is torch.Size([3])."
	)
	checkKnown(t, map[string]known{
		"a prefix of the file's": {
			raising("load", "RuntimeError", begins+`Missing key(s) in state_dict: "backbone.0.weight", "backbone.0.bias". `+"\n\t"+`Unexpected key(s) in state_dict: "module.backbone.0.weight", "module.backbone.0.bias". `),
			"state-dict", "module.", "2 missing, as backbone.0.weight; 2 unexpected, as module.backbone.0.weight", "",
			[]string{`code: remove module. from the names: {k.removeprefix("module."): v for k, v in state.items()}`},
		},
		"a prefix of the model's": {
			raising("load", "RuntimeError", begins+`Missing key(s) in state_dict: "other", "model.head.weight", "model.head.bias". `+"\n\t"+`Unexpected key(s) in state_dict: "head.weight", "head.bias". `),
			"state-dict", "model.", "3 missing, as other; 2 unexpected, as head.weight", "",
			[]string{`code: add model. in front of the names: {"model." + k: v for k, v in state.items()}`},
		},
		"a key of the file": {
			raising("load", "RuntimeError", begins+`Missing key(s) in state_dict: "head.weight", "head.bias". `+"\n\t"+`Unexpected key(s) in state_dict: "epoch", "state_dict". `),
			"state-dict", "state_dict", "2 missing, as head.weight; 2 unexpected, as epoch", "",
			[]string{`code: the weights are below a key of the file: model.load_state_dict(state["state_dict"])`},
		},
		"another model": {
			raising("load", "RuntimeError", begins+`Missing key(s) in state_dict: "backbone.0.bias". `+"\n\t"+`Unexpected key(s) in state_dict: "extra.x". `+"\n\t"+mismatch),
			"state-dict", "", "1 missing, as backbone.0.bias; 1 unexpected, as extra.x; 2 of another size, as head.weight, [5, 4] in the file and [3, 4] in the model", "",
			[]string{sizes, options, loosely},
		},
		"sizes alone": {raising("load", "RuntimeError", begins+mismatch), "state-dict", "", "2 of another size, as head.weight, [5, 4] in the file and [3, 4] in the model", "", []string{sizes}},
		"told by another": {
			Raw{Stage: "load", Chain: []Exception{{Class: "ValueError", Message: "no weights"}, {Class: "RuntimeError", Message: begins + `Missing key(s) in state_dict: "a". `}}},
			"state-dict", "", "no weights", "",
			[]string{options, loosely},
		},
	})
}
