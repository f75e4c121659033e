package weights

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Equality says which tensors of a model are equal, which means that they have the same type, shape
// and bits. Tensors that differ only in their shapes are not equal, because one could not replace
// the other.
type Equality struct {
	// Groups are the sets of equal tensors. Those that waste the most bytes come first.
	Groups []Group
	// Uniform lists tensors with several elements that all have the same bits. It has only tensors
	// that had to be read completely to find equal ones.
	Uniform []Uniform
	// Unread has the errors of tensors that could not be read. They are in no group.
	Unread []error
	Read   int64 // number of bytes read
}

// Group is a set of two or more equal tensors.
type Group struct {
	Items []Item
	Bytes int64 // of one tensor
	// Copies is how often the elements are stored. Tensors that refer to the same range of a file
	// share one copy.
	Copies int
}

// Wasted returns how many bytes would be saved if the elements were stored once.
func (g Group) Wasted() int64 { return int64(g.Copies-1) * g.Bytes }

// Uniform is a tensor whose elements are all equal.
type Uniform struct {
	Item  Item
	Value string // in the form of tensor.ParseLiteral
}

// Equal finds the equal tensors of a model. It reads a tensor only if another one has the same type
// and shape. It first reads the beginnings, and the rest only if beginnings are equal. Tensors
// count as equal if they have the same SHA-256, or if they are the same range of a file.
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

// equality has the state of a search for equal tensors.
type equality struct {
	meter   *meter
	uniform []Uniform
	unread  []error
}

// stored is one copy of some elements in the file, and the tensors that refer to it.
type stored struct {
	items   []Item
	payload graphops.Payload // empty for strings, which are read through items[0]
	bytes   int64
	sum     sum // of what was read so far
}

// class is a set of copies that may be equal, as far as they have been read.
type class []*stored

// likeness is what can be compared without reading elements. Equal tensors have the same likeness.
type likeness struct {
	dtype tensor.DType
	shape string
	bytes int64
}

// spot identifies one copy of elements by its position in a file.
type spot struct {
	like   likeness
	path   string
	offset int64
}

// candidates puts the tensors of a model into classes by what is known without reading elements.
func (e *equality) candidates(m *graphops.Model) ([]class, error) {
	classes := map[likeness]class{}
	spots := map[spot]*stored{}
	var order []likeness
	for item := range items(m) {
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

// cannot records that a tensor could not be read. The error describes the position of the tensor,
// because tensors of attributes often have no name.
func (e *equality) cannot(item Item, err error) {
	if item.Name() == "" {
		err = fmt.Errorf("%q: %w", item.String(), err)
	}
	e.unread = append(e.unread, err)
}

// split calls read for each copy and divides the classes by the resulting checksums. If a class has
// only one copy, it is not read, because nothing can be equal to it.
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
