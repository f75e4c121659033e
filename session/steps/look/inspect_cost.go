package look

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/reporting"
	"lathe/session/text"
)

// costNodes is the largest number of nodes, with functions expanded, for which costs are computed
// without being asked for. Shape inference then takes half a second.
const costNodes = 50_000

// quantity is a size in JSON: a number, an expression as a string, or null if unknown.
type quantity struct {
	size  dim.Dim
	known bool
}

func quantityOf(d dim.Dim) quantity { return quantity{d, d.Known()} }

// MarshalJSON implements json.Marshaler.
func (q quantity) MarshalJSON() ([]byte, error) {
	n, number := q.size.Number()
	switch {
	case !q.known:
		return []byte("null"), nil
	case number:
		return json.Marshal(n)
	default:
		return encodeJSON(q.size.String(), "")
	}
}

// costFacts has the known and unknown parts of macs and activation_peak_bytes, and what the peak
// consists of.
type costFacts struct {
	MACsKnown           quantity         `json:"macs_known"` // sum over the nodes whose MACs are known
	MACsUnknownNodes    int              `json:"macs_unknown_nodes"`
	ReadKnown           quantity         `json:"read_known_bytes"`
	WrittenKnown        quantity         `json:"written_known_bytes"`
	TrafficUnknownNodes int              `json:"traffic_unknown_nodes"`
	Dims                map[string]int64 `json:"dims"`
	Symbols             []string         `json:"symbols"` // symbols without a size, on which the peak depends
	PeakKnown           *int64           `json:"peak_known_bytes"`
	PeakUnknownValues   int              `json:"peak_unknown_values"`
	PeakNode            *peakNode        `json:"peak_node"`
	PeakValues          []peakValue      `json:"peak_values"` // the largest values alive at the peak
	fault               error            // why the peak is unknown
	firstUnknown        string           // the first node without MACs, and the reason
}

// peakNode is the node that runs when the memory of activations is largest. If that node is in a
// body, it is the node in the body and not the one around it.
type peakNode struct {
	Place []string `json:"place"`
	Index int      `json:"index"`
	Name  string   `json:"name"`
	Op    string   `json:"op"`
}

type peakValue struct {
	Place []string `json:"place"`
	Name  string   `json:"name"`
	Bytes int64    `json:"bytes"`
}

// peakValues is how many values at the peak are listed.
const peakValues = 5

// costs computes the costs of a model with the given sizes. If they are not computed, it returns
// nil and a warning with the reason.
func (s *Inspect) costs(ctx context.Context, m *graphops.Model) (r *cost.Result, dims map[string]int64, warning string, err error) {
	if dims, err = flags.ParseDims(s.Dim); err != nil {
		return nil, nil, "", err
	}
	limit, nodes := costNodes, 0
	for _, p := range m.Places() {
		nodes += len(p.Graph.Nodes())
	}
	asked := s.Cost || len(dims) > 0
	switch {
	case asked:
		limit = 0
	case nodes > limit:
		return nil, dims, fmt.Sprintf("macs and activation_peak_bytes are not computed for %s nodes without --cost", text.Count(int64(nodes))), nil
	}
	r, err = cost.Analyze(ctx, m, limit)
	switch {
	case errors.Is(err, shape.ErrLimit) && !asked:
		return nil, dims, fmt.Sprintf("macs and activation_peak_bytes are not computed without --cost: %v", err), nil
	case errors.Is(err, shape.ErrLimit):
		return nil, dims, fmt.Sprintf("macs and activation_peak_bytes are not computed: %v", err), nil
	case err != nil:
		return nil, nil, "", err
	}
	dims = named(m, dims)
	return r.At(dims), dims, "", checkSymbols(m, r, dims)
}

// named replaces sizes of placeholder symbols, such as "?", by sizes of axes. The cost analysis
// gives a name of its own to every axis with a placeholder, because equal placeholders do not mean
// equal sizes. A size that was given for the placeholder applies to each of these axes.
func named(m *graphops.Model, dims map[string]int64) map[string]int64 {
	out := maps.Clone(dims)
	for _, v := range m.Graph().FeedInputs() {
		for i, d := range v.Type().Shape {
			n, given := dims[d.Symbol]
			if d.IsFixed() || !given || !shape.IsPlaceholder(d.Symbol) {
				continue
			}
			delete(out, d.Symbol)
			if name := shape.AxisName(v.Name(), i); !hasKey(dims, name) {
				out[name] = n
			}
		}
	}
	return out
}

func hasKey(dims map[string]int64, name string) bool {
	_, ok := dims[name]
	return ok
}

// checkSymbols returns an error for sizes of symbols that the model does not have. Otherwise a
// misspelled symbol would be ignored.
func checkSymbols(m *graphops.Model, r *cost.Result, dims map[string]int64) error {
	if len(dims) == 0 {
		return nil
	}
	known := map[string]bool{}
	note := func(name string) { known[name] = true }
	var missing *cost.MissingError
	if _, err := cost.Memory(r, nil); errors.As(err, &missing) {
		for _, name := range missing.Symbols {
			note(name)
		}
	}
	for _, v := range m.Graph().FeedInputs() {
		if id, ok := m.Graph().Index().Value(v.Name()); ok {
			for _, d := range r.Shapes.Value(m.Places()[0], id).Dims {
				d.Symbols(note)
			}
		}
	}
	total := r.Total()
	for _, sum := range []cost.Sum{total.MACs, total.Read, total.Written} {
		sum.Known.Symbols(note)
	}
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		if !known[name] {
			return fmt.Errorf("--dim: there is no dimension %q; there are %s", name, graphops.QuoteNames(slices.Sorted(maps.Keys(known))))
		}
	}
	return nil
}

