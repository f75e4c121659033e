package graphops

import (
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// Model is an opened or edited ONNX model.
type Model struct {
	src       *source // the file that it was opened from; nil for a model created in memory
	files     *externalFiles
	graph     *Graph
	functions []*Function
	head      []byte    // the serialized ModelProto without the graph, functions and training_info
	training  []Payload // training_info, which is kept but not decoded
	hasGraph  bool
	edited    bool // differs from the file in src
	places    *places
	imports   *imports
	callees   *callees
	also      []origin // files of other models from which parts were taken
}

// changed returns a copy of the model that the caller may modify. It is marked as edited. Results
// that were computed from the original, such as its places, are not copied.
func (m *Model) changed() *Model {
	c := *m
	c.edited, c.places, c.imports, c.callees = true, &places{}, &imports{}, &callees{}
	return &c
}

// imports are the versions that a model imports, by domain. They are read once, because passes ask
// for a version at every node, and a file may import any number of domains.
type imports struct {
	once     sync.Once
	versions map[string]int64
}

// Opset is one entry of opset_import.
type Opset struct {
	Domain  string // empty for the default domain
	Version int64
}

// Path returns the path that the model was opened from. It is empty for a model created in
// memory or read from a stream.
func (m *Model) Path() string {
	if m.src == nil || m.src.real == "" {
		return ""
	}
	return m.src.path
}

// FileBytes returns the size of the model file without external data. It is 0 for a model
// created in memory.
func (m *Model) FileBytes() int64 {
	if m.src == nil {
		return 0
	}
	return m.src.size
}

// Edited reports whether a runtime would load a different model from Path. This is so if the model
// was changed, if it was not opened from a file, and if its file is in text form.
func (m *Model) Edited() bool { return m.Path() == "" || m.edited }

// Graph returns the main graph.
func (m *Model) Graph() *Graph { return m.graph }

// Functions returns the model-local functions.
func (m *Model) Functions() []*Function { return m.functions }

// IRVersion returns the version of the file format, 0 if it is missing.
func (m *Model) IRVersion() int64 { v, _ := lastVarint(m.head, fieldnum.ModelIRVersion); return v }

// Producer returns the name and version of the tool that created the model.
func (m *Model) Producer() (name, version string) {
	return lastString(m.head, fieldnum.ModelProducerName), lastString(m.head, fieldnum.ModelProducerVersion)
}

// Domain returns the model's own domain, such as "org.example".
func (m *Model) Domain() string { return lastString(m.head, fieldnum.ModelDomain) }

// Version returns the model's own version.
func (m *Model) Version() int64 { v, _ := lastVarint(m.head, fieldnum.ModelVersion); return v }

// Doc returns the model's doc_string.
func (m *Model) Doc() string { return lastString(m.head, fieldnum.ModelDoc) }

// Metadata returns the model's metadata_props.
func (m *Model) Metadata() []Entry { return entriesOf(m.head, fieldnum.ModelMetadata) }

// Opsets returns the operator sets that the model imports, in file order.
func (m *Model) Opsets() []Opset { return opsetsOf(m.head, fieldnum.ModelOpsetImport) }

// Opset returns the version of a domain that the model imports. A model of IR version 1 or 2 has no
// imports; it has version 1 of the default domain. If the model imports a domain several times, the
// last import counts, as in ONNX Runtime.
func (m *Model) Opset(domain string) (int64, bool) {
	m.imports.once.Do(func() { m.imports.versions = versionsOf(m.Opsets()) })
	if version, ok := m.imports.versions[NormalDomain(domain)]; ok {
		return version, true
	}
	return 1, domain == DefaultDomain && m.IRVersion() < 3
}

// OpsetVersions returns the versions of all domains that the model imports. If it imports a domain
// several times, the last import counts.
func (m *Model) OpsetVersions() map[string]int64 {
	out := versionsOf(m.Opsets())
	if _, ok := out[DefaultDomain]; !ok && m.IRVersion() < 3 {
		out[DefaultDomain] = 1
	}
	return out
}

func versionsOf(list []Opset) map[string]int64 {
	out := make(map[string]int64, len(list))
	for _, o := range list {
		out[o.Domain] = o.Version
	}
	return out
}

func versionIn(list []Opset, domain string) (int64, bool) {
	for _, o := range slices.Backward(list) {
		if o.Domain == NormalDomain(domain) {
			return o.Version, true
		}
	}
	return 0, false
}

func opsetsOf(head []byte, num protowire.Number) []Opset {
	var out []Opset
	for f := range fieldsOf(head) {
		if f.num == num && f.typ == protowire.BytesType {
			v, _ := lastVarint(f.value, 2)
			out = append(out, Opset{NormalDomain(lastString(f.value, 1)), v})
		}
	}
	return out
}

func appendOpset(b []byte, num protowire.Number, o Opset) []byte {
	var m []byte
	if o.Domain != "" {
		m = appendString(m, 1, o.Domain)
	}
	return appendBytes(b, num, appendVarint(m, 2, o.Version))
}

// withImports returns the message head with its operator set imports replaced. If a domain was
// already imported, only the version in that import is changed.
func withImports(head []byte, num protowire.Number, opsets []Opset) []byte {
	written := map[string][]byte{}
	for f := range fieldsOf(head) {
		if f.num == num && f.typ == protowire.BytesType {
			written[NormalDomain(lastString(f.value, 1))] = f.value
		}
	}
	b := without(head, num)
	for _, o := range opsets {
		m, ok := written[NormalDomain(o.Domain)]
		if !ok {
			b = appendOpset(b, num, o)
			continue
		}
		b = appendBytes(b, num, appendVarint(without(m, 2), 2, o.Version))
	}
	return b
}

// HasExternalData reports whether any tensor of the model has external data.
func (m *Model) HasExternalData() bool {
	for range m.ExternalTensors() {
		return true
	}
	return false
}

// HasTraining reports whether the model has training_info. It describes how to train the model and
// refers to values by name.
func (m *Model) HasTraining() bool { return len(m.training) > 0 }

// WithoutTraining returns the model without training_info.
func (m *Model) WithoutTraining() *Model {
	c := m.changed()
	c.training = nil
	return c
}

// TrainingDropped is the warning of edits that remove training_info because it no longer matches
// the model.
const TrainingDropped = "training_info is dropped: it describes the model as it was"
