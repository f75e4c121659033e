package bounds

// corners returns a domain for each column of boxes that are given by two corners as x, y, x, y.
// With it, every box has a positive area and is within the image. If numbered is set, a column with
// the index of the image in the batch precedes them.
func corners(width, height float64, numbered bool) []Domain {
	low := func(most float64) Domain { return Domain{Hi: 0.4 * most} }
	high := func(most float64) Domain { return Domain{Lo: 0.6 * most, Hi: most} }
	out := []Domain{low(width), low(height), high(width), high(height)}
	if numbered {
		return append([]Domain{{}}, out...)
	}
	return out
}

// columns returns a bound with a domain for each position along the last axis. It applies only if
// the node reads the input's elements unchanged.
func (u use) columns(list []Domain, why string) Allowed {
	if n := len(u.sizes); !u.isWhole() || n == 0 || u.sizes[n-1] != int64(len(list)) {
		return Allowed{}
	}
	out := Allowed{Kind: ByColumn, Why: u.because("%s", why)}
	for _, d := range list {
		out.Columns = append(out.Columns, Allowed{Kind: InDomain, Domain: &d, Why: out.Why})
	}
	return out
}

// suppressed is the rule for the boxes of NonMaxSuppression, if they are given by center and size.
// Boxes given by corners need no bound, since the corners may be in any order.
func suppressed(u use) Allowed {
	if u.int("center_point_box", 0) == 0 {
		return Allowed{}
	}
	center, size := Domain{Lo: 0.2, Hi: 0.8}, Domain{Lo: 0.1, Hi: 0.4}
	return u.columns([]Domain{center, center, size, size}, "boxes with a width and a height")
}

// regions is the rule for regions of interest. Their coordinates are those of the original image,
// which is larger than the data by the factor 1/spatial_scale.
func regions(numbered bool) rule {
	return func(u use) Allowed {
		height, known := u.dimOf(0, 2)
		width, knownToo := u.dimOf(0, 3)
		if !known || !knownToo {
			height, width = 8, 8
		}
		scale := 1.0
		if a, ok := u.node.Attribute("spatial_scale"); ok && a.Float() > 0 {
			scale = float64(a.Float())
		}
		return u.columns(corners(float64(width)/scale, float64(height)/scale, numbered), "boxes with a positive area")
	}
}

// crops is the rule for boxes whose coordinates are fractions of the image. y precedes x.
func crops(u use) Allowed {
	return u.columns(corners(1, 1, false), "boxes with a positive area")
}
