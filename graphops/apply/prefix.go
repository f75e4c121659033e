package apply

import (
	"fmt"
	"slices"
	"strings"
)

// prefixed fits names of which the file's, or the model's, all have the same words before them:
// those that fit the most names. Two that fit as many, and not the same way, are told and
// neither is taken.
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
	longer, shorter := map[string]int{}, map[string]int{} // by the prefix of the file, and of the model
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
		f.errs = append(f.errs, fmt.Sprintf("names fit with several prefixes equally often, %d times; give the tensors the names of the model", max(n, k)))
	case n > k:
		f.withPrefix(func(a alias) bool { return true }, func(a alias) string { return inFile + a.name }, "+"+inFile)
	default:
		f.withPrefix(func(a alias) bool { return strings.HasPrefix(a.name, inModel) }, func(a alias) string { return strings.TrimPrefix(a.name, inModel) }, "-"+inModel)
	}
}

// withPrefix fits what is open by its names with a prefix more, or less.
func (f *fitter) withPrefix(has func(alias) bool, name func(alias) string, prefix string) {
	f.open = slices.DeleteFunc(f.open, func(s *slot) bool {
		return slices.ContainsFunc(f.aliases(s), func(a alias) bool { return has(a) && f.fit(s, name(a), a, prefix) })
	})
}

// countPrefixes counts what stands before the rests of a name that are wanted. A prefix ends
// where a module does.
func countPrefixes(name string, counts map[string]int, wanted func(string) bool) {
	for at, c := range []byte(name) {
		if (c == '.' || c == '/') && wanted(name[at+1:]) {
			counts[name[:at+1]]++
		}
	}
}

// most is the prefix that was counted most often, "" where two were.
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
