package folder

import (
	"context"
	"fmt"
	"os"
	"slices"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
)

// maxNodes is the number of nodes up to which shapes and costs of a member are computed, and
// maxPorts how many inputs or outputs of one member are looked at.
const (
	maxNodes = 50_000
	maxPorts = 4096
)

// Kind is the layout of a folder.
type Kind string

// The kinds. Loose is several models that follow no known layout.
const (
	GenAI     Kind = "genai"
	Diffusers Kind = "diffusers"
	Parts     Kind = "parts"
	Sherpa    Kind = "sherpa"
	Optimum   Kind = "optimum"
	Merged    Kind = "merged"
	Whisper   Kind = "whisper"
	Single    Kind = "single"
	Loose     Kind = "loose"
)

// Folder is a folder whose models form one pipeline.
type Folder struct {
	Path    string
	Kind    Kind
	Why     string // the evidence for Kind
	Members []*Member
	Wires   []Wire
	// Shared are inputs that get the same value from the caller.
	Shared []Shared
	// Callers are the inputs that no member feeds, and Results the outputs that no member reads.
	Callers, Results []Outside
	// Assumed is what was assumed about the folder as a whole.
	Assumed []string
	// Problems are contradictions between the configuration and the files.
	Problems []Problem
	Limits   []string // what was not searched

	class string // of a pipeline of diffusers
}

// Member is a model of the folder.
type Member struct {
	Name string
	Role Role
	File string // relative to the folder, with slashes
	Path string // as it can be opened
	Why  string // the evidence for Role
	// Variants are files of the same model in another precision. They are not members.
	Variants []string

	// Model is nil if the file cannot be opened; Err says why.
	Model *graphops.Model
	Err   error
	Costs *cost.Result // with the shapes; nil if they are not known
	Roles *roles.Roles

	config          *component // nil without a configuration
	inputs, outputs []graphops.NamedType
	scores          map[string]bool // the outputs that have scores of tokens, or a cache
}

// roles returns the roles of ports, none if the model cannot be opened.
func (m *Member) roles() *roles.Roles {
	if m.Roles == nil {
		return &roles.Roles{}
	}
	return m.Roles
}

// Inputs returns the inputs that a run needs.
func (m *Member) Inputs() []graphops.NamedType { return m.inputs }

// Outputs returns the outputs, with inferred types.
func (m *Member) Outputs() []graphops.NamedType { return m.outputs }

// Port is an input or an output of a member.
type Port struct {
	Member *Member
	Name   string
}

// String returns the port as MEMBER.NAME. The name is raw.
func (p Port) String() string { return p.Member.Name + "." + p.Name }

// Outside is a port on the border of the folder.
type Outside struct {
	Port
	Kind  roles.Kind
	About string // what it is, "" if that is not known
}

// Shared are inputs that get the same value.
type Shared struct {
	Ports []Port
	Why   string
}

// Evidence is what shows a wire. A larger one is stronger.
type Evidence uint8

// The evidence for wires.
const (
	ByType Evidence = iota + 1
	ByNameAndType
	ByStructure
	ByConfiguration
)

// String describes the evidence in a few words.
func (e Evidence) String() string {
	return [...]string{"none", "type only", "name and type", "structure", "configuration"}[e]
}

// Turn says in which runs of the reading member a wire has its value.
type Turn uint8

// The turns. Next is the run after the one that made the value.
const (
	Always Turn = iota
	First
	Next
)

// String returns a word for a turn.
func (t Turn) String() string { return [...]string{"always", "first run", "next run"}[t] }

// Wire leads from an output to an input.
type Wire struct {
	From, To Port
	Evidence Evidence
	Why      string
	Turn     Turn
	// Via is what the pipeline does to the value in between, "" if it is passed on unchanged.
	Via     string
	Assumed string // what the evidence does not show, or ""

	joined bool // with the values of other wires
}

// Options are the options of Open.
type Options struct {
	// Open opens a model file. It is required.
	Open func(path string) (*graphops.Model, error)
}

// IsFolder reports whether a path is a directory.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Open opens the models of a folder and finds the wires between them. A model that cannot be opened
// stays a member with its error. If the folder holds no model, the error is the one that Options.Open
// has for it; if none of its models can be opened, it is that of the first.
func Open(ctx context.Context, path string, o Options) (*Folder, error) {
	found, err := list(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(found.models) == 0 {
		if _, err := o.Open(path); err != nil {
			return nil, err // says which other format the folder is
		}
		return nil, fmt.Errorf("%s: is a directory without a model; expected a model file, or a folder that holds .onnx files", path)
	}
	f := &Folder{Path: path, Limits: found.limits}
	f.lay(found)
	for _, m := range f.Members {
		if err := m.open(ctx, o); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(f.Members, func(m *Member) bool { return m.Model != nil }) {
		return nil, f.Members[0].Err
	}
	f.cutPorts()
	f.confirm()
	f.connect()
	return f, ctx.Err()
}

// open opens the model of a member. The error is that of ctx.
func (m *Member) open(ctx context.Context, o Options) error {
	m.Model, m.Err = o.Open(m.Path)
	if m.Err != nil {
		m.Model = nil
		return ctx.Err()
	}
	costs, err := cost.Analyze(ctx, m.Model, maxNodes)
	var shapes *shape.Result
	if err == nil {
		m.Costs, shapes = costs, costs.Shapes
	}
	m.Roles, err = roles.Find(ctx, m.Model, roles.Options{Shapes: shapes})
	if err != nil {
		return err
	}
	g := m.Model.Graph()
	m.inputs = graphops.NamedTypes(g.FeedInputs())
	main := m.Model.Places()[0]
	for _, out := range g.Outputs() {
		t := out.Type()
		if id, ok := g.Index().Value(out.Name()); ok && shapes != nil {
			t = shapes.Stated(main, id, t)
		}
		m.outputs = append(m.outputs, graphops.NamedType{Name: out.Name(), Type: t})
	}
	return ctx.Err()
}

// cutPorts leaves out the ports of models with very many, so that the search stays fast.
func (f *Folder) cutPorts() {
	for _, m := range f.Members {
		if len(m.inputs) > maxPorts || len(m.outputs) > maxPorts {
			f.Limits = append(f.Limits, fmt.Sprintf("inputs and outputs of %s after the first %d", m.Name, maxPorts))
			m.inputs, m.outputs = m.inputs[:min(len(m.inputs), maxPorts)], m.outputs[:min(len(m.outputs), maxPorts)]
		}
	}
}

// Member returns the member with a name, or nil.
func (f *Folder) Member(name string) *Member {
	for _, m := range f.Members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Into returns the wires that lead to a member from other members, without those of a later run.
func (f *Folder) Into(m *Member) []Wire {
	var out []Wire
	for _, w := range f.Wires {
		if w.To.Member == m && w.From.Member != m && w.Turn != Next {
			out = append(out, w)
		}
	}
	return out
}
