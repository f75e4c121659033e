package generation

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/roles"
	"lathe/session/ort"
	"lathe/session/ort/wire"
)

// Mode is how the present of a run becomes the past of the next one.
type Mode string

// The modes, as --cache names them.
const (
	Shared  Mode = "shared"  // both are one buffer with room for all positions
	Swapped Mode = "swapped" // two buffers change places
	Copied  Mode = "copied"  // the past is a copy of the present
)

// Modes are the names of all modes.
func Modes() []string { return []string{string(Shared), string(Swapped), string(Copied)} }

// CanShare reports whether an operator of the model keeps past and present in one buffer. why says
// which caches cannot, or why none can.
func (p *Plan) CanShare() (ok bool, why string) {
	var not []string
	for _, c := range p.caches {
		switch {
		case c.shares():
			ok = true
		case c.pair.Form != nil && !slices.Contains(not, c.pair.Form.Title):
			not = append(not, c.pair.Form.Title)
		}
	}
	if len(not) == 0 {
		return ok, ""
	}
	return ok, strings.Join(not, " and ") + " writes a new cache in every run"
}

// shares reports whether past and present of a cache may be one buffer.
func (c *cache) shares() bool {
	return c.Axis > 0 && (c.pair.Growth == roles.MayShare || c.pair.Growth == roles.Shares) || c.pair.Growth == roles.Indexed && c.pair.InPlace || c.slidesInPlace()
}

// slidesInPlace reports whether an operator keeps the newest positions within a cache of fixed length.
func (c *cache) slidesInPlace() bool {
	return c.pair.Growth == roles.Slides && c.pair.Form != nil && c.pair.Form.Name == "group-query" && c.pair.Window > 0 && c.Axis > 0
}

// Usual is the mode that the operators of the model allow.
func (p *Plan) Usual() Mode {
	if ok, _ := p.CanShare(); ok {
		return Shared
	}
	return Swapped
}

// Decode returns what a worker needs to generate tokens with room for capacity positions.
func (p *Plan) Decode(mode Mode, capacity int64, settle bool) ort.Decode {
	d := ort.Decode{Batch: p.Batch, Capacity: capacity, Changing: p.changing, Fixed: p.fixed, Logits: p.Logits, Settle: settle}
	for _, c := range p.caches {
		d.Caches = append(d.Caches, c.kept(mode))
	}
	return d
}

// kept returns a cache in a mode. What the mode does not fit is passed on.
func (c *cache) kept(mode Mode) ort.Cache {
	out := c.Cache
	grows := c.Axis > 0 && (c.pair.Growth == roles.Grows || c.pair.Growth == roles.MayShare)
	switch {
	case c.pair.Growth == roles.Unchanged:
		out.Keep = wire.KeepFirst
	case mode == Shared && c.shares(), c.pair.Growth == roles.Shares:
		out.Keep = wire.KeepShared
	case mode == Copied:
		out.Keep = wire.KeepCopied
	case grows:
		out.Keep = wire.KeepSwapped
	default:
		out.Keep = wire.KeepPassed
	}
	switch {
	case c.slidesInPlace():
		// It is as long as the window, also if there are fewer positions.
		out.Dims = slices.Clone(c.Dims)
		out.Dims[c.Axis-1], out.Axis = c.pair.Window, 0
	case c.pair.Growth == roles.Slides:
		out.Most = c.pair.Window
	}
	return out
}

// Bytes returns how many bytes the caches of all sequences take with a number of positions.
func (p *Plan) Bytes(mode Mode, positions int64) (total int64) {
	for _, c := range p.caches {
		k := c.kept(mode)
		n := int64(k.DType.Bits()) * elements(k, positions) / 8
		total += n
	}
	return total
}

func elements(c ort.Cache, positions int64) int64 {
	n := int64(1)
	for i, d := range c.Dims {
		if int64(i)+1 == c.Axis {
			d = positions
			if c.Most > 0 {
				d = min(d, c.Most)
			}
		}
		n *= d
	}
	return n
}

// Describe says how the caches are kept in a mode: "shared", or "4 shared, 2 passed on".
func (p *Plan) Describe(mode Mode) string {
	words := map[ort.Keep]string{
		wire.KeepShared: "shared", wire.KeepSwapped: "swapped", wire.KeepPassed: "passed on", wire.KeepCopied: "copied", wire.KeepFirst: "only read",
	}
	count := map[string]int{}
	var order []string
	for _, c := range p.caches {
		w := words[c.kept(mode).Keep]
		if count[w] == 0 {
			order = append(order, w)
		}
		count[w]++
	}
	if len(order) == 1 {
		return order[0]
	}
	for i, w := range order {
		order[i] = fmt.Sprintf("%d %s", count[w], w)
	}
	return strings.Join(order, ", ")
}

// Prompt returns token ids for each sequence. They are the same in every run of the program.
func (p *Plan) Prompt(length int64) []int64 {
	words := uint64(max(p.Words, 2))
	out := make([]int64, p.Batch*length)
	state := uint64(1)
	for i := range out {
		state = state*6364136223846793005 + 1442695040888963407
		out[i] = int64(state >> 33 % words)
	}
	return out
}
