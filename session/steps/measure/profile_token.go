package measure

import (
	"context"
	"fmt"
	"io"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/graphops/architecture"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/graphops/summary"
	"lathe/session/text"
)

// tokenReport says where the time of one run of a language model goes, by part of the work.
type tokenReport struct {
	Tokens int64       `json:"tokens"` // new tokens of a sequence in a run
	Depth  int64       `json:"depth"`  // positions in the cache before
	Batch  int64       `json:"batch"`
	Layers int         `json:"layers"` // 0 if the layers are of several kinds
	Parts  []tokenPart `json:"parts"`
	// Copied is set if each run copies a cache that could be kept in one buffer.
	Copied bool `json:"cache_copied"`
}

// tokenPart is one part of the work.
type tokenPart struct {
	Part        string         `json:"part"`
	Nodes       int            `json:"nodes"` // that ran
	US          profile.Number `json:"us"`
	Share       profile.Number `json:"share"`
	WeightBytes int64          `json:"weight_bytes"` // that are read; of the embedding only the rows of one token
	CacheBytes  int64          `json:"cache_bytes"`  // that are read
}

// language is a language model whose run is profiled.
type language struct {
	*architecture.Architecture
	found *roles.Roles
}

// languageOf describes a model that has a cache, in the place where a profile spent its time: of a model
// with a branch for the first run, only one runs. It returns nil for another model.
func languageOf(ctx context.Context, s profile.Subject, stated []roles.Given, r *profile.Result) (*language, error) {
	var shapes *shape.Result
	if s.Costs != nil {
		shapes = s.Costs.Shapes
	}
	found, err := roles.Find(ctx, s.Model, roles.Options{Shapes: shapes, Given: stated})
	if err != nil || len(pastsOf(found)) == 0 {
		return nil, err
	}
	a, err := architecture.Of(ctx, s.Model, shapes, found, summary.In(busiest(s.Model, r), shapes))
	if err != nil || len(a.Blocks) == 0 {
		return nil, err
	}
	return &language{a, found}, nil
}

// busiest returns the place whose nodes took most of the time.
func busiest(m *graphops.Model, r *profile.Result) *graphops.Place {
	times := map[string]profile.Number{}
	for i := range r.Nodes {
		if n := &r.Nodes[i]; n.WithinUS == 0 { // a node with bodies is not where the work is
			times[n.Place] += n.US
		}
	}
	best := m.Places()[0]
	most := times[""]
	for _, p := range m.Places()[1:] {
		if us := times[p.String()]; us > most {
			best, most = p, us
		}
	}
	return best
}

// pastsOf returns the pairs of caches with positions that a run continues.
func pastsOf(found *roles.Roles) (out []roles.Pair) {
	for _, p := range found.Pairs {
		if p.Past != "" && p.Axis >= 0 && !p.Cross && (p.Growth == roles.Grows || p.Growth == roles.MayShare) {
			out = append(out, p)
		}
	}
	return out
}

// token adds up the times of the nodes by part of the work. It returns nil if the model is not a language
// model with a cache.
func (l *language) token(r *profile.Result, feeds graphops.Feeds) *tokenReport {
	if l == nil {
		return nil
	}
	out := &tokenReport{Batch: 1, Parts: []tokenPart{}}
	for i := range l.found.Inputs {
		in := &l.found.Inputs[i]
		if in.Kind != roles.IDs && in.Kind != roles.Embeddings {
			continue
		}
		if shape := feeds[in.Name].Tensor.Shape; len(shape) > 1 {
			out.Batch, out.Tokens = shape[0], shape[1]
		}
	}
	for _, p := range pastsOf(l.found) {
		if shape := feeds[p.Past].Tensor.Shape; p.Axis < len(shape) {
			out.Depth = max(out.Depth, shape[p.Axis])
		}
		out.Copied = out.Copied || p.Growth == roles.MayShare // the profile gives past and present separate buffers
	}
	if len(l.Blocks) == 1 {
		out.Layers = l.Blocks[0].Layers
	}
	parts := map[architecture.Work]*tokenPart{}
	for _, w := range architecture.Works() {
		parts[w] = &tokenPart{Part: w.String(), WeightBytes: l.Weights[w]}
	}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		p := parts[l.workOf(n)]
		p.Nodes++
		p.US += n.US
		p.Share += n.Share
	}
	parts[architecture.Attention].CacheBytes = l.cacheBytes(feeds)
	for _, w := range architecture.Works() {
		if p := parts[w]; p.Nodes > 0 || p.WeightBytes > 0 || p.CacheBytes > 0 {
			out.Parts = append(out.Parts, *p)
		}
	}
	return out
}

// workOf returns the part of a node that ran: that of its origin, or else of another node whose work it
// does.
func (l *language) workOf(n *profile.Node) architecture.Work {
	place := ""
	if l.Place.Kind != graphops.MainGraph {
		place = l.Place.String()
	}
	if n.Index == nil || n.Place != place {
		return architecture.OtherWork
	}
	for _, i := range append([]int{*n.Index}, n.Members...) {
		if i >= 0 && i < len(l.Work) && l.Work[i] != architecture.OtherWork {
			return l.Work[i]
		}
	}
	return architecture.OtherWork
}

// cacheBytes adds up the caches that a run reads.
func (l *language) cacheBytes(feeds graphops.Feeds) (total int64) {
	for _, p := range l.found.Pairs {
		if v, ok := feeds[p.Past]; ok && p.Past != "" && v.IsTensor() {
			total += v.Tensor.Len() * int64(v.Tensor.DType.Bits()) / 8
		}
	}
	return total
}

// title says what a run is.
func (t *tokenReport) title() string {
	out := text.Plural(int(t.Tokens), "token")
	if t.Tokens == 1 {
		out = "one token"
	}
	out += " after " + text.Plural(int(t.Depth), "position")
	if t.Batch > 1 {
		out += fmt.Sprintf(", batch %d", t.Batch)
	}
	if t.Layers > 0 {
		out += ", " + text.Plural(t.Layers, "layer")
	}
	return out
}

// write writes the parts as a table.
func (t *tokenReport) write(w io.Writer) {
	p := text.NewPrinter(w)
	table := text.Table{Titles: []string{t.title(), ">nodes", ">time", ">share", ">a layer", ">weights", ">cache"}}
	for _, part := range t.Parts {
		layer := ""
		if t.Layers > 1 && (part.Part == architecture.Attention.String() || part.Part == architecture.FeedForward.String()) {
			layer = profile.Time(part.US / profile.Number(t.Layers))
		}
		table.Add(part.Part, part.Nodes, profile.Time(part.US), fmt.Sprintf("%.1f %%", 100*float64(part.Share)), layer, someBytes(part.WeightBytes), someBytes(part.CacheBytes))
	}
	p.Table(table)
	if t.Copied && t.Depth > 0 {
		p.Line("past and present are separate buffers here, so that attention includes copying the cache; lathe bench keeps it in one buffer")
	}
	p.Line("")
}

func someBytes(n int64) string {
	if n == 0 {
		return ""
	}
	return text.Bytes(n)
}

// addToken adds where the time of a run of a language model goes.
func (s *Profile) addToken(ctx context.Context, r *profileReport, subject profile.Subject, feeds graphops.Feeds) error {
	stated, err := s.Roles.Stated()
	if err != nil {
		return err
	}
	l, err := languageOf(ctx, subject, stated, r.Result)
	if err == nil {
		r.Token = l.token(r.Result, feeds)
	}
	return err
}
