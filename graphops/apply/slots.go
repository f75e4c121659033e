package apply

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/inference"
	"lathe/graphops/tensor"
)

// slot is a value that can take a tensor.
type slot struct {
	name string
	kind Slot
	// typ is the type that the tensor must have; its Elem is Undefined if the model does not
	// declare it.
	typ graphops.Type
	// original and folded are names that an exporter stored in the metadata of the value; see
	// originalName and foldedFrom. They are "" if there is no such metadata.
	original, folded string
	// module is the path of the module whose node reads the value. It is only set for a value with
	// a generated name (see nameless) that exactly one node reads.
	module      string
	isFactor    bool // each reader uses it as the second factor of a product
	isParameter bool // each reader uses it as a parameter of a layer
}

// Metadata keys of value_info under which exporters store former names of a value.
const (
	originalKey = "pkg.torch.onnx.original_node_name"
	foldedKey   = "pkg.onnxscript.optimizer.folded_from"
)

// slots returns the values of a model that can take tensors: first the inputs without initializer,
// then the initializers of the main graph and of all bodies, then the values that nothing defines.
// Values in functions are excluded, because the calls provide them.
func slots(m *graphops.Model) []*slot {
	main := m.Places()[0]
	byName := map[string]*slot{}
	var out []*slot
	add := func(s *slot) {
		if byName[s.name] == nil && s.name != "" {
			byName[s.name] = s
			out = append(out, s)
		}
	}
	initialized := map[string]bool{}
	for _, t := range main.Graph.Initializers() {
		initialized[t.Name()] = true
	}
	for _, v := range main.Graph.Inputs() {
		if !initialized[v.Name()] {
			add(&slot{name: v.Name(), kind: ofInput, typ: v.Type()})
		}
	}
	for _, p := range m.Places() {
		if p.Function != nil {
			continue
		}
		for _, t := range p.Graph.Initializers() {
			add(&slot{name: t.Name(), kind: ofInitializer, typ: typeFrom(t.DType(), t.Dims())})
		}
	}
	for _, name := range missing(m) {
		s := &slot{name: name, kind: ofNothing}
		if info := infoOf(main, name); info != nil {
			s.typ = info.Type()
		}
		add(s)
	}
	note(m, byName)
	return out
}

// typeFrom returns the type of a tensor with the given element type and shape.
func typeFrom(elem tensor.DType, dims []int64) graphops.Type {
	return graphops.Type{Kind: graphops.TypeTensor, Elem: elem, Shape: graphops.FixedShape(dims)}
}

func infoOf(p *graphops.Place, name string) *graphops.ValueInfo {
	if id, ok := p.Graph.Index().Value(name); ok {
		return p.Graph.Index().Info(id)
	}
	return nil
}

// missing returns the names that nodes read or graphs return although nothing defines them, in
// order of first use.
func missing(m *graphops.Model) []string {
	var out []string
	seen := map[string]bool{}
	look := func(p *graphops.Place, name string) {
		if name == "" || seen[name] || defined(p, name) {
			return
		}
		seen[name] = true
		out = append(out, name)
	}
	for _, p := range m.Places() {
		if p.Function != nil {
			continue
		}
		for _, n := range p.Graph.Nodes() {
			for _, name := range n.Inputs() {
				look(p, name)
			}
		}
		for _, v := range p.Graph.Outputs() {
			look(p, v.Name())
		}
	}
	return out
}

// defined reports whether the place, or one that encloses it, defines the name.
func defined(p *graphops.Place, name string) bool {
	for ; p != nil; p = p.Parent {
		if id, ok := p.Graph.Index().Value(name); ok && p.Graph.Index().IsDefined(id) {
			return true
		}
	}
	return false
}

// note completes the slots with the names in the metadata of exporters and with how nodes read the
// value.
func note(m *graphops.Model, byName map[string]*slot) {
	read := map[*slot]bool{}
	for _, s := range byName {
		s.isFactor, s.isParameter = true, true
	}
	for _, p := range m.Places() {
		if p.Function != nil {
			continue
		}
		for _, v := range p.Graph.ValueInfo() {
			if s := byName[v.Name()]; s != nil {
				for _, e := range v.Metadata() {
					s.noted(e)
				}
			}
		}
		for _, n := range p.Graph.Nodes() {
			for i, name := range n.Inputs() {
				s := byName[name]
				if s == nil {
					continue
				}
				s.readBy(n, read[s])
				read[s] = true
				s.isFactor = s.isFactor && i == 1 && (n.Is("MatMul") || n.Is("Gemm"))
				s.isParameter = s.isParameter && (inference.IsParameter(n, i) || i == 1 && n.Is("MatMul"))
			}
		}
	}
	for _, s := range byName {
		s.isFactor, s.isParameter = s.isFactor && read[s], s.isParameter && read[s] && s.isFixed()
	}
}

// nameless is the prefix of the names, such as onnx::MatMul_12, that the TorchScript exporter
// generates for folded constants.
const nameless = "onnx::"

// readBy sets module from the name of the reading node n, if s has a generated name. again reports
// that another node reads s too; then module becomes "".
func (s *slot) readBy(n *graphops.Node, again bool) {
	s.module = ""
	if again || !strings.HasPrefix(s.name, nameless) {
		return
	}
	if at := strings.LastIndexByte(n.Name(), '/'); at > 0 {
		s.module = strings.ReplaceAll(strings.Trim(n.Name()[:at], "/"), "/", ".")
	}
}

// isWeight reports whether s is a float tensor of known shape with more than one element. A scalar
// may be a constant of the computation.
func (s *slot) isWeight() bool {
	return s.typ.Elem.Kind() == tensor.KindFloat && s.isFixed() && slices.ContainsFunc(s.typ.Shape, func(d graphops.Dim) bool { return d.Value > 1 })
}

func (s *slot) noted(e graphops.Entry) {
	switch e.Key {
	case originalKey:
		s.original = e.Value
	case foldedKey:
		if names := pythonList(e.Value); len(names) == 1 {
			s.folded = names[0]
		}
	}
}

// isFixed reports whether all sizes of the shape are numbers, as those of a parameter are.
func (s *slot) isFixed() bool {
	return s.typ.Shape != nil && !slices.ContainsFunc(s.typ.Shape, func(d graphops.Dim) bool { return !d.IsFixed() })
}

// takes reports whether a tensor of the given type and shape fits the slot.
func (s *slot) takes(d tensor.DType, dims []int64) bool {
	switch {
	case s.typ.Elem != tensor.Undefined && s.typ.Elem != d:
		return false
	case s.typ.Shape == nil:
		return true
	case len(s.typ.Shape) != len(dims):
		return false
	}
	for i, d := range s.typ.Shape {
		if d.IsFixed() && d.Value != dims[i] {
			return false
		}
	}
	return true
}

// pythonList parses a list of strings as Python prints it; nil if the text is not such a list.
func pythonList(s string) []string {
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return nil
	}
	var out []string
	for rest := s[1 : len(s)-1]; rest != ""; {
		quote := rest[0]
		if quote != '\'' && quote != '"' {
			return nil
		}
		end := 1
		for end < len(rest) && rest[end] != quote {
			if rest[end] == '\\' {
				return nil // module names never need escapes
			}
			end++
		}
		if end == len(rest) {
			return nil
		}
		out = append(out, rest[1:end])
		switch rest = rest[end+1:]; {
		case rest == "":
		case len(rest) > 2 && rest[:2] == ", ":
			rest = rest[2:]
		default:
			return nil
		}
	}
	return out
}
