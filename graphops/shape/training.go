package shape

import "fmt"

const trainingDomain = "ai.onnx.preview.training"

// training has the rules of gradients and of optimizers.
var training = family{"Gradient": gradient, "Adagrad": step(3), "Adam": step(4), "Momentum": step(3)}

// step returns the rule of an optimizer. It has a learning rate, an update count, and groups of
// tensors of equal number: those to optimize, their gradients, and the state of earlier updates.
// The outputs are all groups except the gradients.
func step(groups int) rule {
	return func(c *call) {
		n := len(c.in) - 2
		if n < 0 || n%groups != 0 {
			c.problem(-1, fmt.Sprintf("the node has %d inputs, expected 2 plus a multiple of %d", len(c.in), groups))
			return
		}
		n /= groups
		for i := range n {
			for g := 1; g < groups && c.dims(2+i) != nil; g++ {
				c.expect(2+g*n+i, "of the same shape as the optimized tensor", c.dims(2+i)...)
			}
		}
		for o := range c.out {
			if n == 0 || o/n > groups-2 {
				return
			}
			c.outTensor(o, c.elem(2+o%n), c.dims(2+o%n))
		}
	}
}

// gradient is the rule of Gradient. It has one output for each of the first inputs, which "xs"
// lists.
func gradient(c *call) {
	var by []string
	if a, ok := c.attr("xs"); ok {
		by = a.Texts()
	}
	for o := range c.out {
		if o < len(by) {
			c.outTensor(o, c.elem(o), c.dims(o))
		}
	}
}
