package static

import "lathe/graphops/tensor"

// Override states how one value becomes integers, or one channel of a constant. What it
// leaves open follows from the options. In JSON it has the keys of the reference's
// TensorQuantOverrides.
type Override struct {
	Type TypeName `json:"quant_type,omitempty"`
	// Scale and Zero go together, and leave nothing else to state but the type and axis.
	Scale     *float32 `json:"scale,omitempty"`
	Zero      *int64   `json:"zero_point,omitempty"`
	Symmetric *bool    `json:"symmetric,omitempty"`
	// ReduceRange leaves one bit of a constant unused.
	ReduceRange *bool `json:"reduce_range,omitempty"`
	// Min and Max replace the ends of the range.
	Min *float32 `json:"rmin,omitempty"`
	Max *float32 `json:"rmax,omitempty"`
	// Axis gives a constant a scale for each channel along it.
	Axis *int `json:"axis,omitempty"`
	// Convert is another type and range that some readers of a value are to have.
	Convert *Conversion `json:"convert,omitempty"`
}

// Conversion is what the receivers of a value read in place of what the others do.
type Conversion struct {
	Type      TypeName `json:"quant_type,omitempty"`
	Scale     *float32 `json:"scale,omitempty"`
	Zero      *int64   `json:"zero_point,omitempty"`
	Symmetric *bool    `json:"symmetric,omitempty"`
	Min       *float32 `json:"rmin,omitempty"`
	Max       *float32 `json:"rmax,omitempty"`
	// Receivers are names of nodes; nil is all that read the value.
	Receivers []string `json:"recv_nodes,omitempty"`
}

func (c *Conversion) override() Override {
	return Override{Type: c.Type, Scale: c.Scale, Zero: c.Zero, Symmetric: c.Symmetric, Min: c.Min, Max: c.Max}
}

// Overrides are those of the values of a model by name: one for a value, one or one for
// each channel of a constant.
type Overrides map[string][]Override

// types are all types that are stated.
func (v Overrides) types() []tensor.DType {
	var out []tensor.DType
	for _, list := range v {
		for _, x := range list {
			if x.Type != 0 {
				out = append(out, tensor.DType(x.Type))
			}
			if x.Convert != nil {
				out = append(out, tensor.DType(x.Convert.Type))
			}
		}
	}
	return out
}

// override is what is stated of a whole value, or of all channels of a constant.
func (o Options) override(name string) Override {
	if list := o.Overrides[name]; len(list) > 0 {
		return list[0]
	}
	return Override{}
}

// typeOf is the type that an activation has.
func (o Options) typeOf(v Override) tensor.DType {
	if v.Type != 0 {
		return tensor.DType(v.Type)
	}
	return o.ActivationType
}

// stated are parameters that an override fixes.
func (v Override) stated(d tensor.DType) (tensor.Affine, error) {
	return tensor.Affine{Scale: *v.Scale, Zero: int32(*v.Zero)}, checkZero(*v.Zero, d)
}

// within is a range with the ends that an override has.
func (v Override) within(r tensor.Range) tensor.Range {
	if v.Min != nil {
		r.Min = min(*v.Min, 0)
	}
	if v.Max != nil {
		r.Max = max(*v.Max, 0)
	}
	return r
}
