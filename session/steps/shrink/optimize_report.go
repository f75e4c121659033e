package shrink

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/graphops/adopt"
	"lathe/graphops/opschema"
	"lathe/session/ort/ep"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/session/trial"
)

// optimizeReport is the report of an optimization.
type optimizeReport struct {
	Schema string           `json:"schema"`
	Level  string           `json:"level"` // "" if the runtime was not used
	Before reporting.Extent `json:"before"`
	After  reporting.Extent `json:"after"`
	// Fused counts new nodes and Removed counts removed nodes by operator, with the domain unless
	// that is the standard one.
	Fused        map[string]int    `json:"fused"`
	Removed      map[string]int    `json:"removed"`
	Weights      weightsTaken      `json:"weights"`
	Runtime      *optimizedBy      `json:"onnxruntime"` // null without a level or --compile
	Compiled     *compiledBy       `json:"compiled,omitempty"`
	Transformers *fusedBy          `json:"transformers"` // null without --transformers
	Inputs       []reporting.Value `json:"inputs"`
	Outputs      []reporting.Value `json:"outputs"`
	// OwnOperators are operators of the result that are not in the ONNX standard, with who can run
	// them.
	OwnOperators []ownOperator        `json:"own_operators"`
	Warnings     []string             `json:"warnings"`
	Proof        *trial.Proof         `json:"proof"` // null in a preview
	File         *reporting.SavedFile `json:"file,omitempty"`
}

// weightsTaken says how many weights of the result are the original ones.
type weightsTaken struct {
	Kept      int   `json:"kept"`
	Made      int   `json:"made"`
	MadeBytes int64 `json:"made_bytes"`
}

// weights counts which weights of the result are those of the original, and which are new.
func (p *product) weights() weightsTaken {
	var w weightsTaken
	for g := range p.model.Graphs() {
		for _, t := range g.Initializers() {
			if !slices.ContainsFunc(p.taken, func(r *adopt.Report) bool { return r.Fresh[t] }) {
				w.Kept++
				continue
			}
			n, _ := t.ByteLen() // the tensor was read before
			w.Made, w.MadeBytes = w.Made+1, w.MadeBytes+n
		}
	}
	return w
}

// ownOperator is an operator that is not in the ONNX standard.
type ownOperator struct {
	Op    string `json:"op"`
	Nodes int    `json:"nodes"`
	// Only is the single execution provider that can run it. It is "" if there are several or if
	// that is unknown.
	Only string `json:"only"`
}

func (s *Optimize) report(ctx context.Context, m *graphops.Model, p *product) (*optimizeReport, error) {
	changes, err := adopt.Compare(ctx, m, p.model)
	if err != nil {
		return nil, err
	}
	r := &optimizeReport{
		Schema: "lathe.optimize/1", Level: s.Level, Fused: changes.Made, Removed: changes.Gone, Runtime: p.loaded, Transformers: p.fused,
		Inputs: reporting.ValuesOf(p.model.Graph().FeedInputs()), Outputs: reporting.ValuesOf(p.model.Graph().Outputs()),
		OwnOperators: ownOperators(m, p), Warnings: []string{}, Compiled: p.compiled,
	}
	for _, taken := range p.taken {
		r.Warnings = append(r.Warnings, taken.Warnings...)
	}
	if why := trial.Quantizes(m, p.model); why != "" {
		r.Warnings = append(r.Warnings, why)
	}
	r.Weights = p.weights()
	if r.Before, err = reporting.ExtentOf(m); err == nil {
		r.After, err = reporting.ExtentOf(p.model)
	}
	if c := p.compiled; c != nil && c.isApart() {
		r.After.Bytes += c.Bytes
	}
	r.warn(p)
	return r, err
}

// warn adds warnings about where else the result can run.
func (r *optimizeReport) warn(p *product) {
	if p.fused != nil {
		for _, w := range p.fused.Warnings {
			r.Warnings = append(r.Warnings, "the transformer optimizer warns: "+w)
		}
	}
	r.Warnings = append(r.Warnings, onlyBy(r.OwnOperators)...)
	if n := nodesIn(p.model, blockedDomain); n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s store values in blocks for the vector units of this CPU; another kind of CPU runs them slowly or does not load them; --opt extended makes a portable model", text.Plural(n, "node")))
	}
	if p.compiled != nil {
		r.Warnings = append(r.Warnings, "what is compiled fits this version of the provider's software and this kind of device; keep the original, which cannot be made from the result")
		return
	}
	if over := r.After.Bytes - r.Before.Bytes; over > r.Before.Bytes/10 && over > 1<<16 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the result is larger by %s: it stores what was computed from constants, and constants converted to types that the provider computes in", text.Bytes(over)))
	}
}

// Domains whose operators expect a special memory layout, such as blocks or channels last.
const (
	blockedDomain      = "com.microsoft.nchwc"
	channelsLastDomain = "com.ms.internal.nhwc"
)

// nodesIn counts the nodes with operators of a domain.
func nodesIn(m *graphops.Model, domain string) int {
	n := 0
	for node := range m.AllNodes() {
		if graphops.NormalDomain(node.Domain()) == domain {
			n++
		}
	}
	return n
}

// ownOperators returns the operators of the result that are neither in the standard nor in the
// original.
func ownOperators(m *graphops.Model, p *product) []ownOperator {
	count, only := map[string]int{}, map[string]string{}
	own := map[string]bool{}
	for n := range m.AllNodes() {
		own[adopt.Operator(n)] = true
	}
	for n := range p.model.AllNodes() {
		op := adopt.Operator(n)
		if own[op] || isStandard(p.model, n) {
			continue
		}
		count[op]++
		only[op] = p.onlyProvider(n)
	}
	out := []ownOperator{}
	for _, op := range byCount(count) {
		out = append(out, ownOperator{op, count[op], only[op]})
	}
	return out
}

