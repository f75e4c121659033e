//go:build cgo

package stepwise_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/sessiontest"
	"lathe/session/stepwise"
)

// planted is a fault in the models of testdata/decoders.
type planted struct {
	name string
	kind stepwise.Kind
	// edit changes the main graph, or the branch with a past if there is one.
	edit map[string]func(e *graphops.GraphEditor)
}

// past is the number of past positions, at most 1, as the value "one_if_past".
func past(e *graphops.GraphEditor, cache string) {
	before(e,
		node("Shape", []string{cache}, "past_shape"),
		node("Slice", []string{"past_shape", "i_two", "i_three", "i_zero"}, "past_length"),
		node("Min", []string{"past_length", "i_one"}, "one_if_past"),
	)
}

func before(e *graphops.GraphEditor, nodes ...*graphops.Node) {
	e.Nodes = slices.Concat(nodes, e.Nodes)
}

func node(op string, in []string, out ...string) *graphops.Node {
	return graphops.NewNode(graphops.NodeSpec{Op: op, Name: "fault_" + out[0], Inputs: in, Outputs: out})
}

// instead lets the nodes of some operators read another value.
func instead(e *graphops.GraphEditor, was, is string, ops ...string) {
	for i, n := range e.Nodes {
		if slices.Contains(ops, n.OpType()) && !strings.HasPrefix(n.Name(), "fault_") {
			in := slices.Clone(n.Inputs())
			for k := range in {
				if in[k] == was {
					in[k] = is
				}
			}
			e.Nodes[i] = n.WithInputs(in)
		}
	}
}

// after inserts nodes behind the one that makes a value, which gets another name.
func after(e *graphops.GraphEditor, made, as string, nodes ...*graphops.Node) {
	for i, n := range e.Nodes {
		if k := slices.Index(n.Outputs(), made); k >= 0 {
			out := slices.Clone(n.Outputs())
			out[k] = as
			e.Nodes[i] = n.WithOutputs(out)
			e.Nodes = slices.Insert(e.Nodes, i+1, nodes...)
			return
		}
	}
	panic("no node makes " + made)
}

// reversed exchanges the inputs of the Concat that reads a value.
func reversed(e *graphops.GraphEditor, reads string) {
	for i, n := range e.Nodes {
		if n.Is("Concat") && n.Inputs()[0] == reads {
			e.Nodes[i] = n.WithInputs([]string{n.Inputs()[1], n.Inputs()[0]})
			return
		}
	}
	panic("no Concat reads " + reads)
}

// exchanged exchanges the presents of two layers.
func exchanged(part string) func(e *graphops.GraphEditor) {
	return func(e *graphops.GraphEditor) {
		for _, what := range []string{"key", "value"} {
			names := []string{"present.0." + part + what, "present.1." + part + what}
			for i, n := range e.Nodes {
				replace := func(list []string) []string {
					list = slices.Clone(list)
					for k, s := range list {
						if slices.Contains(names, s) {
							list[k] = s + "/own"
						}
					}
					return list
				}
				e.Nodes[i] = n.WithInputs(replace(n.Inputs())).WithOutputs(replace(n.Outputs()))
			}
			e.Nodes = append(e.Nodes, node("Identity", []string{names[0] + "/own"}, names[1]), node("Identity", []string{names[1] + "/own"}, names[0]))
		}
	}
}

