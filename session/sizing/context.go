package sizing

import (
	"path/filepath"

	"lathe/graphops"
)

// Context returns the largest number of positions of a language model, and what says so: a file beside
// the model, or the table of angles that an operator reads. n is 0 if nothing says it.
func Context(m *graphops.Model) (n int64, from string) {
	b := besideOf(m)
	n, from = b.positions.size, b.positions.file
	if n == 0 {
		n, from = positionsBeside(m), "config.json"
	}
	if rows, name := angles(m); rows > 0 && (n == 0 || rows < n) {
		return rows, graphops.ShortQuoted(name)
	}
	if n == 0 {
		return 0, ""
	}
	return n, from
}

// positionsBeside reads the other names that configurations have for the number of positions.
func positionsBeside(m *graphops.Model) int64 {
	if m.Path() == "" || m.Machine() != "" {
		return 0
	}
	var c struct {
		Positions count `json:"n_positions"`
		Context   count `json:"n_ctx"`
		Target    count `json:"max_target_positions"` // of a decoder that has an encoder
	}
	if !readJSON(filepath.Join(filepath.Dir(m.Path()), "config.json"), &c) {
		return 0
	}
	return int64(max(c.Positions, c.Context, c.Target))
}

// angles returns the number of rows of the shortest table of rotary angles, and its name.
func angles(m *graphops.Model) (rows int64, name string) {
	x := m.Graph().Index()
	slots := map[string]int{"GroupQueryAttention": 7, "SparseAttention": 9, "RotaryEmbedding": 2}
	for _, n := range m.Graph().Nodes() {
		slot, ok := slots[n.OpType()]
		if !ok || n.Domain() != graphops.MicrosoftDomain || slot >= len(n.Inputs()) {
			continue
		}
		v, ok := x.Value(n.Inputs()[slot])
		if !ok {
			continue
		}
		t := x.Initializer(v)
		if t == nil || len(t.Dims()) != 2 {
			continue
		}
		if d := t.Dims()[0]; rows == 0 || d < rows {
			rows, name = d, t.Name()
		}
	}
	return rows, name
}
