package simplify

import "lathe/graphops/rewrite"

// scaleBeforeViews moves a scale to the output of a layer, where pass fold-scale can merge it into
// the weights. Exporters scale queries and keys after splitting and transposing their heads.
var scaleBeforeViews = &pass{
	name:   "scale-before-views",
	title:  "a Mul or Div by one number moves before Reshapes and Transposes, to the output of a convolution, matrix product or BatchNormalization",
	reason: "each element is multiplied by the same number wherever it is; there the factor can be merged into weights",
	ops:    []string{"Mul", "Div"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is("Mul", "Div") || n.Out(0) == nil || len(n.Inputs()) != 2 || n.Graph().Opset("") < modern {
			return ""
		}
		at := 0
		if n.Is("Mul") && n.In(0).Constant() != nil {
			at = 1
		}
		x, c := n.In(at), n.In(1-at)
		if _, ok := c.Float(); !ok || x == nil || len(c.Dims()) > 1 || !x.SameSizes(n.Out(0)) || !n.Out(0).CanBecome(x) {
			return ""
		}
		top := aboveViews(x, n)
		if top == nil {
			return ""
		}
		first := top.In(0)
		in := []*rewrite.Value{first, first}
		in[1-at] = c
		scaled := insertOne(top, n.Op(), first.Type(), in)
		scaled.Producer().Stands(n)
		top.SetInput(0, scaled)
		n.PassOn(x)
		return "moved before the nodes that reshape or transpose"
	},
}

// maxViews is the maximum number of views between a layer and a scale.
const maxViews = 6

// aboveViews returns the first of the views and Transposes between a layer and a value. Each must
// be read only by the next one. Otherwise it returns nil.
func aboveViews(v *rewrite.Value, reader *rewrite.Node) (top *rewrite.Node) {
	for range maxViews {
		n := v.Producer()
		if v.Reader() != reader || n == nil || n.Graph() != reader.Graph() {
			return nil
		}
		if !n.Is("Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten") {
			if l := layerOf(v); top != nil && l != nil && len(v.Dims()) > 1 {
				return top
			}
			return nil
		}
		top, reader, v = n, n, n.In(0)
	}
	return nil
}
