package shape_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"path"
	"slices"
	"strings"

	"lathe/graphops"
)

// Known is what is known of a value of one graph: its type as graphops writes
// it, "" where that is unknown, and its dimensions where the rank is known.
type Known func(value string) (dtype string, dims []graphops.Dim, rankKnown bool)

// claim is what a referee says of a value.
type claim struct {
	dtype string
	shape graphops.Shape
}

// UnmarshalJSON reads [type, dims]; a dimension is a number, an expression or
// null.
func (c *claim) UnmarshalJSON(b []byte) error {
	var shape []any
	if err := json.Unmarshal(b, &[]any{&c.dtype, &shape}); err != nil {
		return err
	}
	if shape == nil {
		return nil
	}
	c.shape = graphops.Shape{}
	for _, d := range shape {
		switch d := d.(type) {
		case float64:
			if d < 0 {
				c.shape = append(c.shape, graphops.SymbolDim(""))
				continue
			}
			c.shape = append(c.shape, graphops.FixedDim(int64(d)))
		case string:
			c.shape = append(c.shape, graphops.SymbolDim(d))
		default:
			c.shape = append(c.shape, graphops.SymbolDim(""))
		}
	}
	return nil
}

// opinion is what one referee says of a model.
type opinion struct {
	Error   *string
	Note    string
	Seconds float64
	Graphs  map[string]map[string]claim // by the path of the graph, "" for the main one, and the value
}

// answers are those of all referees.
type answers struct {
	Error    *string
	Symbols  []string
	Referees map[string]opinion
}

// referees in the order in which they are reported.
var referees = []string{"onnx", "runtime", "symbolic", "declared"}

// dimension computes a dimension under every assignment; nil where it says
// nothing there. All nil is an unknown one.
func (s *symbols) dimension(d graphops.Dim) []*big.Rat {
	sizes := make([]*big.Rat, len(assignments))
	known := false
	for i, a := range assignments {
		var v *big.Rat
		if d.IsFixed() {
			v = big.NewRat(d.Value, 1)
		} else if d.Symbol != "" {
			var err error
			v, err = s.evaluate(d.Symbol, a)
			if err != nil && !errors.Is(err, errPremise) {
				return nil
			}
		}
		if v != nil && v.IsInt() && v.Sign() >= 0 {
			sizes[i], known = v, true
		}
	}
	if !known {
		return nil
	}
	return sizes
}

// differ reports whether two known dimensions differ where both say something.
func differ(a, b []*big.Rat) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != nil && b[i] != nil && a[i].Cmp(b[i]) != 0 {
			return true
		}
	}
	return false
}

// contradiction tells why two shapes or types cannot both be right, "" where
// they can.
func (s *symbols) contradiction(ours, theirs claim) string {
	if isKnown(ours.dtype) && isKnown(theirs.dtype) && ours.dtype != theirs.dtype {
		return "type"
	}
	if ours.shape == nil || theirs.shape == nil {
		return ""
	}
	if len(ours.shape) != len(theirs.shape) {
		return "rank"
	}
	for i := range ours.shape {
		if differ(s.dimension(ours.shape[i]), s.dimension(theirs.shape[i])) {
			return fmt.Sprintf("axis %d", i)
		}
	}
	return ""
}

func isKnown(dtype string) bool {
	return dtype != "" && !strings.Contains(dtype, "?") && !strings.Contains(dtype, "undefined")
}

// exception is a contradiction that the reference is to blame for.
type exception struct {
	corpus  string // the name of a corpus that it is needed for; "" where that is none that everybody has
	model   string // the end of the path, or "" for any
	op      string // the operator that makes the value, or "" for any
	value   string // a pattern as of path.Match
	referee string
	reason  string // why the reference is wrong

	used int // how often it excuses
}

func (e *exception) String() string {
	return fmt.Sprintf("%d times, %s of %q (%s) in %q: %s", e.used, e.referee, e.value, e.op, e.model, e.reason)
}

func (e *exception) matches(f finding) bool {
	ok, err := path.Match(e.value, strings.ReplaceAll(f.value, "/", "|"))
	return err == nil && ok && strings.HasSuffix(f.model, e.model) &&
		(e.op == "" || e.op == f.op) && e.referee == f.referee
}

// finding is one contradiction.
type finding struct {
	model, graph, value, op, referee, what string
	ours, theirs                           claim
}

func (f finding) String() string {
	return fmt.Sprintf("%s: %s%q (%s): %s: %s %s here, %s %s to %s",
		f.model, f.graph, f.value, f.op, f.what, f.ours.dtype, f.ours.shape, f.theirs.dtype, f.theirs.shape, f.referee)
}

// tally counts what is known, over one model or many.
type tally struct {
	models   int
	values   int
	ranks    [2]int // known to any referee; and of those to us
	dims     [2]int
	types    [2]int
	alone    int            // dimensions that only we know
	claims   map[string]int // dimensions that each referee knows
	seconds  map[string]float64
	silent   map[string]int // models of which a referee says nothing
	missed   map[string]int // dimensions that only others know, by the operator
	examples map[string]string
	findings []finding
	excused  int
}

func newTally() *tally {
	return &tally{
		claims: map[string]int{}, seconds: map[string]float64{}, silent: map[string]int{},
		missed: map[string]int{}, examples: map[string]string{},
	}
}

