package graphtest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
)

// The versions of a model whose text does not state them.
const (
	defaultIR    = 8
	defaultOpset = 17
)

// parser reads lines into the model, or into the graph or function that is open.
type parser struct {
	model    *onnxpb.ModelProto
	graph    *onnxpb.GraphProto // to which lines are added
	bodies   map[string]*onnxpb.GraphProto
	function *onnxpb.FunctionProto
}

func parse(text string) (*onnxpb.ModelProto, error) {
	p := &parser{
		model:  &onnxpb.ModelProto{IrVersion: proto.Int64(defaultIR), Graph: &onnxpb.GraphProto{Name: proto.String("g")}},
		bodies: map[string]*onnxpb.GraphProto{},
	}
	p.graph = p.model.Graph
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d %q: %w", i+1, line, err)
		}
	}
	if len(p.model.OpsetImport) == 0 {
		p.opset("", defaultOpset)
	}
	return p.model, nil
}

var nodeLine = regexp.MustCompile(`^(?:([^=(]*): )?([^=(]*) = (?:([\w.]+)::)?(\w+)\(([^)]*)\)(.*)$`)

func (p *parser) line(line string) error {
	if m := nodeLine.FindStringSubmatch(line); m != nil {
		return p.node(m)
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "ir", "opset":
		return p.version(word, strings.Fields(rest))
	case "metadata":
		key, value, _ := strings.Cut(rest, " ")
		p.model.MetadataProps = append(p.model.MetadataProps, &onnxpb.StringStringEntryProto{Key: &key, Value: &value})
	case "input", "output", "value":
		return p.value(word, rest)
	case "init", "sparse":
		return p.initializer(word, rest)
	case "graph":
		p.graph = &onnxpb.GraphProto{Name: proto.String(rest)}
		p.bodies[rest] = p.graph
	case "function":
		return p.open(rest)
	case "end":
		if p.function != nil {
			p.function.Node = p.graph.Node
		}
		p.graph, p.function = p.model.Graph, nil
	default:
		return fmt.Errorf("%q begins no statement", word)
	}
	return nil
}

func (p *parser) version(word string, args []string) error {
	domain := ""
	if word == "opset" && len(args) == 2 {
		domain, args = args[0], args[1:]
	}
	if len(args) != 1 {
		return fmt.Errorf("%s takes one number", word)
	}
	n, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return err
	}
	if word == "ir" {
		p.model.IrVersion = &n
		return nil
	}
	p.opset(domain, n)
	return nil
}

func (p *parser) opset(domain string, version int64) {
	p.model.OpsetImport = append(p.model.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: &domain, Version: &version})
}

func (p *parser) value(word, rest string) error {
	name, typ, _ := strings.Cut(rest, " ")
	v := &onnxpb.ValueInfoProto{Name: &name}
	if typ != "" {
		t, err := parseType(typ)
		if err != nil {
			return err
		}
		v.Type = t
	}
	switch word {
	case "input":
		p.graph.Input = append(p.graph.Input, v)
	case "output":
		p.graph.Output = append(p.graph.Output, v)
	default:
		p.graph.ValueInfo = append(p.graph.ValueInfo, v)
	}
	return nil
}

func (p *parser) initializer(word, rest string) error {
	name, literal, _ := strings.Cut(rest, " ")
	literal, at, _ := strings.Cut(literal, " at ")
	if word == "init" {
		t, err := parseTensor(name, literal)
		p.graph.Initializer = append(p.graph.Initializer, t)
		return err
	}
	typ, values, _ := strings.Cut(literal, " ")
	elem, _, _ := strings.Cut(typ, "[")
	count := len(strings.Fields(values))
	dense, err := parseTensor(name, fmt.Sprintf("%s[%d] %s", elem, count, values))
	if err != nil {
		return err
	}
	indices, err := parseTensor("", fmt.Sprintf("i64[%d] %s", count, at))
	if err != nil {
		return err
	}
	whole, err := parseTensor("", typ)
	p.graph.SparseInitializer = append(p.graph.SparseInitializer,
		&onnxpb.SparseTensorProto{Values: dense, Indices: indices, Dims: whole.GetDims()})
	return err
}

var functionLine = regexp.MustCompile(`^(\S+) (\w+)\(([^)]*)\) -> \(([^)]*)\)$`)

// open starts a function: the lines up to "end" belong to it.
func (p *parser) open(rest string) error {
	m := functionLine.FindStringSubmatch(rest)
	if m == nil {
		return fmt.Errorf("expected: function DOMAIN NAME(INPUTS) -> (OUTPUTS)")
	}
	p.function = &onnxpb.FunctionProto{
		Domain: &m[1], Name: &m[2], Input: names(m[3]), Output: names(m[4]),
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Domain: proto.String(""), Version: proto.Int64(defaultOpset)}},
	}
	p.model.Functions = append(p.model.Functions, p.function)
	p.graph = &onnxpb.GraphProto{}
	return nil
}

// names splits a list of names. An empty item or "_" is an omitted input or output.
func names(list string) []string {
	if strings.TrimSpace(list) == "" {
		return nil
	}
	out := strings.Split(list, ",")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
		if out[i] == "_" {
			out[i] = ""
		}
	}
	return out
}

func (p *parser) node(m []string) error {
	n := &onnxpb.NodeProto{Output: names(m[2]), OpType: &m[4], Input: names(m[5])}
	if m[1] != "" {
		n.Name = &m[1]
	}
	if m[3] != "" {
		n.Domain = &m[3]
	}
	for rest := strings.TrimSpace(m[6]); rest != ""; rest = strings.TrimSpace(rest) {
		a, tail, err := p.attribute(rest)
		if err != nil {
			return err
		}
		n.Attribute = append(n.Attribute, a)
		rest = tail
	}
	p.graph.Node = append(p.graph.Node, n)
	return nil
}
