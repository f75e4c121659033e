package dim

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Sizes are the sizes that runs used for the axes of a model's inputs that have no fixed size, in
// the order of the inputs. A symbol that had several sizes in different runs occurs several times.
// In JSON they are an object.
type Sizes []Size

// Size is the size of a symbol such as "batch", or of one axis that has no symbol.
type Size struct {
	Name string
	N    int64
	// Chosen is set if Lathe chose the size, because neither the user nor the data determined it.
	Chosen bool
}

// shownSizes is the maximum number of sizes that a line of text lists.
const shownSizes = 6

// At returns the sizes as text, such as " at batch=1, sequence=8". It is empty if all axes have
// fixed sizes.
func (s Sizes) At() string {
	var names []string
	numbers := map[string][]string{}
	for _, size := range slices.SortedStableFunc(slices.Values(s), func(a, b Size) int { return cmp.Compare(a.N, b.N) }) {
		numbers[size.Name] = append(numbers[size.Name], fmt.Sprint(size.N))
	}
	seen := map[string]bool{}
	for _, size := range s {
		if !seen[size.Name] {
			names = append(names, size.Name)
		}
		seen[size.Name] = true
	}
	if len(names) == 0 {
		return ""
	}
	var parts []string
	for _, name := range names[:min(len(names), shownSizes)] {
		parts = append(parts, name+"="+strings.Join(numbers[name], ","))
	}
	said := " at " + strings.Join(parts, ", ")
	if more := len(names) - shownSizes; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said + s.chosen(len(names))
}

// chosen says which sizes Lathe chose, and with which option the user sets others. of is the number
// of different names in s.
func (s Sizes) chosen(of int) string {
	names := s.Chosen()
	switch {
	case len(names) == 0:
		return ""
	case len(names) == of || len(names) > shownSizes:
		return fmt.Sprintf(" (chosen automatically; set it with --dim %s=N)", names[0])
	case len(names) == 1:
		return fmt.Sprintf(" (%s chosen automatically; set it with --dim %s=N)", names[0], names[0])
	}
	last := len(names) - 1
	return fmt.Sprintf(" (%s and %s chosen automatically; set them with --dim %s=N)", strings.Join(names[:last], ", "), names[last], names[0])
}

// Find returns the size of a name.
func (s Sizes) Find(name string) (Size, bool) {
	i := slices.IndexFunc(s, func(size Size) bool { return size.Name == name })
	if i < 0 {
		return Size{}, false
	}
	return s[i], true
}

// Chosen returns the names of the sizes that Lathe chose.
func (s Sizes) Chosen() []string {
	var out []string
	for _, size := range s {
		if size.Chosen && !slices.Contains(out, size.Name) {
			out = append(out, size.Name)
		}
	}
	return out
}

// MarshalJSON implements json.Marshaler.
func (s Sizes) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, size := range s {
		name, err := json.Marshal(size.Name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "%s:%d", name, size.N)
	}
	return []byte("{" + b.String() + "}"), nil
}

// UnmarshalJSON implements json.Unmarshaler. The sizes have the order in which they are in the
// text.
func (s *Sizes) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	*s = nil
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return err // null means no sizes
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		size := Size{Name: fmt.Sprint(name)}
		if err := d.Decode(&size.N); err != nil {
			return err
		}
		*s = append(*s, size)
	}
	return nil
}
