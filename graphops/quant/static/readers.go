package static

import (
	"strconv"

	"lathe/graphops"
)

// copyOf adds a copy of an initializer, named with the next free number appended.
func (k *marker) copyOf(t *graphops.Tensor) string {
	if k.numbered == nil {
		k.numbered = map[string]int{}
		for name := range k.inits {
			k.number(name)
		}
	}
	name := k.names.Value(t.Name() + strconv.Itoa(k.numbered[t.Name()]))
	k.number(name)
	k.inits[name], k.types[name] = t.WithName(name), t.DType()
	k.added = append(k.added, k.inits[name])
	return name
}

// maxNumber bounds the numbers that are recognized at the end of a name.
const maxNumber = 1 << 31

// number records the number at the end of a name. A name can be read in several ways: b10 is b1
// with 0, and b with 10.
func (k *marker) number(name string) {
	for at := len(name) - 1; at >= 0 && '0' <= name[at] && name[at] <= '9'; at-- {
		n, err := strconv.Atoi(name[at:])
		if err != nil || n >= maxNumber {
			return
		}
		k.numbered[name[:at]] = max(k.numbered[name[:at]], n+1)
	}
}

// rewire changes the inputs of node i. The node remains listed as a reader of its previous inputs.
func (k *marker) rewire(i int, inputs []string) {
	for at, name := range k.nodes[i].Inputs() {
		if to := inputs[at]; to != name {
			k.reads[name]--
			k.reads[to]++
			k.readers[to] = append(k.readers[to], i)
		}
	}
	k.nodes[i] = k.nodes[i].WithInputs(inputs)
}

// forget records that node i no longer reads its inputs.
func (k *marker) forget(i int) {
	for _, name := range k.nodes[i].Inputs() {
		k.reads[name]--
	}
}

// replaceIn makes node i read to instead of from at the end. The first replacement of an input
// wins.
func (e *emitter) replaceIn(i int, from, to string) {
	if e.replaced[i] == nil {
		e.replaced[i] = map[string]string{}
	}
	if _, told := e.replaced[i][from]; !told {
		e.replaced[i][from] = to
	}
}

// replace applies the recorded replacements of inputs.
func (e *emitter) replace() {
	for i, to := range e.replaced {
		n := e.nodes[i]
		if n == nil {
			continue
		}
		inputs := append([]string(nil), n.Inputs()...)
		for at, name := range inputs {
			if name, ok := to[name]; ok {
				inputs[at] = name
			}
		}
		e.nodes[i] = n.WithInputs(inputs)
	}
}
