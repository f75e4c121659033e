package check

import (
	"fmt"
	"strconv"
	"strings"
)

// ngramFault checks the pool of a TfIdfVectorizer: ngram_counts has the starts of the sequences
// of one, two and more items, and ngram_indexes the position where each is counted.
func ngramFault(n settings, _ int64) string {
	least, known := n.number("min_gram_length", 1)
	most, ok := n.number("max_gram_length", 1)
	counts, have := n.ints("ngram_counts")
	switch f := first(n.atLeast(1, "min_gram_length", 1), n.atLeast(0, "max_skip_count", 0)); {
	case f != "":
		return f
	case known && ok && most < least:
		return fmt.Sprintf("attribute \"max_gram_length\" is %d, expected at least \"min_gram_length\", %d", most, least)
	case ok && have && n.has("ngram_counts") && most > int64(len(counts)):
		return fmt.Sprintf("attribute \"max_gram_length\" is %d, but \"ngram_counts\" has only %s", most, counted(len(counts), "number"))
	}
	total, pooled := n.length("pool_int64s", "pool_strings")
	indexes, indexed := n.length("ngram_indexes")
	if weights, ok := n.length("weights"); ok && indexed && weights > 0 && weights != indexes {
		return fmt.Sprintf("attribute \"weights\" has %s, but \"ngram_indexes\" has %d, expected the same number", counted(weights, "element"), indexes)
	}
	if pooled && total == 0 && !n.has("pool_strings") {
		return "attributes \"pool_int64s\" and \"pool_strings\" are empty, expected one of them"
	}
	if !have || !pooled || total == 0 {
		return ""
	}
	grams, f := countGrams(counts, int64(total))
	if f == "" {
		f = n.repeatedGram(counts)
	}
	if f == "" && indexed && indexes > 0 && indexes < grams {
		return fmt.Sprintf("attribute \"ngram_indexes\" has %s for %d sequences: ONNX Runtime crashes in the run", counted(indexes, "element"), grams)
	}
	return f
}

// countGrams returns the number of sequences in a pool of total items. counts has the position in
// the pool where the sequences of length 1, 2 and so on start.
func countGrams(counts []int64, total int64) (grams int, fault string) {
	for i, start := range counts {
		end, size := total, int64(i+1)
		if i+1 < len(counts) {
			end = counts[i+1]
		}
		switch {
		case start < 0 || end < start || end > total:
			return 0, fmt.Sprintf("attribute \"ngram_counts\" has wrong positions, expected ascending ones in a pool of %s", counted(int(total), "item"))
		case (end-start)%size != 0:
			return 0, fmt.Sprintf("attribute \"ngram_counts\" has %s for sequences of length %d, expected a multiple of it", counted(int(end-start), "item"), size)
		}
		grams += int((end - start) / size)
	}
	return grams, ""
}

// repeatedGram finds a sequence that occurs twice in the pool of a TfIdfVectorizer. The counts
// must be valid for countGrams.
func (n settings) repeatedGram(counts []int64) string {
	pool, known := n.pool()
	for i, start := range counts {
		end, size := int64(len(pool)), int64(i+1)
		if i+1 < len(counts) {
			end = counts[i+1]
		}
		seen := map[string]bool{}
		for ; known && start < end; start += size {
			gram := strings.Join(pool[start:start+size], " ")
			if seen[gram] {
				return fmt.Sprintf("the pool has the sequence %s twice", gram)
			}
			seen[gram] = true
		}
	}
	return ""
}

// pool returns the items of a TfIdfVectorizer as text, with strings in quotes.
func (n settings) pool() (items []string, known bool) {
	numbers, known := n.ints("pool_int64s")
	texts, ok := n.texts("pool_strings")
	for _, number := range numbers {
		items = append(items, strconv.FormatInt(number, 10))
	}
	for _, text := range texts {
		items = append(items, strconv.Quote(text))
	}
	return items, known && ok && (len(numbers) == 0 || len(texts) == 0)
}
