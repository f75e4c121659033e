package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// texts has the rules of operators on strings.
var texts = family{
	"StringNormalizer": stringNormalizer, "StringConcat": spread, "StringSplit": stringSplit, "RegexFullMatch": firstShape,
	"TfIdfVectorizer": tfIdf,
}

// stringNormalizer is the rule of StringNormalizer. It drops words, and returns an empty word if it
// drops all.
func stringNormalizer(c *call) {
	d := slices.Clone(c.rankIn(0, 1, 2))
	if d == nil {
		return
	}
	if len(d) == 2 {
		c.expect(0, "one row of words", dim.Number(1), d[1])
		d[0] = dim.Number(1)
	}
	if a, ok := c.attr("stopwords"); ok && len(a.Texts()) > 0 {
		d[len(d)-1] = dim.Unknown()
	}
	c.outDims(0, d)
}

func stringSplit(c *call) {
	d := c.dims(0)
	if d == nil {
		return
	}
	c.outDims(0, append(slices.Clone(d), dim.Unknown()))
	c.outDims(1, d)
}

// tfIdf is the rule of TfIdfVectorizer. It counts the words of each row, at the positions given by
// an attribute.
func tfIdf(c *call) {
	places, _ := c.attrInts("ngram_indexes")
	last := int64(-1)
	for _, at := range places {
		if at < 0 {
			c.problem(-1, fmt.Sprintf("ngram_indexes has %d, expected at least 0", at))
			return
		}
		last = max(last, at)
	}
	n := dim.Number(last).Add(dim.Number(1))
	d := slices.Clone(c.rankIn(0, 1, 2))
	if d == nil {
		return
	}
	d[len(d)-1] = n
	c.outDims(0, d)
}
