package reporting

// Costing is a report on what each node costs at the outputs of the model if only this node is changed.
type Costing interface {
	// NodeCosts returns the nodes whose cost was measured.
	NodeCosts() []NodeCost
	// CostsAre says in a few words what was measured, such as "outputs if only this node is quantized,
	// dynamic".
	CostsAre() string
}

// NodeCost is what a node costs.
type NodeCost struct {
	Place string   // the body of the node; "" for the main graph
	Node  string   // its name, or ""
	Op    string   // its operator
	Reads []string // constants that it reads, by which a node without a name is found
	SNR   float64  // signal-to-noise ratio of the worst output, in dB
}
