package ort

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops/opschema"
	"lathe/session/ort/ep"
)

// Placement says which provider runs which node, which nodes the preferred provider does not run,
// and which values are copied between devices as a result. Nodes is empty if ONNX Runtime only reports
// that one provider runs all of them.
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
	// ReasonUnknown is the reason if the runtime's log has none.
	ReasonUnknown = "the runtime does not say why"
	reasonShape   = "it computes a shape or an index, which is cheaper on the CPU than the copies would be"
)

// Expressions for the messages about placement that the runtime logs at level info.
var (
	noKernel     = whenUsed(`^(\S+) kernel not found in registries for Op type: (\S+) node name: (.*)$`)
	notSupported = whenUsed(`^(\S+) kernel not supported\. Fallback to CPU execution for Op type: (\S+) node name: (.*)$`)
	cheaperOnCPU = whenUsed(`[Ff]orce fallback to CPU execution for node: (.*?)(?: because .*)?$`)
	copied       = whenUsed(`^Add (MemcpyFromHost|MemcpyToHost) (?:after|before) (.*) for (\S+)$`)
	allPlacedOn  = whenUsed(`All nodes placed on \[(\S+)\]\. Number of nodes: (\d{1,9})`)
	placedOn     = whenUsed(`Node\(s\) placed on \[(\S+)\]\.`)
	placedNode   = whenUsed(`(?s)^\s*(\S+) \((.*)\)$`)
)

// PlacementOf summarizes on which providers a session's nodes run. assigned and log are what
// Session.Placed returns. preferred is the first provider of the session's chain.
//
// ONNX Runtime has two lists of nodes. In the partitioner's, assigned, nodes have the names of the
// model, also those that the provider compiles into one. The list in the log has the nodes that the
// session runs. The partitioner's list is used if it is complete: for a provider that prefers another
// memory layout, such as WebGPU, it has only the nodes that the change of the layout adds.
func PlacementOf(assigned []PlacedNode, log []LogLine, preferred string) Placement {
	p := Placement{Nodes: []PlacedNode{}, Shares: []ProviderShare{}, Copies: []DeviceCopy{}, Fallbacks: []Fallback{}}
	count := map[string]int{}
	running, whole := loggedNodes(log)
	switch {
	case complete(assigned, running, whole):
		p.Nodes = append(p.Nodes, assigned...)
	case whole.Nodes > 0:
		count[whole.Provider] = whole.Nodes
	default:
		p.Nodes = append(p.Nodes, running...)
	}
	for i := range p.Nodes {
		p.Nodes[i].Provider = opschema.ShortProvider(p.Nodes[i].Provider)
		count[p.Nodes[i].Provider]++
	}
	p.share(count)
	p.read(log, preferred)
	return p
}

// share sets Shares, those with most nodes first.
func (p *Placement) share(count map[string]int) {
	total := 0
	for _, n := range count {
		total += n
	}
	for provider, n := range count {
		p.Shares = append(p.Shares, ProviderShare{provider, n, float64(n) / float64(total)})
	}
	slices.SortFunc(p.Shares, func(a, b ProviderShare) int {
		return cmp.Or(b.Nodes-a.Nodes, strings.Compare(a.Provider, b.Provider))
	})
}

// NodesOn returns how many nodes a provider runs.
func (p Placement) NodesOn(provider string) int {
	for _, s := range p.Shares {
		if s.Provider == provider {
			return s.Nodes
		}
	}
	return 0
}

// loggedNodes returns the nodes that a session runs, from its log at level verbose, without those that
// only copy values between devices. If all run on one provider, the log has only their number, which
// is whole.
func loggedNodes(log []LogLine) (listed []PlacedNode, whole ProviderShare) {
	provider := ""
	for _, line := range log {
		if !strings.Contains(line.Location, "VerifyEachNodeIsAssignedToAnEp") {
			continue
		}
		if m := allPlacedOn().FindStringSubmatch(line.Message); m != nil {
			whole.Provider = opschema.ShortProvider(m[1])
			whole.Nodes, _ = strconv.Atoi(m[2]) // at most nine digits
		} else if m := placedOn().FindStringSubmatch(line.Message); m != nil {
			provider = m[1]
		} else if m := placedNode().FindStringSubmatch(line.Message); m != nil && provider != "" && !strings.HasPrefix(m[1], "Memcpy") {
			listed = append(listed, PlacedNode{Name: m[2], Op: m[1], Provider: provider})
		}
	}
	return listed, whole
}

// complete reports whether the partitioner's list has all nodes that run: at least as many as run on
// each provider other than the CPU. Optimizations after partitioning fuse nodes. Those of the CPU also
// add some.
func complete(assigned, running []PlacedNode, whole ProviderShare) bool {
	missing := map[string]int{whole.Provider: whole.Nodes}
	for _, n := range running {
		missing[opschema.ShortProvider(n.Provider)]++
	}
	for _, n := range assigned {
		missing[opschema.ShortProvider(n.Provider)]--
	}
	for provider, n := range missing {
		if n > 0 && provider != ep.CPU {
			return false
		}
	}
	return true
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
	otherwise := cmp.Or(p.warned(log, preferred), ReasonUnknown)
	for _, n := range p.Nodes {
		if n.Provider == preferred {
			continue
		}
		reason := cmp.Or(reasons[saidOf{n.Name, n.Op}], reasons[saidOf{name: n.Name}], otherwise)
		p.Fallbacks = append(p.Fallbacks, Fallback{n.Name, n.Op, preferred, reason})
	}
}

// warned returns the first warning of a provider that runs no node. Such a warning names the provider.
func (p *Placement) warned(log []LogLine, provider string) string {
	if p.NodesOn(provider) > 0 {
		return ""
	}
	for _, line := range log {
		if line.Severity >= severityWarning && strings.Contains(strings.ToLower(line.Message), strings.ToLower(provider)) {
			return "it warns: " + line.Message
		}
	}
	return ""
}

// severityWarning is the severity of warnings.
const severityWarning = 2
