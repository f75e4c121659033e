package onnxtext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops"
	"lathe/graphops/fieldnum"
)

// Loss is a part of a model that its text does not contain, because the syntax cannot express it.
type Loss struct {
	What  string // such as "doc_string of a node"
	Count int
	First string // where the first one is; "" for something that a model has once
	// Parser is set if the text contains the part and Parse reads it, but onnx.parser does not.
	Parser bool
}

// LeftOut is the Loss.What for elements that were left out because of Options.MaxElements.
const LeftOut = "elements beyond the maximum number that was requested"

// String returns the loss in one line.
func (l Loss) String() string {
	s := "not in the text: " + l.What
	if l.Parser {
		s = "not read by onnx.parser: " + l.What
	}
	if l.Count > 1 {
		s += fmt.Sprintf(", %d times", l.Count)
	}
	switch {
	case l.First == "":
		return s
	case l.Count > 1:
		return s + ", first at " + l.First
	default:
		return s + ", at " + l.First
	}
}

// lost records that the text does not contain a part of the model at the current position. name is
// the name of that part, if it has one.
func (p *printer) lost(what, name string) {
	if name != "" {
		name = strconv.Quote(name)
	}
	p.tally(Loss{What: what}, name)
}

// unread records that the text contains a part that onnx.parser does not read.
func (p *printer) unread(what string) { p.tally(Loss{What: what, Parser: true}, "") }

func (p *printer) tally(loss Loss, detail string) {
	i := slices.IndexFunc(p.losses, func(l Loss) bool { return l.What == loss.What })
	if i < 0 {
		i = len(p.losses)
		loss.First = p.where(detail)
		p.losses = append(p.losses, loss)
	}
	p.losses[i].Count++
}

// where describes the current position in the model. detail is added at its end, if it is not
// empty.
func (p *printer) where(detail string) string {
	var parts []string
	for _, f := range p.path {
		parts = append(parts, f.String())
	}
	if detail != "" {
		parts = append(parts, detail)
	}
	return strings.Join(parts, " › ")
}

// frame is one level of the path to the part of the model that is being written. It is a node, or a
// graph, function or attribute with its name. The path is used in messages.
type frame struct {
	what, name string
	node       *graphops.Node
	index      int
}

func (f frame) String() string {
	what, name := f.what, f.name
	if f.node != nil {
		what, name = fmt.Sprintf("node %d, %s", f.index, f.node.OpType()), f.node.Name()
	}
	if name == "" {
		return what
	}
	return what + " " + strconv.Quote(name)
}

// part is a kind of message, such as a NodeProto. said is the set of its fields that the syntax can
// express, and unsaid has the names of the other fields that ONNX defines.
type part struct {
	name   string
	said   uint64
	unsaid map[protowire.Number]string
}

func bits(nums ...protowire.Number) (b uint64) {
	for _, n := range nums {
		b |= 1 << n
	}
	return b
}

var (
	modelPart = part{
		"the model",
		bits(fieldnum.ModelIRVersion, fieldnum.ModelProducerName, fieldnum.ModelProducerVersion, fieldnum.ModelDomain, fieldnum.ModelVersion, fieldnum.ModelDoc, fieldnum.ModelOpsetImport, fieldnum.ModelMetadata),
		map[protowire.Number]string{26: "configuration"},
	}
	graphPart = part{
		"a graph", bits(fieldnum.GraphName),
		map[protowire.Number]string{10: "doc_string", 14: "quantization_annotation", 16: "metadata_props"},
	}
	functionPart = part{
		"a function",
		bits(fieldnum.FunctionName, fieldnum.FunctionInput, fieldnum.FunctionOutput, fieldnum.FunctionAttribute, fieldnum.FunctionDoc, fieldnum.FunctionOpset, fieldnum.FunctionDomain, fieldnum.FunctionDefault, fieldnum.FunctionOverload),
		map[protowire.Number]string{14: "metadata_props"},
	}
	nodePart = part{
		"a node", bits(fieldnum.NodeInput, fieldnum.NodeOutput, fieldnum.NodeName, fieldnum.NodeOpType, fieldnum.NodeAttribute, fieldnum.NodeDomain, fieldnum.NodeOverload),
		map[protowire.Number]string{6: "doc_string", 9: "metadata_props", 10: "device_configurations"},
	}
	attributePart = part{
		"an attribute", bits(fieldnum.AttrName, fieldnum.AttrType, fieldnum.AttrRefName),
		map[protowire.Number]string{13: "doc_string"},
	}
	valuePart  = part{"a value", bits(fieldnum.ValueName, fieldnum.ValueType), map[protowire.Number]string{3: "doc_string", 4: "metadata_props"}}
	tensorPart = part{
		"a tensor", bits(fieldnum.TensorDims, fieldnum.TensorDataType, fieldnum.TensorName, fieldnum.TensorExternal, fieldnum.TensorLocation),
		map[protowire.Number]string{3: "segment", 12: "doc_string", 16: "metadata_props"},
	}
	typePart = part{
		"a type", bits(fieldnum.TypeTensor, fieldnum.TypeSequence, fieldnum.TypeMap, fieldnum.TypeOpaque, fieldnum.TypeSparse, fieldnum.TypeOptional),
		map[protowire.Number]string{6: "denotation"},
	}
	dimPart = part{"a dimension", bits(fieldnum.DimValue, fieldnum.DimParam), map[protowire.Number]string{3: "denotation"}}
)

// check records the fields of a message that the syntax cannot express, each once. Fields in also
// count as expressed.
func (p *printer) check(k part, m graphops.Message, also uint64, name string) {
	done := k.said | also
	for f := range m.Fields() {
		bit := uint64(1) << min(f.Number, 63)
		if done&bit != 0 || f.Type == protowire.BytesType && len(f.Value) == 0 {
			continue
		}
		done |= bit
		what, ok := k.unsaid[f.Number]
		if !ok {
			what = "a field that ONNX does not define"
		}
		p.lost(what+" of "+k.name, name)
	}
}
