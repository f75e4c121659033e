package apply

import (
	"fmt"
	"slices"
	"strings"
)

// prefixed handles models and files whose names differ only by a prefix, such as "model." before
// all names of the file. It uses the prefix with which most names match, in the file or in the
// model. If two prefixes match equally many names, it reports an error and assigns nothing.
func (f *fitter) prefixed() {
	if f.options.Parameters {
		return
	}
	open := map[string]bool{}
	for _, s := range f.open {
		for _, a := range f.aliases(s) {
			open[a.name] = true
		}
	}
	// by prefix: how many names match if the file has the prefix, or if the model has it
	longer, shorter := map[string]int{}, map[string]int{}
	for i := range f.set.Entries {
		if name := f.set.Entries[i].Name; !f.taken[name] {
			countPrefixes(name, longer, func(rest string) bool { return open[rest] })
		}
	}
	for name := range open {
		countPrefixes(name, shorter, func(rest string) bool { return f.entries[rest] != nil && !f.taken[rest] })
	}
	inFile, n := most(longer)
	inModel, k := most(shorter)
	switch {
	case n == 0 && k == 0:
	case inFile == "" && n > 0 || inModel == "" && k > 0 || n == k:
		f.errs = append(f.errs, fmt.Sprintf("tensor names match the model with several prefixes equally often, %d times; give the tensors the names of the model", max(n, k)))
	case n > k:
		f.withPrefix(func(a alias) bool { return true }, func(a alias) string { return inFile + a.name }, "+"+inFile)
	default:
		f.withPrefix(func(a alias) bool { return strings.HasPrefix(a.name, inModel) }, func(a alias) string { return strings.TrimPrefix(a.name, inModel) }, "-"+inModel)
	}
}

// withPrefix assigns tensors to those open slots for which has is true. name returns the name in
// the file, with the prefix added or removed.
func (f *fitter) withPrefix(has func(alias) bool, name func(alias) string, prefix string) {
	f.open = slices.DeleteFunc(f.open, func(s *slot) bool {
		return slices.ContainsFunc(f.aliases(s), func(a alias) bool { return has(a) && f.fit(s, name(a), a, prefix) })
	})
}

// countPrefixes counts each prefix of name after whose removal the rest is wanted. A prefix ends
// with a dot or slash, which separate the names of modules.
func countPrefixes(name string, counts map[string]int, wanted func(string) bool) {
	for at, c := range []byte(name) {
		if (c == '.' || c == '/') && wanted(name[at+1:]) {
			counts[name[:at+1]]++
		}
	}
}

// most returns the prefix with the highest count, and the count. prefix is "" if several have that
// count.
func most(counts map[string]int) (prefix string, n int) {
	for p, k := range counts {
		switch {
		case k > n:
			prefix, n = p, k
		case k == n:
			prefix = ""
		}
	}
	return prefix, n
}
