package architecture

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/roles"
)

// vocabulary finds the number of tokens, and whether the embedding and the head are one tensor.
func (f *finder) vocabulary(a *Architecture) {
	say := func(fact, format string, args ...any) {
		a.Evidence = append(a.Evidence, Evidence{fact, fmt.Sprintf(format, args...)})
	}
	main := f.m.Places()[0]
	for i := range f.ports.Outputs {
		o := &f.ports.Outputs[i]
		if o.Kind != roles.Logits || o.Source() < roles.ByStructure {
			continue
		}
		if d := f.dims(main, o.Name); len(d) > 0 && a.Vocabulary == 0 {
			if a.Vocabulary = number(d[len(d)-1]); a.Vocabulary > 0 {
				say("vocabulary", "the last axis of the scores %s", graphops.ShortQuoted(o.Name))
			}
		}
	}
	table, gather := f.embedding()
	head, product := f.head()
	if table == nil || head == nil {
		return
	}
	tied := table == head || sameBytes(table, head)
	a.Tied = &tied
	verb := "read different tensors"
	if tied {
		verb = "read the same tensor"
	}
	say("tied", "%s and %s %s", called(gather), called(product), verb)
}

// sameBytes reports whether two tensors are the same bytes of a file.
func sameBytes(a, b *graphops.Tensor) bool {
	x, err := a.Data()
	y, other := b.Data()
	return err == nil && other == nil && x.Len() > 0 && x.SameRange(y)
}

// embedding returns the stored table from which token ids select rows, and the node that does so.
func (f *finder) embedding() (*graphops.Tensor, *graphops.Node) {
	for i := range f.ports.Inputs {
		in := &f.ports.Inputs[i]
		id := f.value(in.Name)
		if in.Kind != roles.IDs || id == none {
			continue
		}
		for range maxHops {
			next := none
			for _, r := range f.x.Readers(id) {
				switch n := f.nodes[r]; {
				case (n.Is("Gather") || n.OpType() == "GatherBlockQuantized") && f.in(n, 1) == id:
					if t := f.stored(f.in(n, 0)); t != nil {
						return t, n
					}
				case n.StandardOp() == "Reshape" || n.StandardOp() == "Cast":
					next = f.out(n)
				}
			}
			if id = next; id == none {
				break
			}
		}
	}
	return nil, nil
}

// afterHead are operators between the output head and the scores.
var afterHead = map[string]bool{"Cast": true, "Add": true, "Div": true, "Mul": true, "Tanh": true, "Identity": true, "Reshape": true, "Unsqueeze": true, "Squeeze": true}

// weightOf are operators that multiply by weights, and the input that has them.
var weightOf = map[string]int{"MatMul": 1, "Gemm": 1, "MatMulNBits": 1, "FusedMatMul": 1, "MatMulInteger": 1, "DynamicQuantizeMatMul": 1, "MatMulIntegerToFloat": 1, "MatMulBnb4": 1}

// head returns the stored weights of the output head, and the node that multiplies by them.
func (f *finder) head() (*graphops.Tensor, *graphops.Node) {
	for i := range f.ports.Outputs {
		if f.ports.Outputs[i].Kind != roles.Logits {
			continue
		}
		id := f.value(f.inPlace(f.ports.Outputs[i].Name))
		for range maxHops {
			n := f.maker(id)
			if n == nil {
				break
			}
			if at, ok := weightOf[n.OpType()]; ok {
				return f.stored(f.in(n, at)), n
			}
			if !afterHead[n.StandardOp()] {
				break
			}
			next := f.in(n, 0)
			if f.maker(next) == nil || f.constant(next) != nil {
				next = f.in(n, 1)
			}
			id = next
		}
	}
	return nil, nil
}
