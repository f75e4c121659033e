package opschema

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"lathe/graphops"
)

//go:embed table.txt
var text string

// standing is the index of the embedded table. It is created on first use.
var standing = sync.OnceValue(func() *table {
	t, err := index(text)
	if err != nil {
		panic(broken(err))
	}
	return t
})

// broken returns the message of a panic for an invalid embedded table. make.py writes the table,
// and a test reads all of it, so this does not happen.
func broken(err error) string { return "the embedded table of operators: " + err.Error() }

// Find returns the schema of an operator for a model that imports the given version of the domain.
// This is the newest schema that is not newer than that version. Deprecated operators are found
// too; see Schema.Deprecated. Repeated calls do not allocate.
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

// Versions returns all schemas of an operator, oldest first.
func Versions(domain, op string) []*Schema {
	t := standing()
	entries := t.operators[operator{graphops.NormalDomain(domain), op}]
	list := make([]*Schema, len(entries))
	for i, e := range entries {
		list[i] = e.schema(t)
	}
	return list
}

// Names returns the operators of a domain in any version, sorted.
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

// IsName reports whether an operator of any domain has a name, whatever the case of its letters. A name
// may begin with its domain, as in com.microsoft::FastGelu.
func IsName(name string) bool {
	if at := strings.LastIndex(name, "::"); at >= 0 {
		name = name[at+2:]
	}
	for o := range standing().operators {
		if strings.EqualFold(o.name, name) {
			return true
		}
	}
	return false
}

// Domains returns the domains of the table, sorted; the standard one is "".
func Domains() []string {
	var names []string
	for d := range standing().latest {
		names = append(names, d)
	}
	slices.Sort(names)
	return names
}

// Latest returns the newest known version of a domain, or 0 for an unknown domain.
func Latest(domain string) int64 { return standing().latest[graphops.NormalDomain(domain)] }
