package profile

import (
	"lathe/graphops"
	"lathe/graphops/scope"
)

// Module is the time of the nodes in one module of the model, for a flame graph. The modules follow
// from the names of the nodes.
type Module struct {
	Path   string `json:"path"`
	Parent int    `json:"parent"` // position in the list, -1 for the root
	// US is the time of all nodes in the module, OwnUS only of those directly in it.
	US    Number `json:"us"`
	OwnUS Number `json:"own_us"`
	Share Number `json:"share"`
	Nodes int    `json:"nodes"` // number of nodes that ran
}

// Cell is the profile of one node of the main graph. The workbench shows it in the node's row and
// by its colour.
type Cell struct {
	US    float64 // including its bodies
	Share float64
	// Provider is the provider that runs the node. Bound is the bound of the node that ran longest
	// among those that belong to this one.
	Provider string
	Bound    Bound
	// Unsure is set if the time of the node that ran longest among those is not certain.
	Unsure bool
	// With is the position of the node whose cell has the time, if several nodes run as one. It is
	// the node's own position if its cell has a time, and -1 if nothing ran for it.
	With int
}

// inMain returns the position of the node of the main graph that contains an origin, at any depth,
// or that is the origin. It returns -1 if the origin is not known.
func inMain(o origin) int {
	if o.By == ByNone {
		return -1
	}
	node := o.Node
	for p := o.Place; p != nil; p = p.Parent {
		if p.Kind == graphops.MainGraph {
			return node
		}
		node = p.Node
	}
	return -1
}

// ByModule returns the modules of the model, outer ones before inner ones.
func (r *Result) ByModule() []Module { return r.Modules }

// Cells returns the cells of a main graph with the given number of nodes, by position. It skips
// entries of r.Nodes with positions beyond that, which belong to another model.
func (r *Result) Cells(nodes int) []Cell {
	cells := make([]Cell, nodes)
	for i := range cells {
		cells[i].With = -1
	}
	longest := make([]Number, nodes)
	for k := range r.Nodes {
		row := &r.Nodes[k]
		if row.Main == nil || *row.Main < 0 || *row.Main >= nodes {
			continue
		}
		i := *row.Main
		c := &cells[i]
		c.US += float64(row.US)
		c.Share += float64(row.Share)
		if c.With != i || row.US > longest[i] {
			longest[i], c.Provider, c.Bound, c.Unsure = row.US, row.Provider, BoundUnknown, row.Unsure
			if row.Bound != nil {
				c.Bound = *row.Bound
			}
		}
		c.With = i
	}
	for k := range r.Nodes {
		row := &r.Nodes[k]
		if row.Main == nil || row.Place != "" || *row.Main < 0 || *row.Main >= nodes {
			continue
		}
		for _, m := range row.Members {
			if m >= 0 && m < nodes && cells[m].With < 0 {
				cells[m].With, cells[m].Provider = *row.Main, row.Provider
			}
		}
	}
	return cells
}

// idle returns the number of cells whose node nothing ran for.
func idle(cells []Cell) (n int) {
	for _, c := range cells {
		if c.With < 0 {
			n++
		}
	}
	return n
}

// modules returns the sums of the times by module, outer modules before inner ones. The time of a
// node that belongs to no module counts for the root, and that of a node without an origin is left
// out. modules also sets Scope in r.Nodes.
func (x *explanation) modules(r *Result) []Module {
	tree := scope.Build(x.Model.Graph())
	totals := make([]Module, len(tree.Scopes))
	for k, t := range x.trace.Nodes {
		i := inMain(x.origin[t])
		if i < 0 {
			continue
		}
		s := tree.Find(i)
		row := &r.Nodes[k]
		if s != scope.Root {
			row.Scope = tree.Path(s)
		}
		totals[s].OwnUS += row.US
		for ; s >= 0; s = tree.Scopes[s].Parent {
			totals[s].US += row.US
			totals[s].Share += row.Share
			totals[s].Nodes++
		}
	}
	out := []Module{}
	position := map[scope.ID]int{-1: -1}
	for i := range totals {
		if totals[i].Nodes == 0 {
			continue
		}
		id := scope.ID(i)
		position[id] = len(out)
		totals[i].Path, totals[i].Parent = tree.Path(id), position[tree.Scopes[i].Parent]
		out = append(out, totals[i])
	}
	return out
}
