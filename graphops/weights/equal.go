package weights

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Equality tells which tensors of a model are equal: same type, same shape, same
// bits. Another shape is another tensor, because whoever reads it could not take the
// one for the other.
type Equality struct {
	// Groups are those of two tensors at least, which waste most first.
	Groups []Group
	// Uniform are tensors of several elements that all have the same bits, as far as
	// looking for equal ones had to read them.
	Uniform []Uniform
	// Unread are why tensors could not be read. They are in no group.
	Unread []error
	Read   int64 // bytes
}

// Group is tensors that are equal.
type Group struct {
	Items []Item
	Bytes int64 // of one
	// Copies is how often the elements are stored: tensors that refer to the same
	// place in a file share one.
	Copies int
}

// Wasted is how many bytes would go if the elements were stored once.
func (g Group) Wasted() int64 { return int64(g.Copies-1) * g.Bytes }

// Uniform is a tensor whose elements are all the same.
type Uniform struct {
	Item  Item
	Value string // as tensor.ParseLiteral reads it
}

// Equal finds the tensors of a model that are equal. Only those are read that have a
// type and a shape in common with another one: the beginning of all of them, and
// the rest where beginnings are alike. What is called equal has the same SHA-256, or
// lies in the same place of a file.
func Equal(ctx context.Context, m *graphops.Model, progress Progress) (Equality, error) {
	e := &equality{meter: newMeter(ctx, 0, progress)}
	classes, err := e.candidates(m)
	if err != nil {
		return Equality{}, err
	}
	if classes, err = e.split(classes, e.beginning); err != nil {
		return Equality{}, err
	}
	e.meter.total = e.meter.done
	for _, c := range classes {
		e.meter.total += int64(len(c)) * c[0].rest()
	}
	if classes, err = e.split(classes, e.whole); err != nil {
		return Equality{}, err
	}
	return e.report(classes), nil
}

// equality is a search for equal tensors.
type equality struct {
	meter   *meter
	uniform []Uniform
	unread  []error
}

// stored is elements that are stored once, and the tensors that they belong to.
type stored struct {
	items   []Item
	payload graphops.Payload // empty for strings, which are read by the item
	bytes   int64
	sum     sum // of what has been read so far
}

// class is what may be equal.
type class []*stored

// likeness is what equal tensors have in common at first sight.
type likeness struct {
	dtype tensor.DType
	shape string
	bytes int64
}

// spot is where elements lie in a file.
type spot struct {
	like   likeness
	path   string
	offset int64
}

// candidates sorts the tensors of a model by what tells them apart unread.
func (e *equality) candidates(m *graphops.Model) ([]class, error) {
	classes := map[likeness]class{}
	spots := map[spot]*stored{}
	var order []likeness
	for item := range Items(m) {
		if err := e.meter.ctx.Err(); err != nil {
			return nil, err
		}
		s, err := storedOf(item)
		if err != nil {
			e.cannot(item, err)
			continue
		}
		like := likeness{item.DType(), tensor.FormatShape(item.Dims()), s.bytes}
		if path, offset, ok := s.payload.Location(); ok {
			at := spot{like, path, offset}
			if first := spots[at]; first != nil {
				first.items = append(first.items, item)
				continue
			}
			spots[at] = s
		}
		if classes[like] == nil {
			order = append(order, like)
		}
		classes[like] = append(classes[like], s)
	}
	list := make([]class, 0, len(order))
	for _, like := range order {
		list = append(list, classes[like])
	}
	return list, nil
}

func storedOf(item Item) (*stored, error) {
	n, err := item.ByteLen()
	if err != nil {
		return nil, err
	}
	s := &stored{items: []Item{item}, bytes: n}
	if item.DType() == tensor.String {
		return s, nil
	}
	s.payload, err = item.Data()
	return s, err
}

// cannot notes why a tensor was not read. Tensors of attributes often have no name.
func (e *equality) cannot(item Item, err error) {
	if item.Name() == "" {
		err = fmt.Errorf("%q: %w", item.String(), err)
	}
	e.unread = append(e.unread, err)
}

// split parts the members of each class by a sum. A class of one is not read: it has
// no equal.
func (e *equality) split(classes []class, read func(*stored) error) ([]class, error) {
	var out []class
	for _, c := range classes {
		if len(c) == 1 {
			out = append(out, c)
			continue
		}
		parts := map[sum]class{}
		var order []sum
		for _, s := range c {
			err := read(s)
			if stop := e.meter.ctx.Err(); stop != nil {
				return nil, stop
			}
			if err != nil {
				e.cannot(s.items[0], err)
				continue
			}
			if parts[s.sum] == nil {
				order = append(order, s.sum)
			}
			parts[s.sum] = append(parts[s.sum], s)
		}
		for _, k := range order {
			out = append(out, parts[k])
		}
	}
	return out, nil
}

func (e *equality) report(classes []class) Equality {
	out := Equality{Uniform: e.uniform, Unread: e.unread, Read: e.meter.done}
	for _, c := range classes {
		g := Group{Bytes: c[0].bytes, Copies: len(c)}
		for _, s := range c {
			g.Items = append(g.Items, s.items...)
		}
		if len(g.Items) > 1 {
			out.Groups = append(out.Groups, g)
		}
	}
	slices.SortStableFunc(out.Groups, func(a, b Group) int { return cmp.Compare(b.Wasted(), a.Wasted()) })
	return out
}
