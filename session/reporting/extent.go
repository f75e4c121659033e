package reporting

import "lathe/graphops"

// Extent is the size of a model: its file in bytes, and the nodes of its main graph.
type Extent struct {
	Bytes int64 `json:"bytes"`
	Nodes int   `json:"nodes"`
}

// ExtentOf returns the size of a model as it would be saved.
func ExtentOf(m *graphops.Model) (Extent, error) {
	n, err := graphops.SavedSize(m, graphops.SaveOptions{})
	return Extent{n, len(m.Graph().Nodes())}, err
}

// FewRows is how many nodes the text of a report lists.
const FewRows = 20
