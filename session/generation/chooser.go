package generation

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/onnxtext"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/wire"
)

// Chooser returns a serialized model that chooses the token with the best score of each sequence: the
// first of the largest. It is for models whose scores are in the memory of a device (ort.Decode). The
// error is a *Missing if the scores or the ids are not as in most models.
func (p *Plan) Chooser() ([]byte, error) {
	i := slices.IndexFunc(p.changing, func(c ort.Changing) bool { return c.Fill == wire.FillIDs })
	if i < 0 {
		return nil, missing("no input takes token ids")
	}
	ids, rank := p.changing[i], len(p.scores.Shape)
	if rank != 2 && rank != 3 || p.scores.Elem.Kind() != tensor.KindFloat || p.scores.Elem.Bits() < 16 {
		return nil, missing("the scores %q are %s, expected batch × positions × tokens of floating-point numbers", p.Logits, p.scores)
	}
	keep, sizes := 1, "n,1"
	if len(ids.Axes) == 1 {
		keep, sizes = 0, "n"
	}
	var nodes []string
	add := func(format string, a ...any) { nodes = append(nodes, fmt.Sprintf(format, a...)) }
	scores, row := "n,t", ort.ChooserScores
	if rank == 3 {
		scores = "n,p,t"
		add("row = Gather<axis = 1>(%s, last)", row)
		row = "row"
	}
	if p.scores.Elem == tensor.BF16 { // ArgMax of opset 13 has no kernels for it
		add("wide = Cast<to = %d>(%s)", tensor.F32, row)
		row = "wide"
	}
	// Providers without kernels for int64, such as WebGPU, still have that of ArgMax.
	if ids.DType == tensor.I64 {
		add("%s = ArgMax<axis = -1, keepdims = %d>(%s)", ort.ChooserIDs, keep, row)
	} else {
		add("best = ArgMax<axis = -1, keepdims = %d>(%s)", keep, row)
		add("%s = Cast<to = %d>(best)", ort.ChooserIDs, ids.DType)
	}
	add("%s = Cast<to = %d>(%s)", ort.ChooserTokens, tensor.I32, ort.ChooserIDs)
	return onnxtext.Serialize("the model that chooses tokens", fmt.Sprintf(
		"<ir_version: 8, opset_import: [\"\": 13]>\nchooser (%s[%s] %s) => (int32[%s] %s, %s[%s] %s) <int64 last = {-1}> {\n%s\n}",
		typeName(p.scores.Elem), scores, ort.ChooserScores, sizes, ort.ChooserTokens, typeName(ids.DType), sizes, ort.ChooserIDs, strings.Join(nodes, "\n")))
}

// typeName is the name of an element type in ONNX's text syntax.
func typeName(t tensor.DType) string { return strings.ToLower(t.ONNXName()) }
