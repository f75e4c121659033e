package diff

import (
	"strconv"

	"lathe/graphops"
)

// compareModels compares the properties of the two models, such as opsets and metadata.
func (c *comparer) compareModels() {
	a, b := c.d.A, c.d.B
	used := map[string]bool{}
	for _, m := range []*graphops.Model{a, b} {
		for n := range m.AllNodes() {
			used[n.Domain()] = true
		}
	}
	for _, f := range compareOpsets(a, b) {
		f.Describes = !used[f.Name[len("opset "):]] && (f.Old == "" || f.New == "") && f.Name != opsetName("")
		c.d.Model = append(c.d.Model, f)
	}
	c.field("ir_version", strconv.FormatInt(a.IRVersion(), 10), strconv.FormatInt(b.IRVersion(), 10))
	nameA, versionA := a.Producer()
	nameB, versionB := b.Producer()
	c.field("producer", nameA, nameB)
	c.field("producer_version", versionA, versionB)
	c.field("domain", a.Domain(), b.Domain())
	c.field("model_version", strconv.FormatInt(a.Version(), 10), strconv.FormatInt(b.Version(), 10))
	c.field("doc", a.Doc(), b.Doc())
	for _, f := range compareEntries(a.Metadata(), b.Metadata(), true) {
		c.field("metadata "+f.Name, f.Old, f.New)
	}
	c.field("training_info", has(a.HasTraining()), has(b.HasTraining()))
}

func has(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// field records a difference in a property that does not affect what the model computes.
func (c *comparer) field(name, from, to string) {
	if from != to {
		c.d.Model = append(c.d.Model, Field{name, from, to, true})
	}
}

func opsetName(domain string) string {
	if domain == "" {
		domain = "ai.onnx"
	}
	return "opset " + domain
}

// importer is what imports opsets: a model or a function.
type importer interface {
	Opsets() []graphops.Opset
	OpsetVersions() map[string]int64
}

// compareOpsets compares the imported opsets. Those of a come first.
func compareOpsets(a, b importer) []Field {
	entries := func(from importer) (out []graphops.Entry) {
		versions := from.OpsetVersions()
		for _, o := range from.Opsets() {
			out = append(out, graphops.Entry{Key: opsetName(o.Domain), Value: strconv.FormatInt(versions[o.Domain], 10)})
		}
		return out
	}
	return compareEntries(entries(a), entries(b), false)
}
