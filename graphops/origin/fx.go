package origin

import "strings"

// FX is a node of torch.fx, the graph that PyTorch captures before it creates ONNX nodes.
type FX struct {
	Name   string // without its %
	Op     string // such as call_function, get_attr, placeholder
	Target string // what it calls
	Args   string // the arguments as text, "%x, [1, 6]"
	Kwargs string
}

// fxNode parses a line such as
//
//	%linear : [num_users=2] = call_function[target=torch.ops.aten.linear.default](args = (%x, %w), kwargs = {})
func fxNode(s string) (FX, bool) {
	rest, ok := strings.CutPrefix(s, "%")
	if !ok {
		return FX{}, false
	}
	head, call, ok := strings.Cut(rest, " = ")
	if !ok {
		return FX{}, false
	}
	name, _, _ := strings.Cut(head, " : ")
	op, call, ok := strings.Cut(call, "[target=")
	if !ok {
		return FX{Name: name, Op: op}, false
	}
	node := FX{Name: name, Op: op}
	target, args, ok := strings.Cut(call, "](args = (")
	if !ok { // a placeholder or an attribute has no arguments
		node.Target, _, ok = cutLast(call, "]")
		return node, ok
	}
	node.Target = target
	node.Args, node.Kwargs, ok = cutLast(args, "), kwargs = {")
	node.Args = strings.TrimSuffix(node.Args, ",") // from a tuple with one element
	if !ok || !strings.HasSuffix(node.Kwargs, "})") {
		return node, false
	}
	node.Kwargs = strings.TrimSuffix(node.Kwargs, "})")
	return node, true
}

// cutLast is like strings.Cut, but cuts at the last occurrence of sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
