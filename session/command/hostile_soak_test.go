//go:build soak

package command

import "testing"

// TestHostileNamesFewAtOnce runs every command with few payloads at a time. Commands show only a
// part of a long name, so in a name made of all payloads some would not be printed at all.
func TestHostileNamesFewAtOnce(t *testing.T) {
	withoutRuntime(t)
	hostileTest(t, hostileCommands, payloadGroups(100), "", " --json")
}