// addCosts adds the costs, with the given sizes of symbols, to the report.
func (r *InspectReport) addCosts(costs *cost.Result, dims map[string]int64) {
	total := costs.Total()
	r.MACs.size, r.MACs.known = total.MACs.Whole()
	f := &costFacts{
		MACsKnown: quantityOf(total.MACs.Known), MACsUnknownNodes: total.MACs.Left,
		ReadKnown: quantityOf(total.Read.Known), WrittenKnown: quantityOf(total.Written.Known), TrafficUnknownNodes: max(total.Read.Left, total.Written.Left),
		Dims: dims, Symbols: []string{}, PeakValues: []peakValue{},
	}
	if p, i, why, ok := costs.UnknownMACs(); ok {
		f.firstUnknown = fmt.Sprintf(" (%s: %v)", nodeText(p, i), why)
	}
	r.Cost = f
	line, err := cost.Memory(costs, dims)
	var missing *cost.MissingError
	switch {
	case errors.As(err, &missing):
		f.Symbols = missing.Symbols
		return
	case err != nil:
		f.fault = err
		r.Warnings = append(r.Warnings, "activation_peak_bytes: "+err.Error())
		return
	}
	f.PeakKnown, f.PeakUnknownValues = &line.Peak, line.Unknown
	if line.Unknown == 0 {
		r.ActivationPeakBytes = &line.Peak
	}
	if len(line.At) > 0 {
		at := line.At[len(line.At)-1]
		n := at.Place.Graph.Nodes()[at.Node]
		f.PeakNode = &peakNode{reporting.OrEmpty(at.Place.Hops()), at.Node, n.Name(), n.OpType()}
	}
	for _, a := range line.Alive[:min(len(line.Alive), peakValues)] {
		f.PeakValues = append(f.PeakValues, peakValue{reporting.OrEmpty(a.Place.Hops()), a.Place.Graph.Index().Name(a.Value), a.Bytes})
	}
}

// macsLine describes the multiply-accumulates. It is "" if they were not computed.
func (r *InspectReport) macsLine() string {
	f := r.Cost
	switch {
	case f == nil:
		return ""
	case f.MACsUnknownNodes > 0 && f.MACsKnown.size.Is(0):
		return "not known of " + text.Plural(f.MACsUnknownNodes, "node") + f.firstUnknown
	case f.MACsUnknownNodes > 0:
		return fmt.Sprintf("at least %s; not known of %s%s", f.MACsKnown.text(text.Count), text.Plural(f.MACsUnknownNodes, "node"), f.firstUnknown)
	default:
		return f.MACsKnown.text(text.Count)
	}
}

// text formats a number with write, and an expression unchanged.
func (q quantity) text(write func(int64) string) string {
	n, number := q.size.Number()
	switch {
	case q.size.Err() != nil:
		return "not known: " + q.size.Err().Error()
	case !q.known:
		return "an expression that is too long to print; --dim SYMBOL=N makes it a number"
	case number:
		return write(n)
	default:
		return q.size.String()
	}
}

// manyFlags is the largest number of options in a line.
const manyFlags = 5

// dimFlags returns the options that set the sizes of symbols.
func dimFlags(symbols []string) string {
	var b strings.Builder
	for i, s := range symbols {
		if i == manyFlags {
			b.WriteString(" …")
			break
		}
		b.WriteString(" --dim " + session.Quote(s+"=N"))
	}
	return b.String()
}

// nodeText describes a node and its place.
func nodeText(p *graphops.Place, i int) string {
	n := p.Graph.Nodes()[i]
	s := fmt.Sprintf("node %d, %s", i, strings.TrimSpace(n.OpType()+" "+n.Name()))
	if hops := p.Hops(); len(hops) > 0 {
		s += " in " + strings.Join(hops, " › ")
	}
	return s
}

// peakLine describes the memory of activations. It is "" if it was not computed.
func (r *InspectReport) peakLine() string {
	f := r.Cost
	switch {
	case f == nil || f.fault != nil:
		return ""
	case f.PeakKnown == nil:
		return "of activations needs a size of " + graphops.QuoteNames(f.Symbols) + ":" + dimFlags(f.Symbols)
	}
	s := text.Bytes(*f.PeakKnown) + " of activations"
	if n := f.PeakNode; n != nil {
		s += fmt.Sprintf(" at node %d, %s", n.Index, strings.TrimSpace(n.Op+" "+n.Name))
		if len(n.Place) > 0 {
			s += " in " + strings.Join(n.Place, " › ")
		}
	}
	if f.PeakUnknownValues > 0 {
		s = "at least " + s + "; the size of " + text.Plural(f.PeakUnknownValues, "value") + " is not known"
	}
	return s
}
