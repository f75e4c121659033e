package edit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
)

// Attribute changes attributes of nodes.
type Attribute struct {
	Node   []string
	Set    []string
	Remove []string
	typing
	editing
}

// Name implements session.Step.
func (*Attribute) Name() string { return "attribute" }

// Summary implements session.Step.
func (*Attribute) Summary() string { return "change, add and remove attributes of nodes" }

// Options implements session.Step.
func (s *Attribute) Options() []session.Option {
	return slices.Concat([]session.Option{
		session.List(&s.Node, "node", "change node `NAME`, or #POSITION; repeat for several").AsRequired().Naming(session.NamesNode, ""),
		session.Keyed(&s.Set, "set", "set `ATTR=VALUE`; VALUE has the attribute's kind, or the kind that the operator declares; name element types, such as to=f16; write other values as 3, 0.5, [1,2], [0.5,nan], [\"a\",\"b\"], "+
			"f32[2]{1,2} or text; ATTR:KIND=VALUE states the kind: int, float, string, ints, floats, strings or tensor; ATTR:ref=NAME takes the value of the function's attribute NAME; repeat for several").Naming(session.NamesAttribute, "="),
		session.List(&s.Remove, "remove", "remove attribute `ATTR`; repeat for several").Naming(session.NamesAttribute, ""),
	}, s.typing.options(), s.editing.options())
}

// Preview implements session.Step.
func (s *Attribute) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	return s.preview(s.Name(), m, s.edit(ctx, env))
}

// Run implements session.Step.
func (s *Attribute) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	return s.run(ctx, env, s.Name(), m, s.edit(ctx, env))
}

func (s *Attribute) edit(ctx context.Context, env session.Env) editFunc {
	return func(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
		o := edit.AttributeOptions{Nodes: s.Node, Remove: s.Remove, Typing: s.typing.value(env)}
		for _, text := range s.Set {
			set, err := attributeSetting(text)
			if err != nil {
				return nil, nil, err
			}
			o.Set = append(o.Set, set)
		}
		if len(o.Set)+len(o.Remove) == 0 {
			return nil, nil, session.UsageError("attribute: give --set ATTR=VALUE or --remove ATTR")
		}
		return edit.Attributes(ctx, m, at, o)
	}
}

// attributeKinds are the kinds that an attribute can be set to.
var attributeKinds = []graphops.AttributeKind{
	graphops.AttrInt, graphops.AttrFloat, graphops.AttrString, graphops.AttrInts, graphops.AttrFloats, graphops.AttrStrings, graphops.AttrTensor,
}

// attributeSetting reads "ATTR=VALUE", "ATTR:KIND=VALUE", "ATTR:ref=NAME" and
// "ATTR:ref(KIND)=NAME". It splits at the first "=": values may contain one, names of attributes do
// not.
func attributeSetting(s string) (edit.AttributeSetting, error) {
	left, text, ok := strings.Cut(s, "=")
	if !ok || left == "" {
		return edit.AttributeSetting{}, session.UsageError(fmt.Sprintf("--set %q: expected ATTR=VALUE or ATTR:KIND=VALUE", s))
	}
	set := edit.AttributeSetting{Name: left, Text: text}
	i := strings.LastIndex(left, ":")
	if i < 0 {
		return set, nil
	}
	set.Name = left[:i]
	kind := left[i+1:]
	if inner, isRef := strings.CutPrefix(kind, "ref"); isRef {
		if set.Ref = true; inner == "" {
			return set, nil
		}
		kind = strings.TrimSuffix(strings.TrimPrefix(inner, "("), ")")
	}
	at := slices.IndexFunc(attributeKinds, func(k graphops.AttributeKind) bool { return k.String() == kind })
	if at < 0 {
		return set, session.UsageError(fmt.Sprintf("--set %q: %q is not a kind of attribute; expected one of int, float, string, ints, floats, strings, tensor, ref", s, left[i+1:]))
	}
	set.Kind = attributeKinds[at]
	return set, nil
}
