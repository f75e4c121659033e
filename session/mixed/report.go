package mixed

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/accuracy"
	"lathe/session/reporting"
	"lathe/session/search"
	"lathe/session/text"
)

// Report is what a search found.
type Report struct {
	Schema   string   `json:"schema"`
	Targets  []string `json:"targets"`
	Minimize string   `json:"minimize"`
	Types    []string `json:"types"` // besides float32
	// Nodes are those that can get a type. Units counts the choices: nodes that share a weight get one
	// type.
	Nodes []string `json:"nodes"`
	Units int      `json:"units"`
	// Small are nodes that stay as they are: together they would save less than 0.1 % of the model.
	Small []string `json:"small"`
	// Inputs says what the model was run on. It is "" if nothing was run.
	Inputs   string `json:"inputs"`
	Cases    int    `json:"cases"`
	Original int64  `json:"original_bytes"`
	// Accuracy is that of the original; nil if the correct classes are not known.
	Accuracy *accuracy.Score `json:"original_accuracy,omitempty"`
	// Trials counts all that are known, among them Reused of an earlier run. New is how many were made
	// now.
	Trials int `json:"trials"`
	Reused int `json:"reused"`
	New    int `json:"new"`
	// Front has the points for which no other one is both smaller and more exact, the smallest first.
	Front []Point `json:"front"`
	// Best is the number of the smallest point that meets all targets; 0 if none does. Nearest is then
	// that of the nearest one.
	Best    int `json:"best"`
	Nearest int `json:"nearest,omitempty"`
	// NoType are types that no trial could use.
	NoType []UnusedType `json:"unused_types"`
	// Repeat is the command that makes the best point, or the nearest one, without a search.
	Repeat   string               `json:"repeat,omitempty"`
	Stopped  string               `json:"stopped,omitempty"` // why the search did not end, or ""
	Journal  string               `json:"journal,omitempty"`
	Notes    []string             `json:"notes"`
	File     *reporting.SavedFile `json:"file,omitempty"`
	again    string               // the command that writes a point
	evidence []string             // lines about the accuracy of the named point
	calls    []session.Call       // of the points, which make them without a search
}

// Point is one model of the front.
type Point struct {
	Point int           `json:"point"`
	Bytes int64         `json:"bytes"`
	Ratio tensor.Number `json:"ratio"` // of the size to that of the original
	SNR   tensor.Number `json:"snr_db"`
	// Output is the output with the lowest signal-to-noise ratio.
	Output string `json:"output"`
	// KL is the largest Kullback-Leibler divergence, at output KLOutput. It is nil if no output has one.
	KL       *tensor.Number `json:"kl,omitempty"`
	KLOutput string         `json:"kl_output,omitempty"`
	// Accuracy is nil if the correct classes are not known.
	Accuracy *accuracy.Score `json:"accuracy,omitempty"`
	Meets    bool            `json:"meets"`
	// Counts says how many nodes have each type.
	Counts map[string]int `json:"counts"`
	// Choose are the values of --choose that make the model.
	Choose []string `json:"choose"`
}

// UnusedType is a type that no trial could use.
type UnusedType struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

func (s *Auto) newReport(p *plan) *Report {
	r := &Report{Schema: "lathe.quantize-auto/1", Targets: reporting.OrEmpty(slices.Clone(s.Targets)), Minimize: s.minimize(), Types: []string{}, Nodes: []string{}, Small: reporting.OrEmpty(p.small), Units: len(p.units), Front: []Point{}, NoType: []UnusedType{}, Notes: []string{}}
	for _, t := range s.types() {
		r.Types = append(r.Types, t.name)
	}
	for _, u := range p.units {
		r.Nodes = append(r.Nodes, u.nodes...)
	}
	return r
}

// fed notes what the model runs on.
func (r *Report) fed(s *Auto, t *tester) {
	r.Cases, r.Notes = len(t.on.Cases.Cases), reporting.OrEmpty(slices.Concat(t.on.Cases.Notes, t.notes))
	r.Inputs, r.Original = t.on.Inputs(&s.Quant), t.original
	if t.labelled != nil {
		r.Accuracy = &accuracy.Score{Top1: &t.labelled.Original}
	}
}

// settle fills in the front, and which point is best.
func (r *Report) settle(s *Auto, t *tester, m *graphops.Model, targets []search.Target, front search.Front) {
	for i := range front {
		r.Front = append(r.Front, r.pointOf(t, targets, &front[i], i+1))
		r.calls = append(r.calls, s.callOf(&r.Front[i]))
	}
	at, met := front.Best(targets, t.original)
	unchanged := len(r.Front[at].Choose) == 0
	switch {
	case met && (!unchanged || len(s.Choose) > 0):
		r.Best = at + 1
	case unchanged && at > 0: // the original keeps all limits on errors; the next one is smaller
		r.Nearest = at
	default:
		r.Nearest = at + 1
	}
	named := r.Front[max(r.Best, r.Nearest)-1]
	r.evidence = r.accuracyLines(targets)
	r.Repeat = s.repeat(m, func(again *Auto) {
		again.Choose, again.Targets, again.Point, again.Timeout = named.Choose, nil, 0, 0
	})
	r.again = s.repeat(m, func(again *Auto) { again.Point = int64(max(r.Best, r.Nearest)) })
}

// repeat returns the command of this step with other options.
func (s *Auto) repeat(m *graphops.Model, change func(*Auto)) string {
	again := *s
	change(&again)
	if again.Out == "" {
		again.Out = "FILE"
	}
	path := m.Path()
	if path == "" {
		path = "MODEL"
	}
	return session.CommandOf(&again, path)
}

func (r *Report) pointOf(t *tester, targets []search.Target, of *search.Trial, number int) Point {
	o := &of.Outcome
	p := Point{Point: number, Bytes: o.Bytes, Ratio: tensor.Number(float64(o.Bytes) / float64(t.original)), SNR: tensor.Number(math.Inf(1)), Choose: t.choices(of.Assignment), Counts: map[string]int{}}
	if worst := o.Worst(); worst != nil {
		p.SNR, p.Output = tensor.Number(-10*math.Log10(float64(worst.Noise))), worst.Output
	}
	p.Accuracy = accuracyOf(o)
	for _, e := range o.Errors {
		if kl := e.KL; !math.IsNaN(float64(kl)) && (p.KL == nil || kl > *p.KL) {
			p.KL, p.KLOutput = &kl, e.Output
		}
	}
	_, p.Meets = search.Front{*of}.Best(targets, t.original)
	for _, name := range r.Types {
		p.Counts[name] = 0
	}
	for _, c := range p.Choose {
		p.Counts[c[strings.LastIndexByte(c, '=')+1:]]++
	}
	p.Counts["float32"] = len(r.Nodes) - len(p.Choose)
	return p
}

// growth says in a line how far the front is.
func growth(front search.Front, targets []search.Target, original int64) string {
	part := func(t search.Trial) string {
		return fmt.Sprintf("%.1f %%", 100*float64(t.Outcome.Bytes)/float64(original))
	}
	at, met := front.Best(targets, original)
	if !met {
		return fmt.Sprintf("searching; front of %s, none meets the targets yet", text.Plural(len(front), "point"))
	}
	return fmt.Sprintf("searching; front of %s, best %s of the original", text.Plural(len(front), "point"), part(front[at]))
}
