package cut

import (
	"context"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/proof"
)

// hidden is a name that would change the colours of a terminal.
const hidden = "a\x1b[31m"

// Names from a file or a command line are cleaned before they are printed.
func TestAxesTextIsClean(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[1,4]
		init s i64[2] 1 4
		init w f32[3,3] 1 2 3 4 5 6 7 8 9
		input z f32[3,4]
		first: y = Reshape(x, s)
		c: t = Concat(w, z) axis=1
		output y f32[1,4]
		output t f32[3,7]
	`)
	free := m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		e.Inputs[0] = e.Inputs[0].WithDim(1, graphops.SymbolDim("q"+hidden))
		return true
	})
	for name, c := range map[string]struct {
		m      *graphops.Model
		repair bool
		want   string
	}{
		"a pin":           {m, false, "pin: node \"first\" (Reshape) needs a\\x1b[31m"},
		"a repair":        {m, true, "repaired: node \"first\" (Reshape) needs a\\x1b[31m"},
		"a symbol of old": {free, true, `qa\x1b[31m`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Axes{Dynamic: []string{"x:0=" + hidden, "z:0=b" + hidden}, Repair: c.repair}
			p, err := s.Preview(context.Background(), session.Env{Progress: func(session.Progress) {}}, c.m)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := p.Report.WriteText(&out); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out.String(), "\x1b") || !strings.Contains(out.String(), c.want) {
				t.Errorf("got %q, want %q in it", out.String(), c.want)
			}
		})
	}
	var out strings.Builder
	writeProof(&out, &proof.Axes{
		Sizes: map[string]int64{hidden: 1},
		Freed: []proof.Axis{{Symbol: hidden, Sizes: []int64{2}, Items: proof.ItemsNotCompared, Note: hidden}},
	})
	if strings.Contains(out.String(), "\x1b") || strings.Count(out.String(), `a\x1b[31m`) != 3 {
		t.Errorf("got %q", out.String())
	}
}

// A symbol is a name. It may contain characters that do not form an expression.
func TestCheckSymbol(t *testing.T) {
	for symbol, ok := range map[string]bool{
		"": true, "batch": true, "batch.size": true, "Zeit": true,
		"floor(n/2)": false, "2*n": false, "n+1": false, "max(a, b)": false, "8": false, "?": false, "\xff": false,
	} {
		if err := checkSymbol(symbol); (err == nil) != ok {
			t.Errorf("%q: %v", symbol, err)
		}
	}
}

// The report says "proved" only if everything was shown.
func TestWriteProof(t *testing.T) {
	equal := proof.Axis{Symbol: "b", Sizes: []int64{2, 5}, Items: proof.ItemsEqual, Rows: true, Outputs: []string{"y"}}
	partly, inside := equal, equal
	partly.Unchecked = []proof.Unchecked{{Output: "z", Why: "it is seq(f32)"}}
	inside.Interleaved = []string{"y"}
	differ := proof.Axis{Symbol: "s", Sizes: []int64{8, 3}, Differ: []int64{8}, Items: proof.ItemsDiffer, Note: "WHY"}
	held := proof.Axis{Symbol: "h", Items: proof.ItemsNotCompared, Note: "other sizes were not tried: WHY"}
	alike := proof.Axis{Symbol: "a", Sizes: []int64{2}, Items: proof.ItemsAlike, Note: "the rows could not be distinguished"}
	for _, c := range []struct {
		freed    []proof.Axis
		together map[string]int64
		want     string
	}{
		{nil, nil, "proved: bit-equal to the original at b=1"},
		{[]proof.Axis{equal}, nil, "proved: bit-equal to the original at b=1; at b=2 and 5 every row is the same as when run alone (no difference)"},
		{[]proof.Axis{inside}, nil, `proved: bit-equal to the original at b=1; at b=2 and 5 every row is the same as when run alone, the rows of "y" are interleaved and not in one block for each item (no difference)`},
		{[]proof.Axis{partly}, nil, `equal to the original at b=1; at b=2 and 5 every row of "y" is the same as when run alone, except for rows that were not compared: "z": it is seq(f32) (no difference)`},
		{[]proof.Axis{differ}, nil, "equal to the original at b=1; at s=8 and 3 it runs and the outputs have the declared shapes, at s=8 rows differ from those run alone: WHY"},
		{[]proof.Axis{held}, nil, "equal to the original at b=1; h: other sizes were not tried: WHY"},
		{[]proof.Axis{alike}, nil, "equal to the original at b=1; at a=2 it runs and the outputs have the declared shapes, the rows could not be distinguished"},
		{[]proof.Axis{equal, equal}, map[string]int64{"b": 2, "c": 4}, "proved: bit-equal to the original at b=1; at b=2 and 5 every row is the same as when run alone (no difference); at b=2 and 5 every row is the same as when run alone (no difference); the same at b=2, c=4 together"},
		{[]proof.Axis{equal, equal}, nil, "equal to the original at b=1; at b=2 and 5 every row is the same as when run alone (no difference); at b=2 and 5 every row is the same as when run alone (no difference)"},
	} {
		var out strings.Builder
		writeProof(&out, &proof.Axes{Sizes: map[string]int64{"b": 1}, Freed: c.freed, Together: c.together})
		if out.String() != c.want+"\n" {
			t.Errorf("got  %q\nwant %q", out.String(), c.want)
		}
	}
}
