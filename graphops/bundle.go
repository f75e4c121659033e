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
	b := &Bundle{model: m, layout: dataLayout{locate: func() (string, error) { return data, nil }}}
	if err := b.layout.place(m, SaveOptions{Storage: StoreExternal, MinExternal: DefaultMinExternal}); err != nil {
		return nil, err
	}
	return b, b.layout.fits()
}

// ModelBytes is the length of the first stream.
func (b *Bundle) ModelBytes() int64 { return b.layout.modelBytes }

// DataBytes is the length of the second stream.
func (b *Bundle) DataBytes() int64 { return b.layout.dataBytes() }

// WriteModel writes the first stream.
func (b *Bundle) WriteModel(w io.Writer) error {
	e := encoder{w: w}
	e.model(b.layout.model)
	return e.err
}

// WriteData writes the second stream, and tells if what was written, of either, is
// not what was opened.
func (b *Bundle) WriteData(w io.Writer) error {
	for _, f := range b.layout.files {
		if err := f.write(w); err != nil {
			return err
		}
	}
	return unchangedSources(b.model)
}
