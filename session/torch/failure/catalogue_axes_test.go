package failure

import "testing"

// TestSpecialized: a larger example is no option that a form could take, since the other sizes of
// the input are not told.
func TestSpecialized(t *testing.T) {
	const conflict = "Found the following conflicts between user-specified ranges and inferred ranges from model tracing:\n- Received user-specified dim hint Dim.DYNAMIC(min=None, max=None), but tracing inferred a static shape of "
	line := func(rest string) string {
		return "Found the following conflicts between user-specified ranges and inferred ranges from model tracing: - Received user-specified dim hint Dim.DYNAMIC(min=None, max=None), but tracing inferred a static shape of " + rest
	}
	raises := func(message string) Raw { return raising("export", "ValueError", message) }
	const marked = "You marked batch as dynamic but your code specialized it to be a constant (1)."
	checkKnown(t, map[string]known{
		"a size": {
			raises(conflict + "16 for dimension inputs['x'].shape[1]."), "specialized", "inputs['x'].shape[1]", line("16 for dimension inputs['x'].shape[1]."), "",
			[]string{
				"code: take the size from the tensor, such as x.shape[0] or -1, wherever the code has the number; inputs['x'].shape[1] is the axis",
				"code: if the code has no such number, an operator in that line accepts only one size: write the line with other operators",
				"flags: leave that axis out of --dynamic, and export a model of that one size",
			},
		},
		"a loop": {
			raising("export", "ValueError", conflict+"5 for dimension inputs['x'].shape[1].", own(9, "for t in range(x.shape[1]):")), "unrolled", "inputs['x'].shape[1]", line("5 for dimension inputs['x'].shape[1]."), "/home/user/net.py:9 in forward: for t in range(x.shape[1]):",
			[]string{
				"code: put the loop into a function or module that torch.jit.script accepts, and export with --strategy legacy, which turns it into a Loop",
				"code: write it with torch.cumsum and the like, or with torch._higher_order_ops.scan, which the new exporter translates",
				"flags: leave that axis out of --dynamic, and export a model of that one size",
			},
		},
		"one": {
			raises(conflict + "1 for dimension inputs['x'].shape[0]."), "specialized", "inputs['x'].shape[0]", line("1 for dimension inputs['x'].shape[0]."), "",
			[]string{"code: give an example of size 2 or more on that axis: --input x=f32[2,…]"},
		},
		"one of no input": {raises(marked), "specialized", "batch", marked, "", []string{"code: give an example of size 2 or more on that axis: --input NAME=f32[2,…]"}},
	})
}
