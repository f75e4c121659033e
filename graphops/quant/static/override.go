package static

import "lathe/graphops/tensor"

// Override says how one value, or one channel of a constant, becomes integers. What it does not set
// follows from the options. In JSON it has the keys of the reference's TensorQuantOverrides.
type Override struct {
	Type TypeName `json:"quant_type,omitempty"`
	// Scale and Zero must be set together. With them, only the type and the axis can be set too.
	Scale     *float32 `json:"scale,omitempty"`
	Zero      *int64   `json:"zero_point,omitempty"`
	Symmetric *bool    `json:"symmetric,omitempty"`
	// ReduceRange leaves one bit of a constant unused.
	ReduceRange *bool `json:"reduce_range,omitempty"`
	// Min and Max replace the ends of the range.
	Min *float32 `json:"rmin,omitempty"`
	Max *float32 `json:"rmax,omitempty"`
	// Axis gives a constant one scale for each channel along it.
	Axis *int `json:"axis,omitempty"`
	// Convert is another type and range for some readers of a value.
	Convert *Conversion `json:"convert,omitempty"`
}

// Conversion says in which form the receivers of a value read it, instead of the form that the
// other readers get.
type Conversion struct {
	Type      TypeName `json:"quant_type,omitempty"`
	Scale     *float32 `json:"scale,omitempty"`
	Zero      *int64   `json:"zero_point,omitempty"`
	Symmetric *bool    `json:"symmetric,omitempty"`
	Min       *float32 `json:"rmin,omitempty"`
	Max       *float32 `json:"rmax,omitempty"`
	// Receivers are the names of nodes; nil means all readers of the value.
	Receivers []string `json:"recv_nodes,omitempty"`
}

func (c *Conversion) override() Override {
	return Override{Type: c.Type, Scale: c.Scale, Zero: c.Zero, Symmetric: c.Symmetric, Min: c.Min, Max: c.Max}
}

// Overrides maps names of values to their overrides: one for a value, and one in total or one for
// each channel for a constant.
type Overrides map[string][]Override

// types returns all types set in overrides.
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

// override returns the override of a whole value, or of all channels of a constant.
func (o Options) override(name string) Override {
	if list := o.Overrides[name]; len(list) > 0 {
		return list[0]
	}
	return Override{}
}

// typeOf returns the type of an activation with the given override.
func (o Options) typeOf(v Override) tensor.DType {
	if v.Type != 0 {
		return tensor.DType(v.Type)
	}
	return o.ActivationType
}

// stated returns the scale and zero point that an override sets.
func (v Override) stated(d tensor.DType) (tensor.Affine, error) {
	return tensor.Affine{Scale: *v.Scale, Zero: int32(*v.Zero)}, checkZero(*v.Zero, d)
}

// within returns a range with the ends that an override sets.
func (v Override) within(r tensor.Range) tensor.Range {
	if v.Min != nil {
		r.Min = min(*v.Min, 0)
	}
	if v.Max != nil {
		r.Max = max(*v.Max, 0)
	}
	return r
}
