package graphops

import "io"

// Bundle is a model in the form in which it is sent to another machine. It consists of two streams
// that become files there: the model without its weights, and the weights.
type Bundle struct {
	model  *Model
	layout dataLayout
}

// BundleOf prepares a model for sending. In the sent model, the weights are external data in a file
// with the name data, which the receiver must put beside the model.
func BundleOf(m *Model, data string) (*Bundle, error) {
	b := &Bundle{model: m, layout: dataLayout{locate: func() (string, error) { return data, nil }}}
	if err := b.layout.place(m, SaveOptions{Storage: StoreExternal, MinExternal: DefaultMinExternal}); err != nil {
		return nil, err
	}
	return b, b.layout.fits()
}

// ModelBytes returns the length in bytes of the model file.
func (b *Bundle) ModelBytes() int64 { return b.layout.modelBytes }

// DataBytes returns the length in bytes of the file with the weights.
func (b *Bundle) DataBytes() int64 { return b.layout.dataBytes() }

// WriteModel writes the model file.
func (b *Bundle) WriteModel(w io.Writer) error {
	e := encoder{w: w}
	e.model(b.layout.model)
	return e.err
}

// WriteData writes the file with the weights. It returns an error if a file that the model is read
// from has changed since it was opened.
func (b *Bundle) WriteData(w io.Writer) error {
	for _, f := range b.layout.files {
		if err := f.write(w); err != nil {
			return err
		}
	}
	return unchangedSources(b.model)
}
