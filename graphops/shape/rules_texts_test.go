package shape_test

import "testing"

func TestTexts(t *testing.T) {
	check(t, []example{
		{name: "words", model: `
			opset 20
			input x str[batch,n]
			input w str[n]
			input row str[1,n]
			kept = StringNormalizer(w) case_change_action='UPPER'
			some = StringNormalizer(row) stopwords=['a']
			joined = StringConcat(x, w)
			parts, counts = StringSplit(x) delimiter=','
			match = RegexFullMatch(x) pattern='a'
			count = TfIdfVectorizer(x) ngram_indexes=[0,7,3] mode='TF'
			one = TfIdfVectorizer(w) ngram_indexes=[0,1] mode='TF'
		`, want: map[string]string{
			"kept": "str n", "some": "str 1×?", "joined": "str batch×n", "parts": "str batch×n×?", "counts": "i64 batch×n", "match": "bool batch×n",
			"count": "f32 batch×8", "one": "f32 2",
		}},
		{name: "what does not fit", model: `
			opset 20
			input x str[2,n]
			input y str[3,n]
			input z str[]
			a = StringNormalizer(x)
			b = StringConcat(x, y)
			c = TfIdfVectorizer(z) ngram_indexes=[0]
			d = TfIdfVectorizer(x) ngram_indexes=[-1]
		`, want: map[string]string{"a": "str 1×n", "c": "f32 ?"}, problems: []string{"one row of words", "do not broadcast", "rank 1 or 2", "ngram_indexes has -1"}},
		{name: "ranks that are not known", model: `
			opset 20
			input x str
			a = StringNormalizer(x)
			b, n = StringSplit(x)
			c = TfIdfVectorizer(x) ngram_indexes=[0]
		`, want: map[string]string{"a": "str ?", "b": "str ?", "n": "i64 ?", "c": "f32 ?"}},
	})
}