// isStandard reports whether an operator is in the ONNX standard, in the version that the model
// imports. The runtime has operators of its own in the standard's domain, such as
// LayerNormalization below opset 17.
func isStandard(m *graphops.Model, n *graphops.Node) bool {
	domain := graphops.NormalDomain(n.Domain())
	version, ok := m.Opset(domain)
	if domain == graphops.MicrosoftDomain || domain == blockedDomain || domain == channelsLastDomain || !ok {
		return false
	}
	_, ok = opschema.Find(domain, n.OpType(), version)
	return ok
}

// onlyProvider returns the execution provider that is the only one to run a node, or "" if there
// may be several. This is known for operators in a special memory layout, because a layout is made
// for one provider. It is also known for operators that have no kernel on the CPU: only the
// provider that loaded the model is sure to run them.
func (p *product) onlyProvider(n *graphops.Node) string {
	switch {
	case n.Domain() == blockedDomain:
		return ep.CPU
	case p.loaded == nil || p.loaded.Provider == ep.CPU:
		return ""
	case n.Domain() == channelsLastDomain, len(opschema.KernelVersions(p.loaded.Version, opschema.CPU, n.Domain(), n.OpType())) == 0:
		return p.loaded.Provider
	}
	return ""
}

// onlyBy returns warnings about nodes that only one execution provider can run.
func onlyBy(list []ownOperator) []string {
	by := map[string][]string{}
	nodes := map[string]int{}
	for _, o := range list {
		by[o.Only] = append(by[o.Only], fmt.Sprintf("%s %d", o.Op, o.Nodes))
		nodes[o.Only] += o.Nodes
	}
	var out []string
	for _, provider := range slices.Sorted(maps.Keys(by)) {
		who := "ONNX Runtime only, and not by all of its providers"
		if provider != "" {
			who = fmt.Sprintf("ONNX Runtime's provider %q only", provider)
		}
		verb := "are"
		if nodes[provider] == 1 {
			verb = "is"
		}
		out = append(out, fmt.Sprintf("%s %s run by %s: %s", text.Plural(nodes[provider], "node"), verb, who, strings.Join(by[provider], ", ")))
	}
	return out
}

// byCount lists operators, the most frequent first.
func byCount(count map[string]int) []string {
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
}

// WriteText implements session.Report.
func (r *optimizeReport) WriteText(w io.Writer) error {
	for _, line := range r.lines() {
		fmt.Fprintln(w, line)
	}
	reporting.WriteWarnings(w, r.Warnings)
	r.Proof.WriteText(w)
	r.File.WriteText(w)
	return nil
}

// WriteWrapped writes the report with lines of at most width columns.
func (r *optimizeReport) WriteWrapped(w io.Writer, width int) error {
	var whole strings.Builder
	if err := r.WriteText(&whole); err != nil {
		return err
	}
	for line := range strings.Lines(whole.String()) {
		for _, part := range text.Wrap(strings.TrimSuffix(line, "\n"), width, "  ") {
			fmt.Fprintln(w, part)
		}
	}
	return nil
}

// lines returns the lines of the report, without warnings.
func (r *optimizeReport) lines() []string {
	var out []string
	if t := r.Transformers; t != nil {
		out = append(out, fmt.Sprintf("the transformer optimizer of onnxruntime %s, for %s", text.Clean(t.Version), text.Clean(t.ModelType)))
	}
	if o := r.Runtime; o != nil {
		how := fmt.Sprintf("at level %s, for %s", r.Level, text.Clean(o.Provider))
		if c := r.Compiled; c != nil {
			how = fmt.Sprintf("compiled for %s in %s", text.Clean(o.Provider), c.took().Round(time.Millisecond))
			if sdk := c.Parts[0].SDKVersion; sdk != "" {
				how += ", SDK " + text.CleanLine(sdk)
			}
		}
		out = append(out, fmt.Sprintf("ONNX Runtime %s %s", o.Version, how))
		for _, refused := range o.Refused {
			out = append(out, reporting.DidNotAttach(refused))
		}
	}
	out = append(out, fmt.Sprintf("%s → %s, %s → %s%s", text.Bytes(r.Before.Bytes), text.Bytes(r.After.Bytes),
		text.Plural(r.Before.Nodes, "node"), text.Count(int64(r.After.Nodes)), r.Proof.Doubt()))
	if r.Compiled != nil {
		return append(out, r.Compiled.line())
	}
	switch {
	case len(r.Fused)+len(r.Removed) > 0:
	case r.Proof != nil && len(r.Proof.LeftOut) > 0:
		return append(out, "no node changes: the passes that would change some are left out")
	default:
		return append(out, "no node changes: there is nothing left to optimize")
	}
	out = append(out, operatorCounts("made", r.Fused)...)
	out = append(out, operatorCounts("gone", r.Removed)...)
	if r.Runtime != nil && len(r.Runtime.Transformers) > 0 {
		out = append(out, "by  "+text.CleanLine(strings.Join(r.Runtime.Transformers, " · ")))
	}
	return append(out, fmt.Sprintf("weights  %s unchanged, %s new (%s)", text.Count(int64(r.Weights.Kept)), text.Count(int64(r.Weights.Made)), text.Bytes(r.Weights.MadeBytes)))
}

func operatorCounts(title string, count map[string]int) []string {
	if len(count) == 0 {
		return nil
	}
	var words []string
	for _, op := range byCount(count) {
		words = append(words, fmt.Sprintf("%s %d", text.Clean(op), count[op]))
	}
	return []string{title + "  " + strings.Join(words, " · ")}
}
