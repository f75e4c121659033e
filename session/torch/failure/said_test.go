package failure

import "testing"

// TestInALine: of a message the line is told that says what happened.
func TestInALine(t *testing.T) {
	for name, c := range map[string]struct{ message, want string }{
		"a paragraph":            {"\x1b[1mno such\x1b[0m\n  file\n\nmore", "no such file"},
		"a colon before a cause": {"Got graph break/error:\n\nEncountered aliasing\n\nmore", "Got graph break/error: Encountered aliasing"},
		"a colon at the end":     {"it is this:\n\n", "it is this:"},
		"what Dynamo was told": {
			"RuntimeError when making fake tensor call\n  Explanation: Dynamo failed to run FX node with fake tensors: call_function cond(*(FakeTensor(..., size=(2, 4)),), **{}): " +
				`got RuntimeError('it isn\'t\n  the same.')` + "\n  Hint: Your code may\n\n  Developer debug context: \n",
			"it isn't the same.",
		},
		"parts of Dynamo's": {
			"Data-dependent branching\n  Explanation: Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`). Dynamo does not support tracing dynamic control flow.\n  Hint: This may\n",
			"Data-dependent branching: Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`).",
		},
		"an explanation of nothing": {"Operator does not support running with fake tensors\n  Explanation: \n  Hint: see\n", "Operator does not support running with fake tensors"},
		"no explanation":            {"Expected this\n  Higher Order Operator: torch.while_loop\n", "Expected this"},
	} {
		if got := inALine(c.message); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
