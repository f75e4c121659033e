package check_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/check/suspect"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
)

// planting are sound models in which faults are planted.
var planting = []string{
	"../../testdata/cnn_batch1.onnx", "../../testdata/digits.onnx", "../../testdata/lm_batch1.onnx", "../../testdata/mlp_dynamo.onnx",
	"../../testdata/rnn_batch1.onnx", "../../testdata/vit_batch1.onnx", "../../../shared/models/vision/squeezenet.onnx",
	"../../../shared/models/optimum/t5/encoder_model.onnx", "../../../shared/models/optimum/vit/model.onnx",
	"../../../shared/models/optimum/wav2vec2/model.onnx", "../../../shared/models/optimum/whisper/encoder_model.onnx",
	"../../../shared/models/optimum/yolos/model.onnx",
}

// plants returns faults: changes of one attribute of a node in the main graph.
func plants(m *graphops.Model, r *shape.Result) (out []suspect.Change) {
	p := m.Places()[0]
	versions := map[string]int64{}
	for _, o := range m.Opsets() {
		versions[o.Domain] = o.Version
	}
	facts := suspect.Facts{
		Schema: func(p *graphops.Place, node int) *opschema.Schema {
			n := p.Graph.Nodes()[node]
			s, _ := opschema.Find(n.Domain(), n.OpType(), versions[n.Domain()])
			return s
		},
		Rank: func(p *graphops.Place, value string) int {
			if v, ok := p.Graph.Index().Value(value); ok && r.Value(p, v).Dims != nil {
				return len(r.Value(p, v).Dims)
			}
			return -1
		},
	}
	for i := range p.Graph.Nodes() {
		out = append(out, suspect.At(p, i, facts)...)
	}
	return out
}

// TestPlantedFaults changes one attribute of a sound model, and counts how often the changed node is
// named as the cause of an error. That another one is named must be rare, because it misleads.
func TestPlantedFaults(t *testing.T) {
	total := map[string]int{}
	for _, file := range planting {
		m := opened(t, file)
		if m == nil {
			continue
		}
		for _, p := range problemsOf(t, m) {
			if p.Severity == check.Error || p.Suspect != nil {
				t.Fatalf("%s is not sound: %s", file, p)
			}
		}
		types, err := shape.Infer(t.Context(), m, shape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all := plants(m, types)
		for i := 0; i < len(all); i += max(len(all)/plantsOfModel, 1) {
			found := problemsOf(t, all[i].Apply(m))
			if check.OK(found) {
				continue
			}
			verdict := judge(found, all[i])
			total[verdict]++
			if verdict == "another" {
				c := all[i]
				t.Logf("%s: %s of %s was %s and is %s: %s", file, c.Attribute.Name(), c.Place.Graph.Nodes()[c.Node].Name(), c.Is, c.Want, found[0].Hint)
			}
		}
	}
	errors := total["value"] + total["node"] + total["another"] + total["none"]
	t.Logf("%d changes make an error. The node with the change is named for %d, for %d of these with the one value that it had; another node for %d; none for %d.",
		errors, total["value"]+total["node"], total["value"], total["another"], total["none"])
	if 10*(total["value"]+total["node"]) < 8*errors || 50*total["another"] > errors {
		t.Error("too few are named, or too many wrong ones")
	}
}

// opened returns the model in a file, or nil if the shared models are not here.
func opened(t *testing.T, file string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(file, graphops.OpenOptions{})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Log("left out:", err)
		return nil
	case err != nil:
		t.Fatal(err)
	}
	return m
}

// plantsOfModel is about how many changes are tried in a model.
const plantsOfModel = 12

func problemsOf(t *testing.T, m *graphops.Model) []check.Problem {
	t.Helper()
	found, err := check.Model(t.Context(), m, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// judge says which node the problems of a model with a planted fault name.
func judge(found []check.Problem, c suspect.Change) string {
	for _, p := range found {
		switch s := p.Suspect; {
		case s != nil && s.Node == c.Node && slices.Equal(s.Fits, []string{c.Is}):
			return "value"
		case s != nil && s.Node == c.Node, p.Cause != nil && p.Cause.Node == c.Node:
			return "node"
		case s != nil:
			return "another"
		case p.Fix != nil && slices.Contains(p.Fix.Options, check.Setting{Option: "node", Value: fmt.Sprintf("#%d", c.Node)}):
			return "node"
		}
	}
	return "none"
}

// TestPlantedSizes changes one attribute of a sound model so that it runs at one size only. That is a
// warning. A suspect must be the changed node.
func TestPlantedSizes(t *testing.T) {
	total := map[string]int{}
	for _, file := range planting {
		m := opened(t, file)
		if m == nil {
			continue
		}
		types, err := shape.Infer(t.Context(), m, shape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := len(pins(problemsOf(t, m)))
		all := plants(m, types)
		for i := 0; i < len(all); i += max(len(all)/(2*plantsOfModel), 1) {
			found := problemsOf(t, all[i].Apply(m))
			if !check.OK(found) || len(pins(found)) <= before {
				continue
			}
			verdict := judge(pins(found), all[i])
			total[verdict]++
			if verdict == "another" {
				t.Logf("%s: %s of %s was %s and is %s: %s", file, all[i].Attribute.Name(), all[i].Place.Graph.Nodes()[all[i].Node].Name(), all[i].Is, all[i].Want, hintsOf(pins(found)))
			}
		}
	}
	t.Logf("%d changes fix a size. The changed node is named for %d, for %d with the value that it had; another for %d; none for %d.",
		total["value"]+total["node"]+total["another"]+total["none"], total["value"]+total["node"], total["value"], total["another"], total["none"])
	if total["another"] > 0 {
		t.Error("a sound node is suspected")
	}
	if total["value"] == 0 {
		t.Error("no changed node is named")
	}
}

// pins are the problems with sizes that have to be one number.
func pins(list []check.Problem) []check.Problem {
	return slices.DeleteFunc(slices.Clone(list), func(p check.Problem) bool { return p.Code != "axis-pinned" })
}

func hintsOf(list []check.Problem) (out []string) {
	for _, p := range list {
		if p.Suspect != nil {
			out = append(out, p.Message+": "+p.Hint)
		}
	}
	return out
}
