package failure

import (
	"strings"

	"lathe/graphops/pattern"
	"lathe/session/text"
)

var (
	// innerText matches the message of the function that Dynamo called, after a dump of the call.
	innerText = pattern.New(`(?s)Dynamo failed to run FX node with fake tensors: .*?: got \w+\((?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\)`)
	// partText matches the headings of the further parts of a Dynamo message. The first part says
	// what happened.
	partText = pattern.New(`(?m)^\s*(?:Higher Order Operator|Explanation|Hint|Developer debug context):`)
	// whyText matches the first sentence of the explanation. A full stop in an abbreviation or in
	// quoted code is not followed by a capital letter.
	whyText = pattern.New("(?m)^\\s*Explanation: (?:([^\\n]*?[.`)])(?:\\s+[A-Z]|[ \\t]*$)|([^\\n]+))")
)

// inALine returns the most informative part of a message on one line: the first paragraph, and the
// next one if it ends in a colon. For a message of Dynamo, which is a page long, it returns what it
// is about and why.
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

// innerOf returns the message that a Dynamo message contains as a Python string, or "".
func innerOf(said string) string {
	m := innerText.FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	inner := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\'`, "'", `\"`, `"`).Replace(m[1] + m[2])
	return strings.Join(strings.Fields(inner), " ")
}

// whyOf returns the sentence in which Dynamo explains the problem, or "".
func whyOf(said string) string {
	m := whyText.FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(m[1] + m[2])
}

// firstParagraph returns the lines up to the first empty line that does not follow a colon, up to a
// limit.
func firstParagraph(said string) string {
	head, rest, more := strings.Cut(said, "\n\n")
	for more && len(head) < maxError && strings.HasSuffix(strings.TrimSpace(head), ":") {
		var next string
		next, rest, more = strings.Cut(strings.TrimSpace(rest), "\n\n")
		head += "\n" + next
	}
	return head
}

// joined replaces line breaks by spaces.
func joined(lines string) string {
	var words []string
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		words = append(words, strings.TrimSpace(line))
	}
	return strings.Join(words, " ")
}
