package graphops

// flow is the graph as edges between numbers: what each node reads and makes,
// without a look at a name.
type flow struct {
	reads, makes edges
}

// edges lists values by node, one list for all nodes.
type edges struct {
	start  []int32 // one longer than there are nodes
	values []ValueID
}

func (e edges) of(node int32) []ValueID { return e.values[e.start[node]:e.start[node+1]] }

// flow turns readers and producers around at the first call and keeps the
// result. Inputs of one node come in the order of values, captured ones with
// them; an output that another definition overrules is none.
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

// edges counts first, so that there is one list for all nodes.
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

// Reads are the values that a node reads, by input or from inside its bodies,
// in the order of their numbers; one that it reads twice stands there twice.
func (x *Index) Reads(node int) []ValueID { return x.flow().reads.of(int32(node)) }

// Makes are the values that a node makes, in the order of their numbers. An
// output that another definition overrules is not among them.
func (x *Index) Makes(node int) []ValueID { return x.flow().makes.of(int32(node)) }
