package filter

// MatchQuoted quotes text, reads it again and tells what it matches as a whole.
func MatchQuoted(s string) (func(string) bool, error) {
	r := reader{expr: Quote(s, special)}
	t, err := r.text(true)
	if err != nil {
		return nil, err
	}
	p := compile(t, false)
	return p.matches, nil
}
