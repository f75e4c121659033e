package cost

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// keeper evaluates the sizes of values for given sizes of symbols, and records what is missing.
type keeper struct {
	sizes   map[string]int64
	missing map[string]bool
	unknown int
	err     error // the first
}

// number returns the size of a value in bytes. If it is unknown, it counts the value and returns 0.
func (k *keeper) number(value string, d dim.Dim) int64 {
	if !d.Known() && d.Err() == nil {
		k.unknown++
		return 0
	}
	n, err := d.Eval(func(symbol string) (int64, bool) {
		n, ok := k.sizes[symbol]
		if !ok {
			k.missing[symbol] = true
		}
		return n, ok
	})
	switch {
	case err != nil:
		k.fail(fmt.Errorf("value %q: %w", value, err))
		return 0
	case n < 0:
		k.fail(fmt.Errorf("value %q would have a negative size, %d bytes", value, n))
		return 0
	}
	return n
}

func (k *keeper) fail(err error) {
	if k.err == nil {
		k.err = err
	}
}

// add returns a+b. If the sum overflows, it records an error.
func (k *keeper) add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		k.fail(errors.New("the total size of the values in memory does not fit into 64 bits"))
		return math.MaxInt64
	}
	return a + b
}

// life has, by value, the size and the first and last entry of a frame during which the value
// exists.
type life struct {
	frame      *frame
	index      *graphops.Index
	born, last []int // by value; values that the frame does not create are missing in born
	size       []int64
}

const (
	absent = -2
	start  = -1 // before the first entry
)

func (k *keeper) life(f *frame) *life {
	x := f.place.Graph.Index()
	n := x.Values()
	l := &life{frame: f, index: x, born: make([]int, n), last: make([]int, n), size: make([]int64, n)}
	for v := range n {
		l.born[v] = absent
	}
	for i, e := range f.entries {
		node := f.place.Graph.Nodes()[e.node]
		for _, names := range [][]string{node.Inputs(), node.Captured()} {
			for _, name := range names {
				if id, ok := x.Value(name); ok {
					l.last[id] = i
				}
			}
		}
		for o, name := range node.Outputs() {
			if id, ok := x.Value(name); ok && name != "" && x.Producer(id) == int(e.node) {
				l.born[id], l.last[id], l.size[id] = i, max(l.last[id], i), k.number(name, e.out[o])
			}
		}
	}
	for _, v := range f.place.Graph.Outputs() {
		if id, ok := x.Value(v.Name()); ok {
			l.last[id] = len(f.entries)
		}
	}
	return l
}

func (l *life) name(v graphops.ValueID) string { return l.index.Name(v) }

// given adds a value that exists before the first entry, such as an input.
func (l *life) given(v graphops.ValueID, size int64) { l.born[v], l.size[v] = start, size }

// peak is the point of a run of a frame at which most memory is used.
type peak struct {
	life  *life
	entry int // the running entry; start if none runs
	// made reports that the outputs of the entry are included in bytes.
	made  bool
	bytes int64
	inner *peak // of the frame that the entry enters, if it counts
}

// alive appends the values of the frame that exist at the peak. It does not consider inner frames.
func (p *peak) alive(list []Alive) []Alive {
	l := p.life
	for v, born := range l.born {
		if born != absent && l.size[v] > 0 && l.last[v] >= p.entry && (born < p.entry || born == p.entry && p.made) {
			list = append(list, Alive{l.frame.place, graphops.ValueID(v), l.size[v]})
		}
	}
	return list
}

// follow calls each, if it is not nil, with each node of a frame and the maximum memory while the
// node runs. It returns the peak of the frame.
func (k *keeper) follow(l *life, each func(node int32, bytes int64)) *peak {
	made, freed := make([]int64, len(l.frame.entries)), make([]int64, len(l.frame.entries))
	alive := int64(0)
	for v, born := range l.born {
		if born == start {
			alive = k.add(alive, l.size[v])
		} else if born >= 0 {
			made[born] = k.add(made[born], l.size[v])
		}
		if last := l.last[v]; born != absent && last < len(freed) {
			freed[last] = k.add(freed[last], l.size[v])
		}
	}
	best := &peak{life: l, entry: start, made: true, bytes: alive}
	for i, e := range l.frame.entries {
		now := k.during(l, i, alive, made[i])
		if each != nil {
			each(e.node, now.bytes)
		}
		if now.bytes > best.bytes || best.entry == start {
			best = now
		}
		alive = k.add(alive, made[i]) - freed[i]
	}
	return best
}

// during returns the peak while an entry runs. before is the memory in use before the entry, and
// made the size of its outputs. The results of a branch or of a function are themselves the outputs
// of the node. A loop collects its outputs, in addition to the memory that its body uses.
func (k *keeper) during(l *life, i int, before, made int64) *peak {
	e := l.frame.entries[i]
	own := &peak{life: l, entry: i, made: true, bytes: k.add(before, made)}
	branches := branching()[operatorOf(l.frame, e)]
	for _, f := range e.inner {
		if f.never() {
			continue
		}
		inner := k.life(f)
		loops := f.place.Kind == graphops.BodyGraph && !branches
		if loops {
			for _, v := range slices.Sorted(maps.Keys(f.given)) {
				inner.given(v, k.number(inner.name(v), f.given[v]))
			}
		}
		p := &peak{life: l, entry: i, made: loops, inner: k.follow(inner, nil)}
		if p.bytes = k.add(before, p.inner.bytes); loops {
			p.bytes = k.add(p.bytes, made)
		}
		if p.bytes > own.bytes {
			own = p
		}
	}
	return own
}

// never reports whether no node of the frame is ever run.
func (f *frame) never() bool {
	for _, e := range f.entries {
		if !e.never {
			return false
		}
	}
	return true
}
