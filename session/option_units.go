package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is an option for a time above 0: "30s", "2m", or a number of seconds.
func Duration(p *time.Duration, name, usage string) Option {
	return measure(p, name, usage, parseDuration, time.Duration.String)
}

func parseDuration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if seconds, numeric := strconv.ParseFloat(v, 64); numeric == nil {
		d, err = time.Duration(seconds*float64(time.Second)), nil
		if !(seconds < math.MaxInt64/float64(time.Second)) {
			err = strconv.ErrRange
		}
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a time such as 30s or 2m", v)
	}
	return d, nil
}

// units maps the suffix of a size, such as "KB", to the number of bytes.
var units = map[string]int64{
	"": 1, "B": 1,
	"K": 1 << 10, "KIB": 1 << 10, "KB": 1e3,
	"M": 1 << 20, "MIB": 1 << 20, "MB": 1e6,
	"G": 1 << 30, "GIB": 1 << 30, "GB": 1e9,
	"T": 1 << 40, "TIB": 1 << 40, "TB": 1e12,
}

// Size is an option for a number of bytes above 0: "500M", "1.5GiB", "2e9". K, M, G and T are
// powers of 1024, and so are KiB to TiB. KB, MB, GB and TB are powers of 1000.
func Size(p *int64, name, usage string) Option {
	return measure(p, name, usage, parseSize, func(n int64) string { return strconv.FormatInt(n, 10) })
}

// SizeFromZero is an option for a number of bytes that may be 0. *p is nil if the option is not
// given.
func SizeFromZero(p **int64, name, usage string) Option {
	return Option{
		Name: name, Usage: usage, Kind: KindText,
		set: func(v string) (err error) {
			n := int64(0)
			if v != "0" {
				n, err = parseSize(v)
			}
			if err == nil {
				*p = &n
			}
			return err
		},
		reset: func() { *p = nil },
		get: func() []string {
			if *p == nil {
				return nil
			}
			return []string{strconv.FormatInt(**p, 10)}
		},
	}
}

// measure is an option for a number with a unit. *p is 0 if the option is not given.
func measure[N ~int64](p *N, name, usage string, parse func(string) (N, error), format func(N) string) Option {
	return Option{
		Name: name, Usage: usage, Kind: KindText,
		set: func(v string) (err error) {
			n, err := parse(v)
			if err == nil {
				*p = n
			}
			return err
		},
		reset: func() { *p = 0 },
		get: func() []string {
			if *p == 0 {
				return nil
			}
			return []string{format(*p)}
		},
	}
}

func parseSize(v string) (int64, error) {
	bad := fmt.Errorf("%q is not a size such as 500M or 2GiB", v)
	i := strings.LastIndexAny(v, "0123456789.") + 1
	factor, ok := units[strings.ToUpper(strings.TrimSpace(v[i:]))]
	number, err := strconv.ParseFloat(strings.TrimSpace(v[:i]), 64)
	if err != nil || !ok {
		return 0, bad
	}
	bytes := number * float64(factor)
	if !(bytes >= 1) || bytes >= math.MaxInt64 {
		return 0, bad
	}
	return int64(bytes), nil
}
