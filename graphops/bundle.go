package graphops

import "io"

// Bundle is a model as two streams, to be put into a folder of another machine as
// two files: the model, and the weights that it refers to, which are of any size.
type Bundle struct {
	model  *Model
	layout dataLayout
}

// BundleOf lays a model out. The weights refer to a file called data beside the
// model.
func BundleOf(m *Model, data string) (*Bundle, error) {
	b := &Bundle{model: m, layout: dataLayout{location: data}}
	if err := b.layout.place(m, SaveOptions{Storage: StoreExternal, MinExternal: DefaultMinExternal}); err != nil {
		return nil, err
	}
	return b, b.layout.fits()
}

// ModelBytes is the length of the first stream.
func (b *Bundle) ModelBytes() int64 { return b.layout.modelBytes }

// DataBytes is the length of the second stream.
func (b *Bundle) DataBytes() int64 { return b.layout.size }

// WriteTo writes both, the model first.
func (b *Bundle) WriteTo(w io.Writer) (int64, error) {
	e := encoder{w: w}
	if e.model(b.layout.model); e.err != nil {
		return 0, e.err
	}
	if err := b.layout.write(w); err != nil {
		return b.layout.modelBytes, err
	}
	return b.layout.modelBytes + b.layout.size, unchangedSources(b.model)
}
