package graphops

// operators are the different operators of the nodes of one graph.
type operators struct {
	list []FunctionKey
	of   []int32 // index into list by node
}

// Operators returns the different operators and functions that the nodes of the graph call, in the
// order of their first node. A fact about an operator can be looked up once for each of them instead
// of once for each node.
func (x *Index) Operators() []FunctionKey { return x.operators().list }

// Operator returns the index in Operators of what a node calls.
func (x *Index) Operator(node int) int { return int(x.operators().of[node]) }

// fewOperators is how many operators are compared one after the other. A graph with more gets a map.
const fewOperators = 8

// operators numbers the operators on the first call.
func (x *Index) operators() *operators {
	x.operatorsOnce.Do(func() {
		o := &operators{of: make([]int32, len(x.graph.nodes))}
		known := map[FunctionKey]int32{} // those after the first few
		for i, n := range x.graph.nodes {
			key := n.Calls()
			at := o.among(key)
			if later, ok := known[key]; at < 0 && ok {
				at = later
			}
			if at < 0 {
				at = int32(len(o.list))
				o.list = append(o.list, key)
				if at >= fewOperators {
					known[key] = at
				}
			}
			o.of[i] = at
		}
		x.called = o
	})
	return x.called
}

// among returns the index of one of the first operators, or -1.
func (o *operators) among(key FunctionKey) int32 {
	for i, k := range o.list[:min(fewOperators, len(o.list))] {
		if k == key {
			return int32(i)
		}
	}
	return -1
}
