package summary

// maxRepeated is the maximum number of marks among which repetition is searched for, and maxPeriod
// the maximum number of marks of one repetition.
const (
	maxRepeated = 20_000
	maxPeriod   = 100
	maxSearches = 8
)

// repeated adds sequences of marks that follow themselves. It is for models whose names say nothing
// about modules.
func (c *collector) repeated() {
	for range maxSearches {
		free := c.freeMarks()
		if len(free) < 4 || !c.repeat(free) {
			return
		}
	}
}

// freeMarks returns the marks that are in no part.
func (c *collector) freeMarks() []*mark {
	var free []*mark
	for _, m := range c.marks {
		if !c.covered[m.node] && m.what != isResidual && len(free) < maxRepeated {
			free = append(free, m)
		}
	}
	return free
}

// repeat adds the sequence that covers the most marks, and reports whether there is one of a known
// kind.
func (c *collector) repeat(free []*mark) bool {
	number := map[string]int{}
	like := make([]int, len(free))
	for i, m := range free {
		text := m.likeness()
		if _, ok := number[text]; !ok {
			number[text] = len(number)
		}
		like[i] = number[text]
	}
	start, period, times := longest(like)
	if times < 2 {
		return false
	}
	at := func(i int) int32 { return c.position[free[i].node] }
	type one struct {
		nodes []int32
		facts Facts
	}
	kind, list := "", []one(nil)
	for k := range times {
		first, last := at(start+k*period), int32(len(c.nodes))-1
		if next := start + (k+1)*period; next < len(free) {
			last = at(next) - 1
		}
		if k == times-1 { // as many nodes follow its last mark as follow that of the first one
			after := at(start+period) - at(start+period-1) - 1
			last = min(last, at(start+(k+1)*period-1)+after)
		}
		nodes := c.free(first, last)
		b := c.blockOf(nodes)
		is := b.kind()
		if is == "" || k > 0 && is != kind {
			return false
		}
		kind = is
		list = append(list, one{nodes, b.facts(c.view)})
	}
	for _, o := range list {
		c.add(partKey{kind, ""}, o.nodes, o.facts)
	}
	return true
}

// longest returns the repetition that covers the most of a sequence, and of several such the one
// with the shortest period: where it starts, its period, and how often it follows itself.
func longest(s []int) (start, period, times int) {
	best := 0
	for p := 2; p <= min(maxPeriod, len(s)/2); p++ {
		run := 0
		for i := 0; i+p <= len(s); i++ {
			if i+p < len(s) && s[i] == s[i+p] {
				run++
				continue
			}
			if n := run/p + 1; n > 1 && n*p > best {
				best, start, period, times = n*p, i-run, p, n
			}
			run = 0
		}
	}
	return start, period, times
}
