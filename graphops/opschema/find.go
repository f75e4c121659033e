package opschema

import (
	_ "embed"
	"slices"
	"sync"

	"lathe/graphops"
)

//go:embed table.txt
var text string

// standing is the index of the embedded table.
var standing = sync.OnceValue(func() *table {
	t, err := index(text)
	if err != nil {
		panic(broken(err))
	}
	return t
})

// broken is for a table that is not what make.py writes, which a test over all
// of it rules out.
func broken(err error) string { return "the embedded table of operators: " + err.Error() }

// Find is the schema of an operator in the version of a domain that a model
// imports: the newest one that is not newer. A deprecated operator is found, and
// marked. Repeated questions allocate nothing.
func Find(domain, op string, version int64) (*Schema, bool) {
	t := standing()
	versions := t.operators[operator{graphops.NormalDomain(domain), op}]
	for _, e := range slices.Backward(versions) {
		if e.since <= version {
			return e.schema(t), true
		}
	}
	return nil, false
}

// Versions are all schemas of an operator, oldest first.
func Versions(domain, op string) []*Schema {
	t := standing()
	entries := t.operators[operator{graphops.NormalDomain(domain), op}]
	list := make([]*Schema, len(entries))
	for i, e := range entries {
		list[i] = e.schema(t)
	}
	return list
}

// Names are the operators that a domain has in any version, sorted.
func Names(domain string) []string {
	domain = graphops.NormalDomain(domain)
	var names []string
	for o := range standing().operators {
		if o.domain == domain {
			names = append(names, o.name)
		}
	}
	slices.Sort(names)
	return names
}

// Domains are the domains of the table, sorted; that of the standard is "".
func Domains() []string {
	var names []string
	for d := range standing().latest {
		names = append(names, d)
	}
	slices.Sort(names)
	return names
}

// Latest is the newest version of a domain that the table knows, and 0 of a
// domain that it does not know.
func Latest(domain string) int64 { return standing().latest[graphops.NormalDomain(domain)] }
