package ort

import (
	"cmp"
	"slices"

	"lathe/graphops/opschema"
)

// Placement says which provider runs which node, which nodes the preferred provider does not run,
// and which values are copied between devices as a result.
type Placement struct {
	Shares    []ProviderShare `json:"providers"`
	Nodes     []PlacedNode    `json:"nodes"`
	Copies    []DeviceCopy    `json:"copies"`
	Fallbacks []Fallback      `json:"fallbacks"`
}

// ProviderShare is the number of nodes that a provider runs.
type ProviderShare struct {
	Provider string  `json:"provider"` // short name, as in a provider chain: "cuda"
	Nodes    int     `json:"nodes"`
	Share    float64 `json:"share"` // fraction of all nodes
}

// DeviceCopy is a node that the runtime inserted to copy a value to another device.
type DeviceCopy struct {
	Op       string `json:"op"`    // MemcpyFromHost or MemcpyToHost
	Value    string `json:"value"` // the copied value
	Provider string `json:"provider"`
}

// Fallback is a node that the preferred provider does not run.
type Fallback struct {
	Node     string `json:"node"`
	Op       string `json:"op"`
	Provider string `json:"provider"` // the provider that does not run it
	Reason   string `json:"reason"`
}

// The reasons why a node does not run on the preferred provider. In the texts, "it" in the first
// two is the provider, and in the last is the node.
const (
	reasonKernel      = "it has no kernel for this operator, version and types"
	reasonUnsupported = "its kernel does not support what this node asks for"
	reasonShape       = "it computes a shape or an index, which is cheaper on the CPU than the copies would be"
)

// Expressions for the messages about placement that the runtime logs at level info.
var (
	noKernel     = whenUsed(`^(\S+) kernel not found in registries for Op type: (\S+) node name: (.*)$`)
	notSupported = whenUsed(`^(\S+) kernel not supported\. Fallback to CPU execution for Op type: (\S+) node name: (.*)$`)
	cheaperOnCPU = whenUsed(`[Ff]orce fallback to CPU execution for node: (.*?)(?: because .*)?$`)
	copied       = whenUsed(`^Add (MemcpyFromHost|MemcpyToHost) (?:after|before) (.*) for (\S+)$`)
)

// PlacementOf summarizes on which providers a session's nodes run. nodes and log are what
// Session.Placed returns. preferred is the first provider of the session's chain.
func PlacementOf(nodes []PlacedNode, log []LogLine, preferred string) Placement {
	p := Placement{Nodes: []PlacedNode{}, Shares: []ProviderShare{}, Copies: []DeviceCopy{}, Fallbacks: []Fallback{}}
	at := map[string]int{}
	for _, n := range nodes {
		n.Provider = opschema.ShortProvider(n.Provider)
		p.Nodes = append(p.Nodes, n)
		i, known := at[n.Provider]
		if !known {
			i = len(p.Shares)
			at[n.Provider] = i
			p.Shares = append(p.Shares, ProviderShare{Provider: n.Provider})
		}
		p.Shares[i].Nodes++
	}
	for i := range p.Shares {
		p.Shares[i].Share = float64(p.Shares[i].Nodes) / float64(len(nodes))
	}
	slices.SortStableFunc(p.Shares, func(a, b ProviderShare) int { return b.Nodes - a.Nodes })
	p.read(log, preferred)
	return p
}

// saidOf identifies the node that a log message is about. Many nodes have no name and are
// identified by their operator only.
type saidOf struct{ name, op string }

// read fills in Copies and Fallbacks from the log. Only nodes that do not run on the preferred
// provider become fallbacks. The log alone does not show these, because it also has messages about
// nodes that the runtime later placed on the preferred provider after all.
func (p *Placement) read(log []LogLine, preferred string) {
	reasons := map[saidOf]string{}
	for _, line := range log {
		if m := copied().FindStringSubmatch(line.Message); m != nil {
			p.Copies = append(p.Copies, DeviceCopy{m[1], m[2], opschema.ShortProvider(m[3])})
		} else if m := noKernel().FindStringSubmatch(line.Message); m != nil {
			reasons[saidOf{m[3], m[2]}] = reasonKernel
		} else if m := notSupported().FindStringSubmatch(line.Message); m != nil {
			reasons[saidOf{m[3], m[2]}] = reasonUnsupported
		} else if m := cheaperOnCPU().FindStringSubmatch(line.Message); m != nil && m[1] != "" {
			reasons[saidOf{name: m[1]}] = reasonShape
		}
	}
	for _, n := range p.Nodes {
		if n.Provider == preferred {
			continue
		}
		reason := cmp.Or(reasons[saidOf{n.Name, n.Op}], reasons[saidOf{name: n.Name}], "the runtime does not say why")
		p.Fallbacks = append(p.Fallbacks, Fallback{n.Name, n.Op, preferred, reason})
	}
}
