package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bytes writes a size in powers of 1024, as "88.4 kB" never is: "86.3 KiB".
// Below 1 KiB it is exact.
func Bytes(n int64) string {
	if n < 0 {
		return "-" + Bytes(-max(n, -math.MaxInt64)) // the least has no counterpart
	}
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n)/1024, 0
	for v >= 1023.95 && unit < 4 {
		v /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", v, "KMGTP"[unit])
}

// Count writes a count with thin thousands, as "1,234,567".
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Short writes a count in at most four figures, as "1.2M".
func Short(n int64) string {
	v := float64(n)
	for _, u := range []string{"", "K", "M", "G", "T"} {
		if math.Abs(v) < 999.5 {
			if u == "" || math.Abs(v) >= 99.95 {
				return fmt.Sprintf("%.0f%s", v, u)
			}
			return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + u
		}
		v /= 1000
	}
	return fmt.Sprintf("%.0fP", v)
}

// Plural writes a count and its noun, as "1 node" and "2 nodes".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(int64(n)) + " " + noun + "s"
}

// Elapsed writes a duration with the precision that a person waits in.
func Elapsed(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}

// Ago writes how long ago something happened, as "3 hours ago".
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return Plural(int(d/time.Minute), "minute") + " ago"
	case d < 48*time.Hour:
		return Plural(int(d/time.Hour), "hour") + " ago"
	default:
		return Plural(int(d/(24*time.Hour)), "day") + " ago"
	}
}
