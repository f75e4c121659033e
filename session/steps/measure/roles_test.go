//go:build cgo

package measure

import (
	"fmt"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/session/flags"
	"lathe/session/sessiontest"
)

// withoutNames gives inputs, outputs and symbols names that say nothing.
func withoutNames(m *graphops.Model) *graphops.Model {
	names, symbols := map[string]string{}, map[string]string{}
	for i, v := range m.Graph().Inputs() {
		names[v.Name()] = fmt.Sprintf("a%d", i)
		for _, d := range v.Type().Shape {
			if d.Symbol != "" && symbols[d.Symbol] == "" {
				symbols[d.Symbol] = fmt.Sprintf("s%d", len(symbols))
			}
		}
	}
	for i, v := range m.Graph().Outputs() {
		names[v.Name()] = fmt.Sprintf("b%d", i)
	}
	e := graphops.EditGraph(m.Graph().Renamed(names))
	for _, list := range [][]*graphops.ValueInfo{e.Inputs, e.Outputs, e.ValueInfo} {
		for i, v := range list {
			list[i] = v.MapSizes(func(d graphops.Dim) graphops.Dim {
				if to := symbols[d.Symbol]; to != "" {
					return graphops.SymbolDim(to)
				}
				return d
			})
		}
	}
	return m.WithGraph(m.Places()[0], e.Graph())
}

// TestDecodersWithoutNames runs decoders by onnxruntime-genai's builder whose names say nothing.
// Past, mask and new positions have to go together, with and without a past.
func TestDecodersWithoutNames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	paths, _ := filepath.Glob("../../../../shared/models/llm/*/model.onnx")
	if len(paths) == 0 {
		t.Skip("the shared models are not here")
	}
	env := sessiontest.Env(t)
	for _, path := range paths {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		bare := withoutNames(m)
		for _, dims := range [][]string{nil, {"s0=2", "s1=1"}} {
			s := RunModel{Feeding: flags.Feeding{Dim: dims}}
			result, err := s.Run(t.Context(), env, bare)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			fed := result.Report.(*runReport).Inputs
			steps, total := fed[0].Shape[1].Value, fed[1].Shape[1].Value
			past := fed[len(fed)-1].Shape[2].Value
			if fed[1].What != "all 1" || total != steps+past {
				t.Errorf("%s: %d new positions after %d, and a mask of %d: %s", path, steps, past, total, fed[1].What)
			}
			t.Logf("%s: %d new positions after %d", filepath.Base(filepath.Dir(path)), steps, past)
		}
	}
}
