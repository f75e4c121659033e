package failure

import (
	"strconv"
	"testing"
)

// TestOldExporterLacks: a later opset is suggested where there is one and the operator is
// PyTorch's own.
func TestOldExporterLacks(t *testing.T) {
	const (
		later    = "flags: a later opset may have it: --opset 20"
		exporter = "flags: use the new exporter: --strategy non-strict,strict"
		symbolic = "flags: register a symbolic function: --symbolic FILE.py:REGISTER"
	)
	table := func(op string) string {
		return "flags: let the new exporter translate it with your own table, {torch.ops." + op + ".default: function}: --translations FILE.py:TABLE"
	}
	at := func(op string, opset int) string {
		return "Exporting the operator '" + op + "' to ONNX opset version " + strconv.Itoa(opset) + " is not supported"
	}
	const namespace = "ONNX export failed on an operator with unrecognized namespace myops::scale. If you are trying to export a custom operator, make sure you registered it with the right domain and version."
	raises := func(message string) Raw { return raising("export", "UnsupportedOperatorError", message) }
	checkKnown(t, map[string]known{
		"an early opset": {raises(at("aten::fft_rfft", 14)), "old-exporter-lacks", "aten::fft_rfft", at("aten::fft_rfft", 14), "", []string{later, exporter, symbolic}},
		"the last opset": {raises(at("aten::fft_rfft", 20)), "old-exporter-lacks", "aten::fft_rfft", at("aten::fft_rfft", 20), "", []string{exporter, symbolic}},
		"a primitive":    {raises(at("prim::Uninitialized", 9)), "old-exporter-lacks", "prim::Uninitialized", at("prim::Uninitialized", 9), "", []string{later, exporter, symbolic}},
		"of a package":   {raises(at("torchvision::deform_conv2d", 14)), "old-exporter-lacks", "torchvision::deform_conv2d", at("torchvision::deform_conv2d", 14), "", []string{symbolic, table("torchvision.deform_conv2d")}},
		"of the user":    {raises(namespace), "old-exporter-lacks", "myops::scale", namespace, "", []string{symbolic, table("myops.scale")}},
	})
}

// TestPackedWeights: modules that are quantized already, as each of the exporters refuses them.
func TestPackedWeights(t *testing.T) {
	const (
		float  = "code: export the float model, and quantize the exported model with lathe quantize dynamic"
		legacy = "flags: use the old exporter, which knows some of them: --strategy legacy"
		class  = "__torch__.torch.classes.quantized.LinearPackedParamsBase (of Python compilation unit at: 0) does not have a field with name '__obj_flatten__'"
		cell   = "__torch__.torch.classes.rnn.CellParamsBase (of Python compilation unit at: 0) does not have a field with name '__obj_flatten__'"
		proxy  = "Failed to convert args/kwargs to proxy\n  Explanation: Missing `as_proxy()` implementation for some arg/kwarg.\n\n\n  Developer debug context: call_function args: TensorVariable() LazyVariableTracker(realized: UserDefinedObjectVariable(ScriptObject))\n\n" +
			"from user code:\n  File \"/venv/lib/python3.11/site-packages/torch/ao/nn/quantized/dynamic/modules/linear.py\", line 58, in forward\n    Y = torch.ops.quantized.linear_dynamic(\n"
		static  = "Could not extract specialized integer from data-dependent expression u0 (unhinted: u0).  (Size-like symbols: none)\n\n\nCaused by: return torch.quantize_per_tensor(\n"
		op      = "Exporting the operator 'quantized::linear_dynamic' to ONNX opset version 20 is not supported"
		unpack  = "_jit_pass_onnx_unpack_quantized_weights(): incompatible function arguments. The following argument types are supported:\n    1. (arg0: torch::jit::Graph)"
		unpacks = "_jit_pass_onnx_unpack_quantized_weights(): incompatible function arguments. The following argument types are supported: 1. (arg0: torch::jit::Graph)"
	)
	module := Frame{File: "/venv/lib/python3.11/site-packages/torch/ao/nn/quantized/modules/__init__.py", Line: 123, Function: "forward"}
	reference := Frame{File: "/venv/lib/python3.11/site-packages/torch/ao/nn/quantized/reference/modules/linear.py", Line: 50, Function: "forward"}
	old := raising("export", "TypeError", unpack)
	old.Strategy = "legacy"
	checkKnown(t, map[string]known{
		"of a layer":       {raising("export", "AttributeError", class), "packed-weights", "LinearPackedParamsBase", class, "", []string{float, legacy}},
		"of a cell":        {raising("export", "AttributeError", cell), "packed-weights", "CellParamsBase", cell, "", []string{float, legacy}},
		"read by Dynamo":   {raising("export", "Unsupported", proxy), "packed-weights", "", "Failed to convert args/kwargs to proxy: Missing `as_proxy()` implementation for some arg/kwarg.", "", []string{float, legacy}},
		"a scale of it":    {raising("capture", "UserError", static, module), "packed-weights", "", "Could not extract specialized integer from data-dependent expression u0 (unhinted: u0).  (Size-like symbols: none)", "", []string{float, legacy}},
		"its operator":     {raising("export", "UnsupportedOperatorError", op), "packed-weights", "quantized::linear_dynamic", op, "", []string{float}},
		"by the old one":   {old, "packed-weights", "", unpacks, "", []string{float}},
		"a wrong example":  {raising("forward", "RuntimeError", "shapes", module), "forward", "", "shapes", "", []string{"code: give an example that fits: --input NAME=f32[…]"}},
		"of the reference": {raising("capture", "RuntimeError", "else", reference), "", "", "else", "", nil},
	})
}

