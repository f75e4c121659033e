package mutate

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

// tensorTypes returns the inputs or outputs in ports that are tensors.
func tensorTypes(ports []*onnxpb.ValueInfoProto) []*onnxpb.ValueInfoProto {
	return slices.DeleteFunc(slices.Clone(ports), func(v *onnxpb.ValueInfoProto) bool { return v.GetType().GetTensorType() == nil })
}

// retype changes the element type of a random input or output in ports.
func (s *spoiler) retype(ports []*onnxpb.ValueInfoProto) (name, what string) {
	v := pick(s.mutator, tensorTypes(ports))
	d := pick(s.mutator, []tensor.DType{tensor.F32, tensor.F64, tensor.I64, tensor.Bool, tensor.String, tensor.F16})
	if v == nil || v.Type.GetTensorType().GetElemType() == int32(d) {
		return "", ""
	}
	v.Type.GetTensorType().ElemType = proto.Int32(int32(d))
	return v.GetName(), fmt.Sprintf("%q is declared as %v", v.GetName(), d)
}

func (s *spoiler) retypeInput() (string, []Site) {
	name, what := s.retype(s.model.GetGraph().GetInput())
	s.value = name
	return what, s.readers(name)
}

func (s *spoiler) retypeOutput() (string, []Site) {
	name, what := s.retype(s.model.GetGraph().GetOutput())
	s.value = name
	return what, s.makers(name)
}

// reshapeInput changes a size or the rank in the declaration of an input.
func (s *spoiler) reshapeInput() (string, []Site) {
	v := pick(s.mutator, tensorTypes(s.model.GetGraph().GetInput()))
	if v == nil || v.Type.GetTensorType().GetShape() == nil {
		return "", nil
	}
	shape := v.Type.GetTensorType().Shape
	if len(shape.Dim) == 0 || s.rng.IntN(3) == 0 {
		shape.Dim = append(shape.Dim, &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: 3}})
	} else {
		i := s.rng.IntN(len(shape.Dim))
		shape.Dim[i] = &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: shape.Dim[i].GetDimValue() + 5}}
	}
	s.value = v.GetName()
	return fmt.Sprintf("%q is declared with dimensions %v", v.GetName(), dimensions(shape)), s.readers(v.GetName())
}

// changeOpset usually lowers the imported version of a domain, and sometimes raises it. Only the
// runtime can say which nodes are affected.
func (s *spoiler) changeOpset() (string, []Site) {
	o := pick(s.mutator, s.model.GetOpsetImport())
	if o == nil || o.GetVersion() < 2 {
		return "", nil
	}
	was := o.GetVersion()
	o.Version = proto.Int64(1 + int64(s.rng.IntN(int(min(was, 26)))) + int64(s.rng.IntN(4)))
	if o.GetVersion() == was {
		return "", nil
	}
	return fmt.Sprintf("opset %d of domain %q, not %d", o.GetVersion(), o.GetDomain(), was), nil
}

func (s *spoiler) dropImport() (string, []Site) {
	i := s.rng.IntN(max(len(s.model.GetOpsetImport()), 1))
	if len(s.model.GetOpsetImport()) < 2 {
		return "", nil
	}
	domain := s.model.OpsetImport[i].GetDomain()
	s.model.OpsetImport = slices.Delete(s.model.OpsetImport, i, i+1)
	return fmt.Sprintf("domain %q is not imported", domain), s.where(func(n *onnxpb.NodeProto) bool { return n.GetDomain() == domain })
}

// calls lists the nodes that call a function.
func (s *spoiler) calls(f *onnxpb.FunctionProto) []Site {
	return s.where(func(n *onnxpb.NodeProto) bool {
		return n.GetDomain() == f.GetDomain() && n.GetOpType() == f.GetName()
	})
}

func (s *spoiler) removeFunction() (string, []Site) {
	if len(s.model.GetFunctions()) == 0 {
		return "", nil
	}
	i := s.rng.IntN(len(s.model.Functions))
	f := s.model.Functions[i]
	s.model.Functions = slices.Delete(s.model.Functions, i, i+1)
	s.scopes = scopesOf(s.model)
	return fmt.Sprintf("function %s is gone", f.GetName()), s.calls(f)
}

// changeFunction changes a function in a way that makes its calls invalid.
func (s *spoiler) changeFunction() (string, []Site) {
	f := pick(s.mutator, s.model.GetFunctions())
	if f == nil {
		return "", nil
	}
	at := s.calls(f)
	place := 1 + slices.IndexFunc(s.scopes[1:], func(sc scope) bool {
		return sc.graph == nil && len(sc.nodes) > 0 && len(f.Node) > 0 && sc.nodes[0] == f.Node[0]
	})
	if place == 0 {
		return "", nil
	}
	inside := func(name string) {
		for i, n := range f.Node {
			if slices.Contains(n.GetInput(), name) || slices.Contains(n.GetOutput(), name) {
				at = append(at, Site{place, i})
			}
		}
	}
	if s.rng.IntN(2) == 0 && len(f.Input) > 0 {
		was := f.Input[0]
		inside(was)
		f.Input = f.Input[1:]
		return fmt.Sprintf("function %s has lost its input %q", f.GetName(), was), at
	}
	if len(f.Output) == 0 {
		return "", nil
	}
	was := f.Output[0]
	inside(was)
	f.Output[0] = s.misspelt(was)
	return fmt.Sprintf("function %s gives %q, not %q", f.GetName(), f.Output[0], was), at
}

// body returns a random body of a node.
func (s *spoiler) body() *scope {
	var bodies []*scope
	for i := range s.scopes {
		if sc := &s.scopes[i]; sc.graph != nil && sc.place > 0 {
			bodies = append(bodies, sc)
		}
	}
	return pick(s.mutator, bodies)
}

func (s *spoiler) removeBodyOutput() (string, []Site) {
	b := s.body()
	if b == nil || len(b.graph.Output) == 0 {
		return "", nil
	}
	i := s.rng.IntN(len(b.graph.Output))
	was := b.graph.Output[i].GetName()
	b.graph.Output = slices.Delete(b.graph.Output, i, i+1)
	return fmt.Sprintf("a body has lost its output %q", was), []Site{b.holder}
}

// changeBodyInput adds an input to a body, or removes one.
func (s *spoiler) changeBodyInput() (string, []Site) {
	b := s.body()
	if b == nil {
		return "", nil
	}
	at := []Site{b.holder}
	if len(b.graph.Input) > 0 && s.rng.IntN(2) == 0 {
		last := b.graph.Input[len(b.graph.Input)-1].GetName()
		for _, r := range s.readers(last) {
			if r.Place == b.place {
				at = append(at, r)
			}
		}
		b.graph.Input = b.graph.Input[:len(b.graph.Input)-1]
		return fmt.Sprintf("a body has lost its input %q", last), at
	}
	b.graph.Input = append(b.graph.Input, &onnxpb.ValueInfoProto{Name: proto.String("superfluous")})
	return "a body has an input more", at
}

func (s *spoiler) retypeBodyOutput() (string, []Site) {
	b := s.body()
	if b == nil {
		return "", nil
	}
	name, what := s.retype(b.graph.GetOutput())
	at := []Site{b.holder}
	for i, n := range b.nodes {
		if slices.Contains(n.GetOutput(), name) {
			at = append(at, Site{b.place, i})
		}
	}
	return what, at
}
