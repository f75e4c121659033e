package compare

import "fmt"

// words are how messages call the values of the two sides, such as "expected".
type words struct {
	a, b  string
	truth bool // a is right by definition
}

func wordsOf(a Executor) words {
	if t, ok := a.(Truth); ok {
		return words{t.Word(), "model", true}
	}
	return words{"a", "b", false}
}

// of describes the worst element: its position and both values.
func (w words) of(worst *Worst) string {
	if worst == nil {
		return ""
	}
	return fmt.Sprintf(" at %v: %s %s, %s %s", worst.Index, w.a, worst.A, w.b, worst.B)
}
