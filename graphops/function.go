package graphops

import (
	"crypto/sha256"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// Function is a model-local function.
type Function struct {
	name, domain, overload string
	graph                  *Graph // its inputs and outputs have no types
	head                   []byte // everything except the nodes and value_info
}

// FunctionKey identifies a function. The node that calls it has the same domain, name (as op_type)
// and overload.
type FunctionKey struct{ Domain, Name, Overload string }

// Key returns the function's key.
func (f *Function) Key() FunctionKey {
	return FunctionKey{NormalDomain(f.domain), f.name, f.overload}
}

// Graph returns the function's nodes and values. Its inputs and outputs are the formal parameters.
// A function cannot capture values of a graph around it.
func (f *Function) Graph() *Graph { return f.graph }

// Opsets returns the operator sets that the function imports for its own nodes.
func (f *Function) Opsets() []Opset { return opsetsOf(f.head, fieldnum.FunctionOpset) }

// Opset returns the version of a domain that the function imports. If it imports the domain several
// times, the last import counts.
func (f *Function) Opset(domain string) (int64, bool) { return versionIn(f.Opsets(), domain) }

// OpsetVersions returns the versions of all domains that the function imports. If it imports a
// domain several times, the last import counts.
func (f *Function) OpsetVersions() map[string]int64 { return versionsOf(f.Opsets()) }

// WithOpset returns the function with the imported version of a domain changed.
func (f *Function) WithOpset(domain string, version int64) *Function {
	c := *f
	set, stated := Opset{NormalDomain(domain), version}, false
	opsets := slices.Clone(f.Opsets())
	for i, o := range opsets {
		if NormalDomain(o.Domain) == set.Domain {
			opsets[i], stated = set, true
		}
	}
	if !stated {
		opsets = append(opsets, set)
	}
	c.head = withImports(f.head, fieldnum.FunctionOpset, opsets)
	return &c
}

// withGraph returns the function with g as its content. The names of its inputs and outputs become
// those of g.
func (f *Function) withGraph(g *Graph) *Function {
	c := *f
	c.graph = g
	if !slices.EqualFunc(g.inputs, f.graph.inputs, sameName) || !slices.EqualFunc(g.outputs, f.graph.outputs, sameName) {
		c.head = without(f.head, fieldnum.FunctionInput, fieldnum.FunctionOutput)
		for _, v := range g.inputs {
			c.head = appendString(c.head, fieldnum.FunctionInput, v.name)
		}
		for _, v := range g.outputs {
			c.head = appendString(c.head, fieldnum.FunctionOutput, v.name)
		}
	}
	return &c
}

func sameName(a, b *ValueInfo) bool { return a.name == b.name }

// WithKey returns the function with another domain, name and overload.
func (f *Function) WithKey(k FunctionKey) *Function {
	c := *f
	c.name, c.domain, c.overload = k.Name, k.Domain, k.Overload
	c.head = without(f.head, fieldnum.FunctionName, fieldnum.FunctionDomain, fieldnum.FunctionOverload)
	c.head = appendString(c.head, fieldnum.FunctionName, k.Name)
	c.head = appendString(c.head, fieldnum.FunctionDomain, k.Domain)
	if k.Overload != "" {
		c.head = appendString(c.head, fieldnum.FunctionOverload, k.Overload)
	}
	return &c
}

// Calls returns the key of the function that the node calls if the model has such a function.
func (n *Node) Calls() FunctionKey { return FunctionKey{n.Domain(), n.opType, n.overload} }

// AttributeNames returns the names of the attributes that have no default, so that a call must have
// them.
func (f *Function) AttributeNames() []string {
	var out []string
	for fd := range fieldsOf(f.head) {
		if fd.num == fieldnum.FunctionAttribute && fd.typ == protowire.BytesType {
			out = append(out, text(fd.value))
		}
	}
	return out
}

// DefaultAttributes returns the attributes that a call may omit, with their default values.
func (f *Function) DefaultAttributes() []*Attribute {
	var out []*Attribute
	for fd := range fieldsOf(f.head) {
		if fd.num == fieldnum.FunctionDefault && fd.typ == protowire.BytesType {
			out = append(out, mustAttribute(fd.value))
		}
	}
	return out
}

// Same reports whether the serialized forms of two functions are identical. It does not compare the
// functions that they call. If a function has external data, Same returns false, because files with
// the same name may differ.
func (f *Function) Same(other *Function) (bool, error) {
	var sums [2][sha256.Size]byte
	for i, fn := range []*Function{f, other} {
		if fn.graph.hasExternal() {
			return false, nil
		}
		hash := sha256.New()
		e := encoder{w: hash}
		if e.function(fn); e.err != nil {
			return false, e.err
		}
		sums[i] = [sha256.Size]byte(hash.Sum(nil))
	}
	return sums[0] == sums[1], nil
}

// hasExternal reports whether a tensor of the graph, or of a body inside it, has external data.
func (g *Graph) hasExternal() bool {
	for _, n := range g.nodes {
		if slices.ContainsFunc(n.tensors(), (*Tensor).IsExternal) || slices.ContainsFunc(n.Graphs(), (*Graph).hasExternal) {
			return true
		}
	}
	return slices.ContainsFunc(g.initializers, (*Tensor).IsExternal)
}

// Calling returns the node with the name and overload of another function. The domain stays the
// same.
func (n *Node) Calling(k FunctionKey) *Node {
	c := *n
	c.opType, c.overload = k.Name, k.Overload
	return c.rewritten()
}
