package graphops

// Capture is a value of a place that a body inside that place reads.
type Capture struct {
	Value ValueID // in the body's index
	From  *Place  // the place that defines the value; nil if none does
	Outer ValueID // in From's index
}

// Captures returns the values that the place reads from the places around it, in the order of first
// use. In a valid model, only bodies have captures.
func (p *Place) Captures() []Capture {
	var out []Capture
	for _, v := range p.Graph.Index().captured {
		out = append(out, p.capture(v))
	}
	return out
}

// capture finds the innermost place around this one that defines the value v of this place.
func (p *Place) capture(v ValueID) Capture {
	name := p.Graph.Index().Name(v)
	for around := p.Parent; around != nil; around = around.Parent {
		x := around.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) {
			return Capture{v, around, id}
		}
	}
	return Capture{v, nil, -1}
}

// Type returns the type that the model gives for a value of the place. For a captured value it
// is the type in the place that defines it.
func (p *Place) Type(v ValueID) Type {
	x := p.Graph.Index()
	if t := x.Type(v); t.Kind != TypeUnknown || x.IsDefined(v) {
		return t
	}
	if c := p.capture(v); c.From != nil {
		return c.From.Type(c.Outer)
	}
	return Type{}
}
