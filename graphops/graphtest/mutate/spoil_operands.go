package mutate

import (
	"fmt"
	"slices"

	"lathe/graphops/onnxpb"
)

// operand returns a random node and the index of one of its inputs that is not omitted.
func (s *spoiler) operand() (*onnxpb.NodeProto, int, []Site) {
	n, at := s.draw(hasInputs)
	if n == nil {
		return nil, 0, nil
	}
	i := s.rng.IntN(len(n.Input))
	if n.Input[i] == "" {
		return nil, 0, nil
	}
	return n, i, []Site{at}
}

func (s *spoiler) renameOperand() (string, []Site) {
	n, i, at := s.operand()
	if n == nil {
		return "", nil
	}
	was := n.Input[i]
	n.Input[i] = s.misspelt(was)
	return fmt.Sprintf("%s reads %q, not %q", n.GetOpType(), n.Input[i], was), at
}

func (s *spoiler) removeOperand() (string, []Site) {
	n, i, at := s.operand()
	if n == nil {
		return "", nil
	}
	n.Input = slices.Delete(n.Input, i, i+1)
	return fmt.Sprintf("%s has lost input %d", n.GetOpType(), i), at
}

func (s *spoiler) emptyOperand() (string, []Site) {
	n, i, at := s.operand()
	if n == nil {
		return "", nil
	}
	n.Input[i] = ""
	return fmt.Sprintf("input %d of %s is left out", i, n.GetOpType()), at
}

func (s *spoiler) addOperand() (string, []Site) {
	n, i, at := s.operand()
	if n == nil {
		return "", nil
	}
	n.Input = append(n.Input, n.Input[i])
	return fmt.Sprintf("%s reads %q once more", n.GetOpType(), n.Input[i]), at
}

func (s *spoiler) exchangeOperands() (string, []Site) {
	n, i, at := s.operand()
	if n == nil {
		return "", nil
	}
	j := s.rng.IntN(len(n.Input))
	if n.Input[i] == n.Input[j] {
		return "", nil
	}
	n.Input[i], n.Input[j] = n.Input[j], n.Input[i]
	return fmt.Sprintf("inputs %d and %d of %s are exchanged", i, j, n.GetOpType()), at
}

// redirect makes a node read another value that is available to it.
func (s *spoiler) redirect() (string, []Site) {
	n, i, at := s.operand()
	if n == nil {
		return "", nil
	}
	sc := s.scopes[at[0].Place]
	var values []string
	if sc.graph != nil {
		for _, v := range sc.graph.GetInput() {
			values = append(values, v.GetName())
		}
		for _, t := range sc.graph.GetInitializer() {
			values = append(values, t.GetName())
		}
	}
	for _, before := range sc.nodes[:at[0].Node] {
		values = append(values, before.GetOutput()...)
	}
	value := pick(s.mutator, values)
	if value == "" || value == n.Input[i] {
		return "", nil
	}
	was := n.Input[i]
	n.Input[i] = value
	return fmt.Sprintf("%s reads %q, not %q", n.GetOpType(), value, was), at
}

// turnBack makes a node read a value that depends on the node.
func (s *spoiler) turnBack() (string, []Site) {
	n, i, at := s.operand()
	if n == nil {
		return "", nil
	}
	behind := map[string]bool{}
	var values []string
	for _, after := range s.scopes[at[0].Place].nodes[at[0].Node:] {
		if after != n && !slices.ContainsFunc(after.GetInput(), func(name string) bool { return behind[name] }) {
			continue
		}
		for _, name := range after.GetOutput() {
			if name != "" {
				behind[name] = true
				values = append(values, name)
			}
		}
	}
	if len(values) == 0 {
		return "", nil
	}
	n.Input[i] = pick(s.mutator, values)
	return fmt.Sprintf("%s reads %q, which needs it", n.GetOpType(), n.Input[i]), at
}

func (s *spoiler) addOutput() (string, []Site) {
	n, at := s.draw(anyNode)
	if n == nil {
		return "", nil
	}
	n.Output = append(n.Output, "superfluous")
	return fmt.Sprintf("%s has an output more", n.GetOpType()), []Site{at}
}

// makeTwice makes two nodes of a place produce a value with the same name.
func (s *spoiler) makeTwice() (string, []Site) {
	n, at := s.draw(func(n *onnxpb.NodeProto) bool { return len(n.GetOutput()) > 0 })
	if n == nil {
		return "", nil
	}
	j := s.rng.IntN(len(s.scopes[at.Place].nodes))
	other := s.scopes[at.Place].nodes[j]
	if other == n || len(other.GetOutput()) == 0 || other.Output[0] == "" {
		return "", nil
	}
	was := n.Output[0]
	n.Output[0] = other.Output[0]
	return fmt.Sprintf("%s makes %q, not %q", n.GetOpType(), n.Output[0], was), []Site{at, {at.Place, j}}
}