var faults = []planted{
	{"position off by one", stepwise.Positions, map[string]func(e *graphops.GraphEditor){
		"grouped": func(e *graphops.GraphEditor) {
			instead(e, "position_ids", "moved", "RotaryEmbedding")
			before(e, node("Add", []string{"position_ids", "one_if_past"}, "moved"))
			past(e, "past_key_values.0.key")
		},
		"joined": func(e *graphops.GraphEditor) {
			instead(e, "position_ids", "moved", "Unsqueeze")
			before(e, node("Add", []string{"position_ids", "one_if_past"}, "moved"))
			past(e, "past_key_values.0.key")
		},
		"encoded": func(e *graphops.GraphEditor) {
			after(e, "later//Range_output_0", "from", node("Add", []string{"from", "i_one"}, "later//Range_output_0"))
			instead(e, "later//Range_output_0", "from", "Unsqueeze")
		},
	}},
	{"mask one short", stepwise.Masked, map[string]func(e *graphops.GraphEditor){
		"grouped": func(e *graphops.GraphEditor) {
			const lengths = "/model/attn_mask_reformat/attn_mask_subgraph/Sub/output_0"
			after(e, lengths, "whole", node("Sub", []string{"whole", "one_if_past"}, lengths))
			past(e, "past_key_values.0.key")
		},
		"joined": func(e *graphops.GraphEditor) {
			instead(e, "attention_mask", "shortened", "Cast")
			before(e,
				node("Slice", []string{"attention_mask", "i_zero", "i_minus", "i_one"}, "all_but_last"),
				node("Slice", []string{"attention_mask", "i_minus", "i_most", "i_one"}, "last"),
				node("Sub", []string{"i_one", "one_if_past"}, "no_past"),
				node("Mul", []string{"last", "no_past"}, "hidden"),
				joins("all_but_last", "hidden", "shortened", 1),
			)
			past(e, "past_key_values.0.key")
		},
		"encoded": func(e *graphops.GraphEditor) {
			after(e, "later//Greater_output_0", "far",
				node("Less", []string{"later//Unsqueeze_output_0", "i_one"}, "oldest"),
				node("Or", []string{"far", "oldest"}, "later//Greater_output_0"))
		},
	}},
	{"written at the wrong place", stepwise.WrongPlace, map[string]func(e *graphops.GraphEditor){
		"grouped": func(e *graphops.GraphEditor) {
			after(e, "present.0.key", "written",
				node("Shape", []string{"written"}, "written_shape"),
				node("Slice", []string{"written_shape", "i_two", "i_three", "i_zero"}, "total"),
				node("Sub", []string{"total", "one_if_past"}, "kept"),
				node("Slice", []string{"written", "kept", "total", "i_two"}, "newest"),
				node("Slice", []string{"written", "i_zero", "kept", "i_two"}, "older"),
				joins("newest", "older", "present.0.key", 2))
			past(e, "past_key_values.0.key")
		},
		"joined":  func(e *graphops.GraphEditor) { reversed(e, "past_key_values.0.key") },
		"encoded": func(e *graphops.GraphEditor) { reversed(e, "past_key_values.0.decoder.key") },
	}},
	{"layers swapped", stepwise.Swapped, map[string]func(e *graphops.GraphEditor){
		"grouped": exchanged(""), "joined": exchanged(""), "encoded": exchanged("decoder."),
	}},
}

func joins(a, b, out string, axis int64) *graphops.Node {
	return graphops.NewNode(graphops.NodeSpec{Op: "Concat", Name: "fault_" + out, Inputs: []string{a, b}, Outputs: []string{out}, Attributes: []*graphops.Attribute{graphops.IntAttribute("axis", axis)}})
}

// withFault returns the model with a fault.
func withFault(m *graphops.Model, edit func(e *graphops.GraphEditor), swaps bool) *graphops.Model {
	body := m.Places()[0]
	for _, p := range m.Places() {
		if !swaps && p.Graph.Name() == "later" {
			body = p
		}
	}
	e := graphops.EditGraph(body.Graph)
	edit(e)
	m = m.WithGraph(body, e.Graph())
	e = graphops.EditGraph(m.Graph())
	for name, n := range map[string]int64{"i_minus": -1, "i_zero": 0, "i_one": 1, "i_two": 2, "i_three": 3, "i_most": 1 << 40} {
		e.Initializers = append(e.Initializers, graphops.NewTensorOf(name, tensor.FromSlice([]int64{n}, 1)))
	}
	return m.WithGraph(m.Places()[0], e.Graph())
}

// TestPlanted finds each planted fault in each decoder, and names its kind.
func TestPlanted(t *testing.T) {
	on := sessiontest.Workers(t)
	for _, f := range faults {
		for _, name := range []string{"grouped", "joined", "encoded"} {
			t.Run(strings.ReplaceAll(f.name, " ", "_")+"/"+name, func(t *testing.T) {
				m, err := graphops.Open(filepath.Join("../../testdata/decoders", name+".onnx"), graphops.OpenOptions{})
				if err != nil {
					t.Fatal(err)
				}
				r := checked(t, on, withFault(m, f.edit[name], f.kind == stepwise.Swapped))
				if r.Verdict != "fail" || r.Kind != f.kind {
					t.Errorf("%s; want kind %s", r.Headline, f.kind)
				}
			})
		}
	}
}
