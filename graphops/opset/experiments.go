package opset

import (
	"math"

	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// link is a node of a chain. If it has numbers, its second input is a constant called after their
// role, with one number for all elements or one for each channel.
type link struct {
	op, role string
	numbers  []float64
}

// chain replaces the node by several ones. Each reads the output of the previous one. The first
// reads the first input of the node, and the node itself becomes the last.
func (s *step) chain(what string, links ...link) string {
	if in, out := len(s.n.Inputs()), len(s.n.Outputs()); in == 0 || out != 1 {
		return s.fail("it has %d inputs and %d outputs", in, out)
	}
	last := s.n.In(0)
	elem := s.element(last)
	for i, l := range links {
		in := values{last}
		if l.numbers != nil {
			in = append(in, s.operand(l, elem))
		}
		if i == len(links)-1 {
			s.become(l.op, in)
			break
		}
		last = s.value(s.n.Out(0), l.op, elem)
		s.ahead(l.op, last, in)
	}
	return what
}

func (s *step) operand(l link, elem tensor.DType) *rewrite.Value {
	if len(l.numbers) == 1 {
		return s.number(l.role, elem, l.numbers)
	}
	return s.number(l.role, elem, l.numbers, int64(len(l.numbers)), 1, 1)
}

// affine replaces an Affine, which computes alpha·x + beta.
func affine(s *step) string {
	alpha, beta := s.float("alpha", 1), s.float("beta", 0)
	return s.chain("replaced by a Mul and an Add", link{"Mul", "alpha", []float64{alpha}}, link{"Add", "beta", []float64{beta}})
}

// imageScaler replaces an ImageScaler, which multiplies all elements by a number and adds a number
// for each channel.
func imageScaler(s *step) string {
	scale := s.float("scale", 1)
	bias, ok := s.attribute("bias")
	if !ok || len(bias.Floats()) == 0 || len(bias.Floats()) > maxElements {
		return s.fail("attribute \"bias\" must have a number for each channel")
	}
	var channels []float64
	for _, x := range bias.Floats() {
		channels = append(channels, float64(x))
	}
	return s.chain("replaced by a Mul and an Add", link{"Mul", "scale", []float64{scale}}, link{"Add", "bias", channels})
}

// scale replaces a Scale, which multiplies all elements by a number.
func scale(s *step) string {
	return s.chain("it is a Mul", link{"Mul", "scale", []float64{s.float("scale", 1)}})
}

// between returns an adapter for an operator that computes alpha·op(beta·x).
func between(op string) adapter {
	return func(s *step) string {
		alpha, beta := s.required("alpha"), s.required("beta")
		return s.chain("it is a "+op+" between two Mul", link{"Mul", "beta", []float64{beta}}, link{op: op}, link{"Mul", "alpha", []float64{alpha}})
	}
}

// crop replaces a Crop by a Slice of height and width. The attribute border says how many elements
// are removed at the left, top, right and bottom.
func crop(s *step) string {
	border, ok := s.attribute("border")
	if !ok || len(border.Ints()) != 4 {
		return s.fail("attribute \"border\" must have 4 numbers")
	}
	left, top, right, bottom := border.Ints()[0], border.Ints()[1], border.Ints()[2], border.Ints()[3]
	ends := []int64{fromEnd(bottom), fromEnd(right)}
	size, sized := s.attribute("scale")
	switch {
	case sized && len(size.Ints()) == 2:
		ends = []int64{top + size.Ints()[0], left + size.Ints()[1]}
	case sized && len(size.Ints()) != 0:
		return s.fail("attribute \"scale\" must have 2 numbers")
	}
	if min(left, top, right, bottom) < 0 {
		return s.fail("attribute \"border\" has numbers below 0")
	}
	s.become("Slice", values{s.n.In(0), s.list("starts", top, left), s.list("ends", ends...), s.list("axes", 2, 3)})
	return "it is a Slice"
}

// fromEnd returns the end index for a Slice that leaves out the last out elements.
func fromEnd(out int64) int64 {
	if out == 0 {
		return math.MaxInt64
	}
	return -out
}
