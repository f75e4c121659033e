package graphops

// flow has the values that each node reads and produces, as numbers instead of names.
type flow struct {
	reads, makes edges
}

// edges has a list of values for each node. All lists share one slice.
type edges struct {
	start  []int32 // has one more entry than there are nodes
	values []ValueID
}

// newEdges returns the edges of no node yet, with room for those of nodes. values returns how many
// values a node has.
func newEdges(nodes []*Node, values func(*Node) int) edges {
	n := 0
	for _, node := range nodes {
		n += values(node)
	}
	return edges{start: append(make([]int32, 0, len(nodes)+1), 0), values: make([]ValueID, 0, n)}
}

func (e edges) of(node int32) []ValueID { return e.values[e.start[node]:e.start[node+1]] }

// flow returns the values that nodes read and produce. They are computed on the first call and
// sorted by number. What a node reads includes captured values. What it produces does not include
// an output that another definition with the same name overrides.
func (x *Index) flow() *flow {
	x.flowOnce.Do(func() {
		x.turned = &flow{
			reads: x.edges(func(v ValueID) []int32 { return x.Readers(v) }),
			makes: x.edges(func(v ValueID) []int32 {
				if x.producer[v] < 0 {
					return nil
				}
				return x.producer[v : v+1]
			}),
		}
	})
	return x.turned
}

// edges inverts nodes, a function from a value to nodes: it returns the values for each node. It
// counts them first, so that one slice suffices.
func (x *Index) edges(nodes func(ValueID) []int32) edges {
	e := edges{start: make([]int32, len(x.graph.nodes)+1)}
	for v := range x.ids.names {
		for _, n := range nodes(ValueID(v)) {
			e.start[n+1]++
		}
	}
	for n := range x.graph.nodes {
		e.start[n+1] += e.start[n]
	}
	e.values = make([]ValueID, e.start[len(x.graph.nodes)])
	next := make([]int32, len(x.graph.nodes))
	copy(next, e.start)
	for v := range x.ids.names {
		for _, n := range nodes(ValueID(v)) {
			e.values[next[n]] = ValueID(v)
			next[n]++
		}
	}
	return e
}

// Reads returns the values that a node or its bodies read, in the order of their numbers. A
// value that is read twice is listed twice.
func (x *Index) Reads(node int) []ValueID { return x.flow().reads.of(int32(node)) }

// Makes returns the values that a node produces, in the order of their numbers, without outputs
// that another definition overrides.
func (x *Index) Makes(node int) []ValueID { return x.flow().makes.of(int32(node)) }
