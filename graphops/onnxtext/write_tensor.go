package onnxtext

import (
	"errors"

	"lathe/graphops"
	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// sayableTensor reports whether the syntax can express the tensor's type.
func sayableTensor(t *graphops.Tensor) bool {
	_, ok := elementWords[t.DType()]
	return ok
}

func (p *printer) initializer(t *graphops.Tensor) {
	p.tensorType(t)
	p.byte(' ')
	p.note(t.Name())
	p.name(t.Name())
	p.text(" = ")
	p.elements(t)
}

// tensorValue writes a tensor as the value of an attribute. In this position its name cannot be
// quoted, and external data needs a "=" to be distinguished from dimensions.
func (p *printer) tensorValue(t *graphops.Tensor) {
	p.tensorType(t)
	switch {
	case isIdentifier(t.Name()):
		p.text(" " + t.Name())
	case t.Name() != "":
		p.lost("the name of a tensor in an attribute that is not an identifier", t.Name())
	}
	if isExternal(t) {
		p.text(" = ")
	}
	p.elements(t)
}

func (p *printer) tensorType(t *graphops.Tensor) {
	p.check(tensorPart, t.Head(), 0, t.Name())
	p.text(elementWords[t.DType()])
	for i, d := range t.Dims() {
		if i == 0 {
			p.byte('[')
		} else {
			p.byte(',')
		}
		p.int(d)
	}
	if len(t.Dims()) > 0 {
		p.byte(']')
	}
}

// locationExternal is TensorProto.DataLocation.EXTERNAL.
const locationExternal = 1

// isExternal reports whether the elements of the tensor are in another file.
func isExternal(t *graphops.Tensor) bool {
	v, _ := t.Head().Varint(fieldnum.TensorLocation)
	return v == locationExternal
}

func (p *printer) elements(t *graphops.Tensor) {
	if _, unread := t.ElementFields(); len(unread) > 0 {
		p.lost("elements of a tensor in a field that is not used", t.Name())
	}
	_, entries := t.Head().Text(fieldnum.TensorExternal)
	switch {
	case isExternal(t) && entries:
		p.entries(t.Head(), fieldnum.TensorExternal)
		return
	case isExternal(t):
		p.lost("the external data of a tensor, for which no file is named", t.Name())
	case entries:
		p.lost("external_data of a tensor whose elements are in the model", t.Name())
	}
	p.text(" {")
	var err error
	if t.DType() == tensor.String {
		err = p.strings(t)
	} else if !isExternal(t) {
		err = p.numbers(t)
	}
	p.byte('}')
	var fault *elementsError
	if errors.As(err, &fault) {
		p.tally(Loss{What: "the elements of a tensor, because they do not match its type or shape"}, fault.Error())
		return
	}
	if err != nil {
		p.fail(err)
	}
}

// elementsError says why the elements of a tensor cannot be written.
type elementsError struct{ error }

// errEnough stops reading a tensor when the maximum number of elements has been written.
var errEnough = errors.New("enough elements")

func (p *printer) strings(t *graphops.Tensor) error {
	n := int64(0)
	err := t.EachString(func(s string) error {
		if n > 0 {
			p.text(", ")
		}
		if p.max > 0 && n == p.max {
			return errEnough
		}
		n++
		p.string(s)
		return p.err
	})
	return p.ended(err)
}

// numbers writes the elements of a tensor of numbers in chunks.
func (p *printer) numbers(t *graphops.Tensor) error {
	data, err := t.Data()
	if err != nil {
		return &elementsError{err}
	}
	w := &numberWriter{p: p, form: formats[t.DType()]}
	_, err = data.WriteTo(w)
	if err := p.ended(err); err != nil {
		return err
	}
	if w.odd > 0 {
		p.lost("the payload of a NaN", t.Name())
	}
	return data.Unchanged()
}

// ended handles the end of reading a tensor. If reading was stopped by errEnough, it writes "..."
// and returns nil.
func (p *printer) ended(err error) error {
	if !errors.Is(err, errEnough) {
		return err
	}
	p.text("...")
	p.lost(LeftOut, "")
	return nil
}

// numberWriter writes numbers as text. It receives them as little-endian bytes in chunks of any
// size.
type numberWriter struct {
	p     *printer
	form  format
	carry []byte // the first bytes of an incomplete number
	n     int64  // numbers written
	odd   int64  // how many of these are NaNs that do not read back exactly
}

// Write implements io.Writer.
func (w *numberWriter) Write(b []byte) (int, error) {
	size := len(b)
	if len(w.carry) > 0 {
		k := min(w.form.size-len(w.carry), len(b))
		w.carry = append(w.carry, b[:k]...)
		b = b[k:]
		if len(w.carry) < w.form.size {
			return size, nil
		}
		if err := w.number(w.carry); err != nil {
			return 0, err
		}
		w.carry = w.carry[:0]
	}
	for ; len(b) >= w.form.size; b = b[w.form.size:] {
		if err := w.number(b[:w.form.size]); err != nil {
			return 0, err
		}
	}
	w.carry = append(w.carry, b...)
	return size, nil
}

func (w *numberWriter) number(b []byte) error {
	p := w.p
	p.buf = p.buf[:0]
	if w.n > 0 {
		p.buf = append(p.buf, ',')
	}
	if p.max > 0 && w.n == p.max {
		p.bytes(p.buf)
		return errEnough
	}
	w.n++
	var odd bool
	p.buf, odd = w.form.append(p.buf, b)
	if odd {
		w.odd++
	}
	p.bytes(p.buf)
	return p.err
}
