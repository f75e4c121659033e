package opschema

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"lathe/graphops"
)

// kernelTable is the index of one of the tables of kernels: it has the position of each kernel in the text. Of the
// embedded table, only the sets and the versions of the domains are used.
type kernelTable struct {
	table
	kernels   map[operator][]*kernelEntry
	providers map[string]bool // those whose kernels it has
	chosen    sync.Map        // what kernelsFor returned, by kernelChoice
}

// kernelChoice identifies the kernels of a provider for one version of an operator.
type kernelChoice struct {
	schema   *Schema
	provider string
}

// kernelsFor returns the kernels of a provider for the version of an operator, whatever their types.
func (t *kernelTable) kernelsFor(s *Schema, provider string) []*Kernel {
	key := kernelChoice{s, provider}
	if list, ok := t.chosen.Load(key); ok {
		return list.([]*Kernel)
	}
	var list []*Kernel
	for _, e := range t.kernels[operator{s.Domain, s.Name}] {
		if k := e.kernel(t); k.Provider == provider && k.Implements(s) {
			list = append(list, k)
		}
	}
	t.chosen.Store(key, list)
	return list
}

// kernelEntry is the position of a kernel in the text. It also has the kernel, after it was parsed.
type kernelEntry struct {
	head   Kernel
	name   string
	lines  string // with its types
	number int    // line number of the kernel
	parsed atomic.Pointer[Kernel]
}

// kernel returns the kernel of the entry. It parses it on the first call and then always returns
// the same one. It may be called concurrently.
func (e *kernelEntry) kernel(t *kernelTable) *Kernel {
	if k := e.parsed.Load(); k != nil {
		return k
	}
	k, err := t.parseKernel(e)
	if err != nil {
		panic(brokenKernels(err))
	}
	e.parsed.CompareAndSwap(nil, k)
	return e.parsed.Load()
}

// parseKernel reads the types of a kernel.
func (t *kernelTable) parseKernel(e *kernelEntry) (*Kernel, error) {
	var types Schema
	number := e.number
	for line := range strings.Lines(e.lines) {
		number++
		if err := t.addConstraint(&types, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "type ")); err != nil {
			return nil, fmt.Errorf("line %d: type of %s: %w", number, e.name, err)
		}
	}
	k := e.head
	k.Constraints = types.Constraints
	return &k, nil
}

// kernelIndexer reads all lines of a table except those with types, which it skips.
type kernelIndexer struct {
	indexer
	kernels   map[operator][]*kernelEntry
	providers map[string]bool
	provider  string       // of the following kernels
	open      *kernelEntry // the kernel whose types are being skipped
}

// indexKernels finds the kernels of a table without reading their types.
func indexKernels(text string) (*kernelTable, error) {
	x := kernelIndexer{kernels: make(map[operator][]*kernelEntry, 256), providers: map[string]bool{}}
	x.from, x.latest, x.sets = map[string]string{}, map[string]int64{}, map[string]*set{}
	number, at := 0, 0
	for line := range strings.Lines(text) {
		number, at = number+1, at+len(line)
		if err := x.line(strings.TrimSuffix(line, "\n"), number, at); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if x.open != nil {
			x.open.lines = text[x.start:at]
		}
	}
	return &kernelTable{table: x.table, kernels: x.kernels, providers: x.providers}, nil
}

// line reads one line. number is the line's number, and end is the position of its end in the text.
func (x *kernelIndexer) line(line string, number, end int) error {
	word, rest, _ := strings.Cut(line, " ")
	if word == "type" && x.open != nil {
		return nil
	}
	x.open, x.start = nil, end
	switch {
	case line == "" || strings.HasPrefix(line, "#"):
		return nil
	case word == "provider":
		return x.section(rest)
	case word == "kernel":
		return x.kernel(rest, number)
	case word == "from" || word == "set" || word == "domain":
		return x.statement(word, rest)
	default:
		return fmt.Errorf("%q is outside of a kernel", line)
	}
}

// section reads the rest of a line "provider NAME DOMAIN".
func (x *kernelIndexer) section(rest string) error {
	provider, domain, _ := strings.Cut(rest, " ")
	x.provider, x.domain = provider, graphops.NormalDomain(domain)
	if provider == "" || x.latest[x.domain] == 0 {
		return fmt.Errorf("provider %q: needs a name and a domain that is stated above", rest)
	}
	x.providers[provider] = true
	return nil
}

// kernel reads the rest of a line "kernel NAME SINCE [UNTIL]".
func (x *kernelIndexer) kernel(rest string, number int) error {
	fields := strings.Fields(rest)
	if len(fields) < 2 || len(fields) > 3 || x.provider == "" {
		return fmt.Errorf("kernel %q: needs a name and versions, below a provider", rest)
	}
	e := &kernelEntry{name: fields[0], number: number, head: Kernel{Provider: x.provider, Until: math.MaxInt64}}
	bounds := []*int64{&e.head.Since, &e.head.Until}
	for i, field := range fields[1:] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return fmt.Errorf("the versions of %q: %w", e.name, err)
		}
		*bounds[i] = n
	}
	if e.head.Since < 1 || e.head.Until < e.head.Since {
		return fmt.Errorf("the versions of %q: %s is not a range", e.name, strings.Join(fields[1:], " to "))
	}
	key := operator{x.domain, e.name}
	x.open, x.kernels[key] = e, append(x.kernels[key], e)
	return nil
}
