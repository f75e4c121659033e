package tensor

import (
	"encoding/json"
	"fmt"
	"math"
)

// Number is a float64 in a report. JSON has no NaN and no infinities, so these are written as the
// strings "NaN", "Infinity" and "-Infinity".
type Number float64

var nonFinite = map[string]float64{
	"NaN":       math.NaN(),
	"Infinity":  math.Inf(1),
	"-Infinity": math.Inf(-1),
}

// MarshalJSON writes the shortest decimal that reads back as the same number.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	switch {
	case math.IsNaN(f):
		return []byte(`"NaN"`), nil
	case math.IsInf(f, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-Infinity"`), nil
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(data []byte) error {
	var f float64
	if err := json.Unmarshal(data, &f); err == nil {
		*n = Number(f)
		return nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err == nil {
		if f, ok := nonFinite[s]; ok {
			*n = Number(f)
			return nil
		}
	}
	return fmt.Errorf("%.40q is not a number; expected a number or one of \"NaN\", \"Infinity\", \"-Infinity\"", data)
}