// add counts another tally in.
func (t *tally) add(o *tally) {
	t.models += o.models
	t.values += o.values
	for i := range 2 {
		t.ranks[i] += o.ranks[i]
		t.dims[i] += o.dims[i]
		t.types[i] += o.types[i]
	}
	t.alone += o.alone
	t.excused += o.excused
	t.findings = append(t.findings, o.findings...)
	for _, m := range [][2]map[string]int{{t.claims, o.claims}, {t.silent, o.silent}, {t.missed, o.missed}} {
		for key, n := range m[1] {
			m[0][key] += n
		}
	}
	for r, s := range o.seconds {
		t.seconds[r] += s
	}
	for op, e := range o.examples {
		t.examples[op] = e
	}
}

// share is the part of the dimensions known to any referee that is known here.
func (t *tally) share() float64 {
	if t.dims[0] == 0 {
		return 1
	}
	return float64(t.dims[1]) / float64(t.dims[0])
}

func (t *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d models, %d values; known of what any referee knows: %d of %d dimensions (%.2f %%), %d of %d ranks, %d of %d types; %d dimensions known here alone; %d contradictions, %d more are excused",
		t.models, t.values, t.dims[1], t.dims[0], 100*t.share(), t.ranks[1], t.ranks[0], t.types[1], t.types[0], t.alone, len(t.findings), t.excused)
	for _, r := range referees {
		if t.claims[r]+t.silent[r] > 0 {
			fmt.Fprintf(&b, "\n  %-8s knows %6d dimensions, in %6.2f s, and says nothing of %d models", r, t.claims[r], t.seconds[r], t.silent[r])
		}
	}
	return b.String()
}

// misses lists the operators whose outputs others know more of, most first.
func (t *tally) misses(n int) string {
	ops := make([]string, 0, len(t.missed))
	for op := range t.missed {
		ops = append(ops, op)
	}
	slices.SortFunc(ops, func(a, b string) int {
		if d := t.missed[b] - t.missed[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	for _, op := range ops[:min(n, len(ops))] {
		fmt.Fprintf(&b, "\n  %6d of %s: %s", t.missed[op], op, t.examples[op])
	}
	return b.String()
}

// judge holds what is known of a model's values against what the referees say.
type judge struct {
	exceptions []*exception
}

// graphValues are the values to judge in a graph, and what makes each.
type graphValues struct {
	path  string // as the referees write it
	known Known
	ops   map[string]string // the operator by the name of an output
}

// hear compares one model.
func (j *judge) hear(model string, a answers, graphs []graphValues) *tally {
	t := newTally()
	t.models = 1
	s := newSymbols(a.Symbols)
	for name, o := range a.Referees {
		t.seconds[name] += o.Seconds
		if len(o.Graphs) == 0 {
			t.silent[name]++
		}
	}
	for _, g := range graphs {
		names := make([]string, 0, len(g.ops))
		for name := range g.ops {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			dtype, dims, known := g.known(name)
			ours := claim{dtype: dtype}
			if known {
				ours.shape = append(graphops.Shape{}, dims...)
			}
			f := finding{model: model, graph: g.path, value: name, op: g.ops[name], ours: ours}
			j.value(t, s, f, a)
		}
	}
	return t
}

// value compares one value with what every referee says of it.
func (j *judge) value(t *tally, s *symbols, f finding, a answers) {
	t.values++
	var believed []claim
	for _, r := range referees {
		c, ok := a.Referees[r].Graphs[f.graph][f.value]
		if !ok {
			continue
		}
		f.referee, f.theirs, f.what = r, c, s.contradiction(f.ours, c)
		if j.excuses(f) {
			t.excused++
			continue
		}
		if f.what != "" {
			t.findings = append(t.findings, f)
		}
		for _, d := range c.shape {
			if s.dimension(d) != nil {
				t.claims[r]++
			}
		}
		believed = append(believed, c)
	}
	t.count(s, f, believed)
}

func (j *judge) excuses(f finding) bool {
	if f.what == "" {
		return false
	}
	for _, e := range j.exceptions {
		if e.matches(f) {
			e.used++
			return true
		}
	}
	return false
}

// count adds what is known of a value to the tally.
func (t *tally) count(s *symbols, f finding, believed []claim) {
	rank, typ, dims := false, false, map[int]bool{}
	for _, c := range believed {
		typ = typ || isKnown(c.dtype)
		rank = rank || c.shape != nil
		for i, d := range c.shape {
			if s.dimension(d) != nil {
				dims[i] = true
			}
		}
	}
	tell(&t.types, typ, isKnown(f.ours.dtype))
	tell(&t.ranks, rank, f.ours.shape != nil)
	for i, d := range f.ours.shape {
		if s.dimension(d) == nil {
			continue
		}
		if dims[i] {
			t.dims[1]++
			t.dims[0]++
			delete(dims, i)
		} else {
			t.alone++
		}
	}
	if len(dims) > 0 {
		t.dims[0] += len(dims)
		t.missed[f.op] += len(dims)
		if t.examples[f.op] == "" {
			t.examples[f.op] = fmt.Sprintf("%s: %s%q: %s here, where others say %v", f.model, f.graph, f.value, f.ours.shape, shapes(believed))
		}
	}
}

func shapes(list []claim) (out []string) {
	for _, c := range list {
		out = append(out, c.shape.String())
	}
	return out
}

func tell(count *[2]int, any, ours bool) {
	if any {
		count[0]++
		if ours {
			count[1]++
		}
	}
}

// stale are the exceptions that excused nothing, of those that a corpus needs
// which was judged.
func (j *judge) stale(judged map[string]bool) (out []*exception) {
	for _, e := range j.exceptions {
		if e.used == 0 && judged[e.corpus] {
			out = append(out, e)
		}
	}
	return out
}