// TestNoFake: an operator without a fake implementation is named as register_fake takes it,
// whichever text tells of it.
func TestNoFake(t *testing.T) {
	const (
		own       = "There was no fake impl registered for <CustomOpDef(myops::scale)>. This is necessary for torch.compile/export/fx tracing to work. Please use `scale.register_fake` to add an fake impl."
		meta      = "myns::foo: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered. You may have run into this message while using an operator with PT2 compilation APIs (torch.compile/torch.export)"
		dynamo    = "Operator does not support running with fake tensors\n  Explanation: \n  Hint: see the document\n\n  Developer debug context: unsupported operator: myns.foo.default\n\n For more details"
		inDynamo  = "RuntimeError when making fake tensor call\n  Explanation: Dynamo failed to run FX node with fake tensors: call_function myops.scale(*(FakeTensor(..., size=(2, 4)), 2.0), **{}): got RuntimeError('" + own + "')\n  Hint: Your code may result in an error when running in eager.\n"
		ofPackage = "Could not run 'torchvision::nms' with arguments from the 'Meta' backend."
		ofATen    = "aten::_foo: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered."
	)
	register := func(op string) []string {
		return []string{`code: register one: @torch.library.register_fake("` + op + `") on a function that returns an empty tensor of the result's shape and type`}
	}
	checkKnown(t, map[string]known{
		"as the library says":  {raising("export", "RuntimeError", own+"\n\nThe error above occurred when calling torch.export.export."), "no-fake", "myops::scale", own, "", register("myops::scale")},
		"inside of Dynamo's":   {raising("export", "TorchRuntimeError", inDynamo), "no-fake", "myops::scale", own, "", register("myops::scale")},
		"as Dynamo says":       {raising("export", "Unsupported", dynamo), "no-fake", "myns::foo", "Operator does not support running with fake tensors", "", register("myns::foo")},
		"as the operator says": {raising("export", "NotImplementedError", meta), "no-fake", "myns::foo", meta, "", register("myns::foo")},
		"the operator alone":   {raising("export", "UnsupportedOperatorException", "myns.foo.default\n\nThe error above"), "no-fake", "myns::foo", "myns.foo.default", "", register("myns::foo")},
		"of a package":         {raising("export", "NotImplementedError", ofPackage), "no-fake", "torchvision::nms", ofPackage, "", register("torchvision::nms")},
		"PyTorch's own":        {raising("export", "NotImplementedError", ofATen), "no-fake", "aten::_foo", ofATen, "", []string{"flags: use the old exporter, which runs the operator: --strategy legacy", "code: write it with other operators of PyTorch"}},
	})
}

// TestOldExporterRefuses: a refusal of one use of an operator is reported, but not the request for support
// and the value that it is said to come from.
func TestOldExporterRefuses(t *testing.T) {
	const (
		threshold = "Unsupported: ONNX export of operator threshold, non-zero threshold. Please feel free to request support or submit a pull request on PyTorch GitHub: https://example.org/issues  [Caused by the value 'x defined in (%x : Float(*, 4))' (type 'Tensor') in the TorchScript graph.]"
		smoothing = "Unsupported: ONNX does not support label_smoothing [Caused by the value 'x.1 defined in (%x.1 : Float(*, 4))']"
		mean      = "ONNX does not support mean reduction for scatter_reduce"
	)
	next := []string{"flags: use the new exporter: --strategy non-strict,strict", "code: write that line with other operators"}
	checkKnown(t, map[string]known{
		"an argument":   {raising("export", "SymbolicValueError", threshold), "old-exporter-refuses", "threshold, non-zero threshold", "ONNX export of operator threshold, non-zero threshold is not supported", "", next},
		"an option":     {raising("export", "SymbolicValueError", smoothing), "old-exporter-refuses", "label_smoothing", "ONNX does not support label_smoothing", "", next},
		"another class": {raising("export", "OnnxExporterError", mean), "old-exporter-refuses", "mean reduction for scatter_reduce", mean, "", next},
	})
}

// TestUpgraded: a later exporter is suggested to those who have an older one than was seen to fail.
func TestUpgraded(t *testing.T) {
	for version, want := range map[string]bool{"": true, "2.9.1": true, "2.14.0+cpu": true, "2.15.0": false, "2.15.1+cpu": false, "3.0": false} {
		r := raised{raw: Raw{Versions: map[string]string{"torch": version}}}
		if got := r.upgraded("why"); len(got) > 0 != want {
			t.Errorf("PyTorch %q: %v", version, got)
		}
	}
}

// TestNoKernel: what was exported and does not run for want of a kernel.
func TestNoKernel(t *testing.T) {
	const (
		said    = `loading "/tmp/m.onnx": Erf: the runtime knows the operator but has no implementation for these types (ONNX Runtime: Could not find an implementation for Erf(13) node with name '' (NOT_IMPLEMENTED))`
		another = `running "/tmp/m.onnx": shapes do not fit`
	)
	checkKnown(t, map[string]known{
		"a type": {
			Raw{Stage: "run", Signal: said},
			"no-kernel", "Erf(13)", said, "",
			[]string{"flags: accept it; another provider may run it: --no-check", "code: compute in float32: call model.float() before the export if the model is in that type, and remove casts to it, such as .to(torch.bfloat16) or torch.autocast"},
		},
		"another reason": {Raw{Stage: "run", Signal: another}, "", "", another, "", nil},
	})
}
