package ort

import (
	"cmp"
	"slices"
	"strings"
)

// Placement tells which provider runs which node, and what it costs to have
// several: copies between devices.
type Placement struct {
	Shares    []ProviderShare `json:"providers"`
	Nodes     []PlacedNode    `json:"nodes"`
	Copies    []DeviceCopy    `json:"copies"`
	Fallbacks []Fallback      `json:"fallbacks"`
}

// ProviderShare is how many nodes a provider runs.
type ProviderShare struct {
	Provider string  `json:"provider"` // as a chain names it: "cuda"
	Nodes    int     `json:"nodes"`
	Share    float64 `json:"share"` // of all nodes
}

// DeviceCopy is a node that the runtime added to bring a value to another device.
type DeviceCopy struct {
	Op       string `json:"op"`    // MemcpyFromHost or MemcpyToHost
	Value    string `json:"value"` // that is copied
	Provider string `json:"provider"`
}

// Fallback is a node that a provider of the chain did not take.
type Fallback struct {
	Node     string `json:"node"`
	Op       string `json:"op"`
	Provider string `json:"provider"` // that did not take it
	Reason   string `json:"reason"`
}

// Why a node fell back, in our words.
const (
	reasonKernel      = "it has no kernel for this operator, version and types"
	reasonUnsupported = "its kernel does not support what this node asks for"
	reasonShape       = "it computes a shape or an index, which is cheaper on the CPU than the copies would be"
)

// ShortProvider is a provider as chains name it: "cuda" for
// "CUDAExecutionProvider".
func ShortProvider(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, "ExecutionProvider"))
}

// What the runtime's log says of placement, at level info.
var (
	noKernel     = whenUsed(`^(\S+) kernel not found in registries for Op type: (\S+) node name: (.*)$`)
	notSupported = whenUsed(`^(\S+) kernel not supported\. Fallback to CPU execution for Op type: (\S+) node name: (.*)$`)
	cheaperOnCPU = whenUsed(`[Ff]orce fallback to CPU execution for node: (.*?)(?: because .*)?$`)
	copied       = whenUsed(`^Add (MemcpyFromHost|MemcpyToHost) (?:after|before) (.*) for (\S+)$`)
)

// PlacementOf makes sense of what a session noted. The chain is that of the
// session, its preferred provider first.
func PlacementOf(nodes []PlacedNode, log []LogLine, preferred string) Placement {
	p := Placement{Nodes: []PlacedNode{}, Shares: []ProviderShare{}, Copies: []DeviceCopy{}, Fallbacks: []Fallback{}}
	at := map[string]int{}
	for _, n := range nodes {
		n.Provider = ShortProvider(n.Provider)
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

// saidOf is what the log says of a node, as far as it names one: many have no name,
// and then the operator tells.
type saidOf struct{ name, op string }

// read takes copies out of the log, and tells of every node that is not where it was
// wanted why that is. The partitioner asks more than once, so the log also speaks of
// nodes that a later round placed as wanted.
func (p *Placement) read(log []LogLine, preferred string) {
	reasons := map[saidOf]string{}
	for _, line := range log {
		if m := copied().FindStringSubmatch(line.Message); m != nil {
			p.Copies = append(p.Copies, DeviceCopy{m[1], m[2], ShortProvider(m[3])})
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
