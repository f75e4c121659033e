package edit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
)

// Metadata changes metadata, versions and descriptions of a model.
type Metadata struct {
	Of              string
	Set             []string
	Remove          []string
	Doc             string
	GraphName       string
	Producer        string
	ProducerVersion string
	Domain          string
	ModelVersion    int64
	IRVersion       int64
	Opset           []string
	DropOpset       []string
	Clear           []string
	editing
}

// Name implements session.Step.
func (*Metadata) Name() string { return "metadata" }

// Summary implements session.Step.
func (*Metadata) Summary() string {
	return "edit metadata, versions and descriptions of a model and its parts"
}

// Options implements session.Step.
func (s *Metadata) Options() []session.Option {
	return append([]session.Option{
		session.Keyed(&s.Set, "set", "set an entry of metadata: `KEY=VALUE`, split at the first =; repeat for several").AsUsual(),
		session.List(&s.Remove, "remove", "remove the entry `KEY`; repeat for several").AsUsual(),
		session.Text(&s.Doc, "doc", "set the doc_string to `TEXT`").WithDefault("unchanged").AsUsual(),
		session.Text(&s.Of, "of", "apply --set, --remove and --doc to this `PART`: model, graph, node:NAME or value:NAME").WithDefault("model").AsUsual(),
		session.Text(&s.Producer, "producer", "set the tool that made the model to `NAME`").WithDefault("unchanged"),
		session.Text(&s.ProducerVersion, "producer-version", "set the `VERSION` of that tool").WithDefault("unchanged"),
		session.Text(&s.Domain, "domain", "set the `DOMAIN` of the model, such as org.example").WithDefault("unchanged"),
		session.Int(&s.ModelVersion, "model-version", "set the `VERSION` of the model itself", 1).WithDefault("unchanged"),
		session.Text(&s.GraphName, "graph-name", "set the name of the graph to `NAME`").WithDefault("unchanged"),
		session.Int(&s.IRVersion, "ir-version", "set the `VERSION` of the file format, lower for runtimes that reject newer files, but not lower than the model needs", 1).WithDefault("unchanged"),
		session.Keyed(&s.Opset, "set-opset", "set the version of an imported operator set, without converting nodes: `DOMAIN=VERSION`, such as ai.onnx=17; repeat for several").Formerly("opset").AsUsual(),
		session.List(&s.DropOpset, "remove-opset", "remove the import of the operator set `DOMAIN`, which no node may use; repeat for several").Formerly("drop-opset"),
		session.List(&s.Clear, "remove-field", "remove a `FIELD`: "+strings.Join(clearable, ", ")+"; repeat for several").Formerly("clear"),
	}, s.editing.options()...)
}

// Fields that --remove-field accepts. They have the names of the flags that set them.
const (
	fieldDoc             = "doc"
	fieldProducer        = "producer"
	fieldProducerVersion = "producer-version"
	fieldDomain          = "domain"
	fieldModelVersion    = "model-version"
)

var clearable = []string{fieldDoc, fieldProducer, fieldProducerVersion, fieldDomain, fieldModelVersion}

// Preview implements session.Step.
func (s *Metadata) Preview(_ context.Context, _ session.Env, m *graphops.Model) (session.Preview, error) {
	return s.preview(s.Name(), m, s.edit)
}

// Run implements session.Step.
func (s *Metadata) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	return s.run(ctx, env, s.Name(), m, s.edit)
}

func (s *Metadata) edit(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
	o := edit.MetadataOptions{Remove: s.Remove, IRVersion: s.IRVersion, DropOpsets: s.DropOpset}
	for _, text := range s.Set {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, nil, session.UsageError(fmt.Sprintf("--set %q: expected KEY=VALUE", text))
		}
		o.Set = append(o.Set, graphops.Entry{Key: key, Value: value})
	}
	if err := s.opsets(&o); err != nil {
		return nil, nil, err
	}
	if err := s.part(&o); err != nil {
		return nil, nil, err
	}
	if err := s.fields(&o); err != nil {
		return nil, nil, err
	}
	if !s.asksAnything() {
		return nil, nil, session.UsageError("metadata: give at least one change, such as --set KEY=VALUE, --remove KEY, --doc TEXT, --producer NAME, --ir-version N")
	}
	return edit.Metadata(m, at, o)
}

