package torch

import (
	"strings"
	"testing"

	"lathe/session/torch/failure"
)

// TestInsteadOfConstant checks that the suggestion fits the line. For example, torch.where replaces
// neither a loop nor the choice of a number.
func TestInsteadOfConstant(t *testing.T) {
	const (
		boolean  = "Converting a tensor to a Python boolean might cause the trace to be incorrect."
		integer  = "Converting a tensor to a Python integer might cause the trace to be incorrect."
		iterates = "Iterating over a tensor might cause the trace to be incorrect."
	)
	for _, c := range []struct{ message, code, want string }{
		{boolean, "if x.sum() > 0:", "torch.where"},
		{boolean, "while x.max() > 1:", "while_loop"},
		{integer, "for _ in range(int(n)):", "while_loop"},
		{integer, "y = x[: int(n)]", "compute with the tensor at net.py:3"},
		{iterates, "for row in x:", "the whole tensor"},
		{iterates, "return torch.stack([row.cumsum(0) for row in x])", "the whole tensor"},
	} {
		w := torchWarning{Category: "TracerWarning", Message: c.message, At: "net.py:3"}
		if got := insteadOfConstant(w, &failure.Frame{File: "net.py", Line: 3, Code: c.code}).Text; !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, expected %q in it", c.code, got, c.want)
		}
	}
}
