package failure

import (
	"regexp"
	"strings"

	"lathe/session/text"
)

var (
	// innerText is what Dynamo was told by what it called, behind a dump of the call.
	innerText = regexp.MustCompile(`(?s)Dynamo failed to run FX node with fake tensors: .*?: got \w+\((?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\)`)
	// partText opens the parts of a text of Dynamo behind the first, which says what.
	partText = regexp.MustCompile(`(?m)^\s*(?:Higher Order Operator|Explanation|Hint|Developer debug context):`)
	// whyText is the first sentence of the part that says more. A stop in an abbreviation or in
	// quoted code is followed by no capital.
	whyText = regexp.MustCompile("(?m)^\\s*Explanation: (?:([^\\n]*?[.`)])(?:\\s+[A-Z]|[ \\t]*$)|([^\\n]+))")
)

// inALine is what says most of a message, in a line: the first paragraph, and the next where that
// ends in a colon. Of a text of Dynamo, which is a page, it is what it is about and why.
func inALine(message string) string {
	said := strings.TrimSpace(plain(message))
	if inner := innerOf(said); inner != "" {
		said = inner
	}
	head := firstParagraph(said)
	if at := partText.FindStringIndex(head); at != nil {
		why := whyOf(head[at[0]:])
		head = strings.TrimSpace(head[:at[0]])
		if why != "" {
			head += ": " + why
		}
	}
	return shortened(text.CleanLine(joined(head)), maxError)
}

// innerOf is the message that a text of Dynamo holds as Python writes a string, "" where it has
// none.
func innerOf(said string) string {
	m := innerText.FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	inner := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\'`, "'", `\"`, `"`).Replace(m[1] + m[2])
	return strings.Join(strings.Fields(inner), " ")
}

// whyOf is the sentence with which a text of Dynamo explains itself, "" where it has none.
func whyOf(said string) string {
	m := whyText.FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(m[1] + m[2])
}

// firstParagraph are the lines up to the first empty one that follows no colon, as far as they
// are told.
func firstParagraph(said string) string {
	head, rest, more := strings.Cut(said, "\n\n")
	for more && len(head) < maxError && strings.HasSuffix(strings.TrimSpace(head), ":") {
		var next string
		next, rest, more = strings.Cut(strings.TrimSpace(rest), "\n\n")
		head += "\n" + next
	}
	return head
}

// joined are lines in one.
func joined(lines string) string {
	var words []string
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		words = append(words, strings.TrimSpace(line))
	}
	return strings.Join(words, " ")
}
