package check

import (
	"fmt"
	"strings"
)

// lookalikes maps letters of other scripts, Cyrillic and Greek, to the Latin letters that they
// look like.
var lookalikes = strings.NewReplacer(
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "і", "i", "ј", "j", "ѕ", "s", "һ", "h", "ԁ", "d",
	"А", "A", "В", "B", "Е", "E", "К", "K", "М", "M", "Н", "H", "О", "O", "Р", "P", "С", "C", "Т", "T", "У", "Y", "Х", "X", "І", "I", "Ј", "J", "Ѕ", "S",
	"ο", "o", "ν", "v", "α", "a", "ι", "i",
	"Α", "A", "Β", "B", "Ε", "E", "Ζ", "Z", "Η", "H", "Ι", "I", "Κ", "K", "Μ", "M", "Ν", "N", "Ο", "O", "Ρ", "P", "Τ", "T", "Υ", "Y", "Χ", "X",
)

// lookalike returns the first letter by which two names differ that look the same, or an empty
// string if they do not.
func lookalike(candidate, name string) string {
	if candidate == name || lookalikes.Replace(candidate) != lookalikes.Replace(name) {
		return ""
	}
	a, b := []rune(candidate), []rune(name)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%q looks the same, but has %U as letter %d, where this name has %U", candidate, a[i], i+1, b[i])
		}
	}
	return ""
}
