package simplify

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// What is written while more is made arrives whole and in order; an error of either side
// ends both, and is the one that is told.
func TestAhead(t *testing.T) {
	broken, full := errors.New("broken"), errors.New("full")
	for _, c := range []struct {
		name         string
		size, part   int
		fails        int // produce ends with broken after so many bytes; 0 is never
		room         int // the writer refuses more; 0 is never
		want         error
		wantProduced bool
	}{
		{"small", 100, 7, 0, 0, nil, true},
		{"large", aheadFrom + 12345, 4096, 0, 0, nil, true},
		{"parts that grow", 3 * aheadFrom, aheadFrom, 0, 0, nil, true},
		{"nothing made", aheadFrom, 4096, 1, 0, broken, false},
		{"broken off", 2 * aheadFrom, 1000, aheadFrom, 0, broken, false},
		{"refused", 8 * aheadFrom, 1000, 0, 5000, full, false},
		{"refused at once", 8 * aheadFrom, aheadFrom, 0, 1, full, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := make([]byte, c.size)
			for i := range data {
				data[i] = byte(i * 7 / 3)
			}
			var got bytes.Buffer
			err := ahead(limited{&got, c.room, full}, int64(c.size), func(w io.Writer) error {
				buf := make([]byte, c.part) // used again, as producers do
				for at := 0; at < c.size; at += c.part {
					if c.fails > 0 && at+c.part > c.fails {
						return broken
					}
					n := copy(buf, data[at:])
					if _, err := w.Write(buf[:n]); err != nil {
						return err
					}
					clear(buf)
				}
				return nil
			})
			if !errors.Is(err, c.want) || c.wantProduced && !bytes.Equal(got.Bytes(), data) {
				t.Errorf("error %v, expected %v; %d of %d bytes", err, c.want, got.Len(), c.size)
			}
		})
	}
}

// limited refuses what is more than it has room for; 0 is room for all.
type limited struct {
	to   *bytes.Buffer
	room int
	err  error
}

func (l limited) Write(b []byte) (int, error) {
	if l.room > 0 && l.to.Len()+len(b) > l.room {
		return 0, l.err
	}
	return l.to.Write(b)
}