func (s *Metadata) asksAnything() bool {
	texts := s.Doc + s.GraphName + s.Producer + s.ProducerVersion + s.Domain
	return texts != "" || len(s.Set)+len(s.Remove)+len(s.Clear)+len(s.Opset)+len(s.DropOpset) > 0 || s.ModelVersion != 0 || s.IRVersion != 0
}

// opsets parses the values of --set-opset.
func (s *Metadata) opsets(o *edit.MetadataOptions) error {
	for _, text := range s.Opset {
		i := strings.LastIndex(text, "=")
		version, err := strconv.ParseInt(text[i+1:], 10, 64)
		if i < 0 || err != nil {
			return session.UsageError(fmt.Sprintf("--set-opset %q: expected DOMAIN=VERSION", text))
		}
		o.Opsets = append(o.Opsets, graphops.Opset{Domain: text[:i], Version: version})
	}
	return nil
}

// ofModel reports whether an option is given that applies only to the model itself.
func (s *Metadata) ofModel() bool {
	cleared := slices.ContainsFunc(s.Clear, func(field string) bool { return field != fieldDoc })
	return s.Producer+s.ProducerVersion+s.Domain != "" || s.ModelVersion != 0 || s.IRVersion != 0 || len(s.Opset)+len(s.DropOpset) > 0 || cleared
}

// part sets the part of the model that the change is about: the model, a graph, a node or a value.
func (s *Metadata) part(o *edit.MetadataOptions) error {
	kind, name, named := strings.Cut(s.Of, ":")
	switch {
	case s.Of == "" && len(s.In) > 0 && (len(s.Set)+len(s.Remove) > 0 || s.Doc != "" || slices.Contains(s.Clear, fieldDoc)):
		return session.UsageError("metadata: with --in, give --of graph, node:NAME or value:NAME")
	case len(s.In) > 0 && (s.Of == "model" || s.ofModel()):
		return session.UsageError("metadata: producer, domain and versions belong to the model; leave out --in")
	case s.Of == "", s.Of == "model":
		o.Of = edit.WholeModel
	case s.Of == "graph":
		o.Of = edit.WholeGraph
	case kind == "node" && named:
		o.Of, o.Name = edit.OneNode, name
	case kind == "value" && named:
		o.Of, o.Name = edit.OneValue, name
	default:
		return session.UsageError(fmt.Sprintf("--of %q: expected model, graph, node:NAME or value:NAME", s.Of))
	}
	return nil
}

// fields sets the given fields, and clears the fields to be removed.
func (s *Metadata) fields(o *edit.MetadataOptions) error {
	texts := []struct {
		name  string
		value string
		into  **string
	}{
		{fieldDoc, s.Doc, &o.Doc},
		{fieldProducer, s.Producer, &o.Producer},
		{fieldProducerVersion, s.ProducerVersion, &o.ProducerVersion},
		{fieldDomain, s.Domain, &o.Domain},
		{"graph-name", s.GraphName, &o.GraphName},
	}
	for _, name := range s.Clear {
		if !slices.Contains(clearable, name) {
			return session.UsageError(fmt.Sprintf("--remove-field %q: expected one of %s", name, strings.Join(clearable, ", ")))
		}
	}
	for _, t := range texts {
		cleared := slices.Contains(s.Clear, t.name)
		if cleared && t.value != "" {
			return session.UsageError(fmt.Sprintf("metadata: --%s and --remove-field %s contradict each other", t.name, t.name))
		}
		if cleared || t.value != "" {
			*t.into = &t.value
		}
	}
	cleared := slices.Contains(s.Clear, fieldModelVersion)
	if cleared && s.ModelVersion != 0 {
		return session.UsageError("metadata: --model-version and --remove-field model-version contradict each other")
	}
	if cleared || s.ModelVersion != 0 {
		o.ModelVersion = &s.ModelVersion
	}
	return nil
}
