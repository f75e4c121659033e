package axes

import "lathe/graphops/shape"

// indexed returns equations for operators such as GatherElements. If the indices have as many rows
// as the data, they shall have so at other sizes too. The operators accept fewer rows of indices
// than of data, and silently ignore the remaining data.
func (t *tagger) indexed(v shape.Visit) (out []equation) {
	if len(v.In) < 2 || v.In[1] == nil {
		return nil
	}
	data, at := v.In[0].Dims, v.In[1].Dims
	axis := int64(0)
	if a, ok := v.Attribute("axis"); ok {
		axis = a.Int()
	}
	if axis < 0 {
		axis += int64(len(data))
	}
	if len(data) != len(at) {
		return nil
	}
	for i := range data {
		if int64(i) != axis && t.old(data[i]).Equal(t.old(at[i])) {
			out = append(out, equation{a: data[i], b: at[i], rows: true})
		}
	}
	return out
}
