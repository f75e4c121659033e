package look

import (
	"context"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/onnxtext"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/reporting"
	"lathe/session/sizing"
	"lathe/session/text"
)

// Inspect shows what a model or a file of parameters contains.
type Inspect struct {
	Nodes, Values, Tensors, Ops, Places, Metadata, Cost, Sizes, Text, Digest bool
	Filter                                                                   string
	In, Dim                                                                  []string
	MaxElements                                                              int64
	Context, Batch                                                           int64
	flags.Roles
}

// Name implements session.Step.
func (*Inspect) Name() string { return "inspect" }

// Summary implements session.Step.
func (*Inspect) Summary() string {
	return "show what a model, a folder of models or a file of parameters contains, without reading its weights"
}

// Options implements session.Step.
func (s *Inspect) Options() []session.Option {
	return []session.Option{
		session.Switch(&s.Nodes, "nodes", "list the nodes"),
		session.Switch(&s.Values, "values", "list the values"),
		session.Switch(&s.Tensors, "tensors", "list the stored tensors"),
		session.Switch(&s.Ops, "ops", "list every operator, not only the most frequent"),
		session.Switch(&s.Places, "places", "list all graphs: the main graph, subgraphs of nodes, and local functions"),
		session.Switch(&s.Metadata, "metadata", "print the metadata of the model, the graph and the listed items; --json always has it"),
		session.List(&s.In, "in", "list nodes and values of `PLACE`: NODE:ATTRIBUTE for the subgraph of a node, DOMAIN:NAME for a function; repeat to go deeper").Naming(session.NamesPlace, ""),
		session.List(&s.Dim, "dim", "set the size of a symbolic dimension, used for macs, bytes, memory and --sizes: `SYMBOL=N`, or NAME:AXIS=N for an input axis without a symbol; repeat for several").Naming(session.NamesSymbol, "="),
		session.Switch(&s.Cost, "cost", fmt.Sprintf("compute macs and memory even of a model with more than %s nodes, which takes seconds", text.Count(costNodes))),
		session.Int(&s.Context, "context", "compute what the cache of a language model takes at `N` tokens", 1).WithDefault("the length that the model or a file beside it states"),
		session.Int(&s.Batch, "batch", "compute what the cache takes for `N` sequences", 1).WithDefault("1"),
		session.Switch(&s.Sizes, "sizes", "list which sizes of dynamic axes the nodes accept, and the sizes that checks and measurements use"),
		session.Switch(&s.Digest, "digest", fmt.Sprintf("compute the SHA-256 of every compiled part, also of one larger than %s, which is read for that", text.Bytes(reporting.MaxSummed))),
		session.Text(&s.Filter, "filter", filterUsage()).WithDefault("everything"),
		session.Switch(&s.Text, "text", "print only the model, or with --in a part of it, in ONNX's text syntax, which onnx.parser reads"),
		session.Int(&s.MaxElements, "max-elements", "with --text: write at most `N` elements of each tensor and list", 1).WithDefault("all"),
		s.Roles.Option(),
	}
}

