package graphops

// flow is the graph as edges between numbers: what each node reads and produces, without names.
type flow struct {
	reads, makes edges
}

// edges lists values by node, in one list for all nodes.
type edges struct {
	start  []int32 // has one more entry than there are nodes
	values []ValueID
}

func (e edges) of(node int32) []ValueID { return e.values[e.start[node]:e.start[node+1]] }

// flow computes the edges on the first call. The inputs of a node, including captured ones, are
// in the order of value numbers. An output that another definition overrides is not included.
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

// edges counts first, so that one list suffices for all nodes.
func (x *Index) edges(nodes func(ValueID) []int32) edges {
	e := edges{start: make([]int32, len(x.graph.nodes)+1)}
	for v := range x.names {
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
	for v := range x.names {
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