// Preview implements session.Step. Inspecting changes nothing, so it is the same as Run.
func (s *Inspect) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	r, err := s.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step.
func (s *Inspect) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.checkText(); err != nil {
		return session.Result{}, err
	}
	if !s.Nodes && !s.Values && !s.Text && (len(s.In) > 0 || s.Filter != "" && !s.Tensors) {
		return session.Result{}, session.UsageError("inspect: --in and --filter choose what is listed; add --nodes, --values or --tensors")
	}
	match, err := newSieve(s.Filter)
	if err != nil {
		return session.Result{}, err
	}
	place, err := m.FindPlace(s.In)
	if err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	stated, err := s.Stated()
	if err != nil {
		return session.Result{}, err
	}
	costs, dims, withoutCosts, err := s.costs(ctx, m)
	if err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	known := known{costs}
	match.known = known
	sum := cost.Summarize(m)
	producer, producerVersion := m.Producer()
	r := &InspectReport{
		Schema:        "lathe.inspect/1",
		File:          fileFacts{Path: m.Path(), Bytes: m.FileBytes()},
		IRVersion:     m.IRVersion(),
		Opsets:        map[string]int64{},
		Producer:      strings.TrimSpace(producer + " " + producerVersion),
		Nodes:         sum.Nodes,
		SubgraphNodes: sum.SubgraphNodes,
		Functions:     sum.Functions,
		Initializers:  sum.Initializers,
		WeightBytes:   sum.WeightBytes,
		Inputs:        reporting.ValuesOf(m.Graph().FeedInputs()),
		Outputs:       known.valuesOf(m.Places()[0], m.Graph().Outputs()),
		Ops:           sum.Ops,
		OpsByDomain:   sum.Domains,
		Metadata:      metadata{m},
		Warnings:      []string{},
		byCount:       sum.ByCount(),
		allOps:        s.Ops,
		allMetadata:   s.Metadata,
		graph:         placeMetadata(place),
	}
	for _, o := range m.Opsets() {
		name := o.Domain
		if name == graphops.DefaultDomain {
			name = "ai.onnx"
		}
		r.Opsets[name] = o.Version
	}
	r.Warnings = append(r.Warnings, definitionWarnings(m)...)
	r.Warnings = append(r.Warnings, s.metadataWarnings(m, place.Graph)...)
	for _, err := range append(sum.Odd, m.MissingExternal()...) {
		r.Warnings = append(r.Warnings, err.Error())
	}
	for _, w := range graphops.ExternalWarnings(m, func() string { return env.RuntimeVersion(ctx) }) {
		r.Warnings = append(r.Warnings, w.Text)
	}
	if costs != nil {
		r.addCosts(costs, dims)
	} else {
		r.Warnings = append(r.Warnings, withoutCosts)
	}
	if r.Summary, err = reporting.SummaryOf(ctx, m, costs, dims, stated); err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	r.Parameters = r.Summary.Parameters
	if err := s.atLength(r.Summary); err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	r.Roles, r.speaks = reporting.RolesOf(r.Summary.Roles), r.Summary.Roles.Speaks() || len(stated) > 0
	if err := s.compiled(ctx, r, m); err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	if s.Sizes {
		system, err := sizing.Of(ctx, m, graphops.NamedTypes(m.Graph().FeedInputs()), stated)
		if err != nil {
			return session.Result{}, err
		}
		list := system.Describe(ctx, dims)
		r.Sizes = &list
	}
	if err := s.list(ctx, r, m, place, match, known); err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	if s.Text {
		return session.Result{Report: &inspectText{r, place, m, known.denials(place), onnxtext.Options{MaxElements: s.MaxElements}}}, nil
	}
	return session.Result{Report: r}, nil
}

// compiled adds the parts that an execution provider has compiled.
func (s *Inspect) compiled(ctx context.Context, r *InspectReport, m *graphops.Model) error {
	for _, c := range m.CompiledNodes() {
		r.Compiled = append(r.Compiled, reporting.CompiledPartOf(m, c))
	}
	if len(r.Compiled) == 0 && s.Digest {
		r.Warnings = append(r.Warnings, "--digest has no effect: no part of the model is compiled")
	}
	limit := int64(reporting.MaxSummed)
	if s.Digest {
		limit = -1
	}
	return reporting.SumCompiled(ctx, r.Compiled, limit)
}

func (s *Inspect) list(ctx context.Context, r *InspectReport, m *graphops.Model, place *graphops.Place, match *sieve, known known) error {
	if s.Nodes {
		found, err := match.nodes(ctx, place)
		if err != nil {
			return err
		}
		list := nodeList(place, found, known)
		r.NodeList = &list
	}
	if s.Values {
		found, err := match.values(place)
		if err != nil {
			return err
		}
		list := valueList(place, found, known)
		r.ValueList = &list
	}
	if s.Tensors {
		found, err := match.tensors(m)
		if err != nil {
			return err
		}
		list := tensorList(found)
		r.TensorList = &list
	}
	if s.Places {
		list := placeList(m)
		r.PlaceList = &list
	}
	return nil
}
